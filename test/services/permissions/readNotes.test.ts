/**
 * A host that is allowed is sent nothing of what was read, without a question: real tools behind the real gate, and a web that says what
 * arrived.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { parseRule } from "../../../src/domain/permissions/Permission.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { WebFetch } from "../../../src/services/tools/WebFetch.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { needs } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { questionOfAccess } from "../../../src/services/permissions/GateQuestion.ts"
import { foreseeDenial } from "../../../src/services/permissions/Gate.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import type { TestBody } from "../../support/testBody.ts"

const host = "https://docs.example"
const url = `${host}/search?q=bluefin`
const link = `${host}/guides/plum-harbor?id=48213`

const open = Effect.fnUntraced(function* (approver: Layer.Layer<Approver>, rules: ReadonlyArray<string> = []) {
  const fetched: Array<string> = []
  const web = Layer.succeed(WebFetch)({
    get: (page) =>
      Effect.sync(() => void fetched.push(page)).pipe(Effect.as({ url: page, text: `A page of bluefin, ${link}1` }))
  })
  const files = {
    "notes.yaml": "codename: bluefin\nticket: 48213\n",
    "README.md": `# Plum Harbor\n\nRead <${link}#start>.\n`,
    "src/a.ts": 'export const word = "bluefin"\n'
  }
  const all = ["read_file", "run_command:**", `fetch_url:${host}/**`, ...rules]
  const tools = yield* openTools({
    files,
    web,
    approver,
    rules: all.map((rule) => Result.getOrThrow(parseRule("allow", rule)))
  })
  const fetch = (page: string) =>
    Effect.map(tools.run("fetch_url", { url: page }), ({ error_message }) => error_message)
  return { ...tools, fetch, fetched }
})

/** Likewise where nobody can be asked, and the notes were read. */
const openRead = Effect.fnUntraced(function* (rules: ReadonlyArray<string> = []) {
  const opened = yield* open(Approver.layerDenyAll, rules)
  yield* opened.run("read_file", { path: "notes.yaml" })
  return opened
})

/** What the model reads before, by how it is read. */
const reads: Readonly<Record<string, readonly [tool: string, given: Arguments]>> = {
  "a file": ["read_file", { path: "notes.yaml" }],
  "a part of a file": ["read_file", { path: "notes.yaml", start_line: 1, end_line: 1 }],
  "a search": ["search_files", { pattern: "bluefin" }],
  "the output of a command": ["run_command", { argv: ["cat", "notes.yaml"] }],
  "the errors of a command": ["run_command", { argv: ["sh", "-c", "cat notes.yaml >&2; exit 3"] }],
  "the answer to a wrong edit": ["edit_file", { path: "src/a.ts", old_text: 'const word = "bluefish"', new_text: "x" }]
}

/** A test that runs commands in the sandbox. */
const sandboxTest = (name: string, body: TestBody<unknown, unknown>) => nodeTest(name, body, needs("bwrap"))

describe("a URL that was made from what was read", () => {
  describe("is asked about, whatever is allowed for its host", () => {
    for (const [what, [tool, given]] of Object.entries(reads)) {
      /* Without a sandbox no rule runs a command. */
      nodeTest(
        `after ${what}`,
        function* () {
          const asked = scriptedApprover({ calls: ["deny"] })
          const { fetch, fetched, run } = yield* open(asked.layer)
          assert.isNull(yield* fetch(`${host}/start`))
          yield* run(tool, given)
          assert.include(yield* fetch(url), "Permission denied: a person denied fetch_url")
          assert.deepStrictEqual(fetched, [`${host}/start`])
          assert.deepStrictEqual(asked.asked[0]?.[0]?.warnings, [
            'Its address holds "bluefin", which the model read in this run. This is asked each time.'
          ])
          assert.isTrue(asked.asked[0]?.[0]?.personOnly)
        },
        tool === "run_command" ? needs("bwrap") : {}
      )
    }

    nodeTest("each time, and says it where nobody can be asked", function* () {
      const { answers, fetch, fetched } = yield* openRead()
      assert.include(yield* fetch(url), "Permission denied")
      const [denied] = yield* answers.denials
      assert.strictEqual(
        denied?.message,
        `Permission denied: fetch_url on ${url} would send "bluefin", which was read in this run, and nobody can be asked; --allow "fetch_url:${url}" allows it.`
      )
      assert.deepStrictEqual([denied?.flags, fetched], [undefined, []])
    })

    nodeTest("also when it refers to it in a plan", function* () {
      const { gate } = yield* openRead()
      const access = { _tag: "FetchUrl", url } as const
      assert.isDefined(yield* foreseeDenial(gate, access))
      const found = yield* Effect.flip(gate.authorize(questionOfAccess({ task: "T", place: "" }, access)))
      assert.strictEqual(found._tag, "PermissionDenied")
    })
  })

  nodeTest("is fetched when a rule names exactly this URL", function* () {
    const { fetch, fetched } = yield* openRead([`fetch_url:${url}`])
    assert.isNull(yield* fetch(url))
    assert.include(yield* fetch(`${url}s+bluefin`), "Permission denied")
    assert.deepStrictEqual(fetched, [url])
  })

  nodeTest("is fetched when the user has said its words, or the URL", function* () {
    const { fetch, readTexts } = yield* openRead()
    yield* readTexts.noteSaid(`What is Bluefin? See ${host}/ticket?n=48213.`)
    assert.isNull(yield* fetch(url))
    assert.isNull(yield* fetch(`${host}/ticket?n=48213`))
  })

  describe("a link of a file", () => {
    nodeTest("is followed as it stands", function* () {
      const { fetch, run } = yield* openRead()
      assert.include(yield* fetch(link), "Permission denied")
      yield* run("read_file", { path: "README.md" })
      assert.isNull(yield* fetch(link))
      assert.include(yield* fetch(`${link}&q=bluefin`), "Permission denied")
    })

    sandboxTest("is followed as a search shows it, until the run has run a command", function* () {
      const { fetch, run } = yield* openRead()
      yield* run("run_command", { argv: ["true"] })
      yield* run("search_files", { pattern: "Read <" })
      assert.include(yield* fetch(link), "Permission denied")
      const untouched = yield* openRead()
      yield* untouched.run("search_files", { pattern: "Read <" })
      assert.isNull(yield* untouched.fetch(link))
    })

    sandboxTest("is not followed when a command has put it there or printed it", function* () {
      const made = `${host}/?d=k7Qx2mZp91`
      const { fetch, run } = yield* open(Approver.layerDenyAll)
      yield* run("run_command", { argv: ["sh", "-c", `echo ${made} > made.md`] })
      yield* run("read_file", { path: "made.md" })
      assert.include(yield* fetch(made), "Permission denied")
      const printed = yield* open(Approver.layerDenyAll)
      yield* printed.run("run_command", { argv: ["echo", made] })
      assert.include(yield* printed.fetch(made), "Permission denied")
    })
  })

  nodeTest("what a page says is not what was read of the project, and its links are followed", function* () {
    const { fetch } = yield* open(Approver.layerDenyAll)
    assert.isNull(yield* fetch(`${host}/start`))
    assert.isNull(yield* fetch(url))
    assert.isNull(yield* fetch(`${link}1`))
  })
})
