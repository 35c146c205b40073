/** What a run says of itself at its end, whatever the model says. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { scopedSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { inProcess } from "../../support/inProcess.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

type Calls = Parameters<typeof refinementWith>[0]

interface Script {
  readonly calls: Calls
  readonly skill?: string
  readonly needed?: string
  readonly summary?: string
  readonly answer?: string
  /** Words before the calls. */
  readonly lead?: string
}

const lying = "All is changed, and all checks pass."

/** What a model answers in a stage: it makes these calls at once and then says that all is well, whatever it is told. */
const answerOf = (
  stage: string,
  { answer = lying, calls, lead = "", needed = "Do it.", skill = "worker", summary = lying }: Script
) =>
  ({
    creation: planOf([[{ name: "Edit 1", skill, needed }]]),
    refinement: `${lead}${refinementWith(calls)}`,
    execution: resultSaying(summary),
    iteration: planOf([])
  })[stage] ?? answer

const editOf = (path: string, old_text: string, new_text: string) => ({
  name: "edit_file",
  arguments: { path, old_text, new_text }
})
const edit = editOf("a.txt", "one", "two")
const secret = { name: "read_file", arguments: { path: ".env" } }
const outside = { name: "read_file", arguments: { path: "/etc/hostname" } }
const command = { name: "run_command", arguments: { argv: ["node", "--version"] } }

const limitIn = `import { readFileSync } from "node:fs"
const [, limit] = /rateLimit = (\\d+)/.exec(readFileSync("config.mjs", "utf8"))
`
const failing = (...lines: ReadonlyArray<string>) =>
  `${limitIn}console.log(${JSON.stringify(lines.join("\n"))})\nprocess.exit(1)\n`

/** A project whose checks are scripts; `worker` may do everything. */
const files = {
  "a.txt": "one\n",
  ".env": "KEY=value\n",
  ".task-conductor/skills/worker/SKILL.md":
    "---\nname: worker\ndescription: Works. Use it in tests.\nallowed-tools: read_file edit_file run_command write_file\n---\n\n## Execution\n\nWork.\n",
  "check.mjs":
    'import { readFileSync } from "node:fs"\nif (readFileSync("a.txt", "utf8") === "one\\n") process.exit()\nconsole.log("not ok 1 - a.txt holds one")\nprocess.exit(1)\n',
  "config.mjs": "export const rateLimit = 100\n",
  "talking.mjs": `${limitIn}if (limit !== "200") { console.log("The limit is " + limit + ", not 200"); process.exit(1) }\n`,
  "silent.mjs": `${limitIn}process.exit(limit === "200" ? 0 : 1)\n`,
  "alone.mjs": failing("not ok 1 - rate limit", "# tests 1", "# pass 0", "# fail 1"),
  "beside.mjs": failing("not ok 1 - old thing", "ok 2 - other", "# tests 2", "# pass 1", "# fail 1"),
  "modules.mjs": 'import "not-installed"\n',
  "slow.mjs": "setInterval(() => {}, 1000)\n"
}

const makeWorld = Effect.gen(function* () {
  const sandbox = inProcess(yield* scopedSandbox())
  const reset = () => {
    for (const [name, text] of Object.entries(files)) sandbox.write(`project/${name}`, text)
  }
  reset()
  /** With `tried`, the plan comes once the program has printed this about the trial of its checks, however slow the machine. */
  const start = Effect.fnUntraced(function* (script: Script, words: ReadonlyArray<string>, tried?: string) {
    const server = yield* FakeOllama.make(({ messages }) => {
      const isFirst = !messages.some(({ role }) => role === "assistant")
      const stage = words[0] === "ask" && isFirst ? "refinement" : stageNameOf(messages)
      const text = answerOf(stage, script)
      return tried !== undefined && stage === "creation" ? { text, hold: "tried" } : text
    })
    const isWork = words[0] === "run" || words[0] === "ask"
    const all = [...words, ...(isWork ? ["--model", fakeModel] : [])]
    const env = { OLLAMA_HOST: server.url }
    if (tried === undefined) return yield* Effect.promise(() => sandbox.run(all, { env }))
    const running = sandbox.start(all, { env })
    yield* Effect.promise(() => running.says(tried))
    yield* server.release("tried")
    return yield* Effect.promise(() => running.ended)
  })
  const left = (name: string) => readFileSync(`${sandbox.root}/project/${name}`, "utf8")
  return { left, reset, sandbox, start }
})

const live = (
  name: string,
  body: (
    world: Effect.Success<typeof makeWorld>
  ) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, void, never>
) => it.live(name, () => Effect.flatMap(makeWorld, (world) => Effect.gen(() => body(world))))

const lastEvent = (stdout: string) => JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
const firstLines = (stderr: string): string => stderr.split("\n").slice(0, 10).join("\n")

describe("a run whose change failed", () => {
  const twice: Script = {
    calls: ["1", "2"].map((text) => editOf("a.txt", "one", text)),
    skill: "edit-files",
    summary: "Changed [a.txt](a.txt#L1) as [the docs](https://example.com/never) say.",
    answer: "All is changed, see [Edit 1](#edit-1-results)."
  }
  const words = ["--yes-this-run", "--allow", "edit_file", "Change a.txt."]

  live(
    "exits with 1, says what was not changed and what to do, and counts wrong links, also in its last event",
    function* (world) {
      const { code, stderr, stdout } = yield* world.start(twice, ["run", ...words])
      expect(code).toBe(1)
      expect(stdout.trim()).toMatch(
        /^Not done \(failed\): "Edit 1" did not change a\.txt [^\n]+\n\n1 file changed, [^]*\n\nAll is changed, see Edit 1 \(\[a\.txt\]\(a\.txt#L1\)\)\.$/
      )
      expect(stderr).toContain('error: "Edit 1" did not change a.txt (edit_file). It failed: Nothing was changed.')
      expect(stderr).toMatch(/task-conductor fork \S+ --from "Edit 1"/)
      expect(stderr).toContain("  changed a.txt (+1 -1)\n  not checked: no check is known for these changes\n")
      /* A failed run of which every task has ended has nothing to go on with. */
      expect(stderr).not.toContain("Resume it")
      expect(stderr).toContain("evidence: 1 of 3 links could not be confirmed; each is marked in the text")
      const shown = yield* world.start({ calls: [] }, ["show", "last"])
      expect(shown.stdout).toContain("Links checked: 3. Wrong, and marked in the text: 1.")
      world.reset()
      const json = yield* world.start(twice, ["run", "--json", ...words])
      const facts = { files: [{ path: "a.txt", kind: "changed", insertions: 1, deletions: 1 }], state: "not checked" }
      expect(lastEvent(json.stdout)).toMatchObject({
        type: "run.finished",
        exit_code: 1,
        report: { status: "failed", evidence: { checked: 3, wrong: 1 }, facts }
      })
    }
  )

  live(
    "is asked about a text that drops most of a file: not written under --yes, and when a rule names the file",
    function* (world) {
      const whole = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("")
      const content = "line 1\nline 2\nline 3\nline 4\n"
      world.sandbox.write("project/a.txt", whole)
      const shorten: Script = {
        calls: [{ name: "write_file", arguments: { path: "a.txt", content } }],
        lead: "I remove what nobody uses.\n\n",
        skill: "edit-files",
        summary: "Shortened [a.txt](a.txt)."
      }
      const { code, stderr } = yield* world.start(shorten, ["run", "--yes", "Shorten a.txt."])
      expect([code, world.left("a.txt")]).toEqual([4, whole])
      expect(stderr).toContain("write_file on a.txt needs approval and there is no terminal to ask on")
      const allowed = yield* world.start(shorten, ["run", "--yes", "--allow", "write_file:a.txt", "Shorten a.txt."])
      expect([allowed.code, world.left("a.txt")]).toEqual([0, content])
    }
  )
})

live(
  "a skill of a plugin that is not trusted exits with 3, and names the tool and what trusts the plugin",
  function* (world) {
    const skill =
      "---\nname: count\ndescription: Counts. Use it in tests.\nallowed-tools: count_words\n---\n\n## Execution\n\nCount.\n"
    world.sandbox.write("project/counter.js", "export default {}\n")
    world.sandbox.write("project/task-conductor.json", '{ "plugins": ["./counter.js"] }\n')
    world.sandbox.write("project/.task-conductor/skills/count/SKILL.md", skill)
    const { code, stderr, stdout } = yield* world.start({ calls: [] }, ["run", "--skill", "count", "Count."])
    expect([code, stdout]).toEqual([3, ""])
    expect(stderr).toContain('The skill "count" cannot work: there is no tool count_words.')
    expect(stderr).toMatch(/error: .*--allow "load_plugin:/)
  }
)

describe("a check that fails with the changes", () => {
  const words = ["--yes-this-run", "--check", "node check.mjs", "Change a.txt."]

  live(
    "leaves a run unverified, which says so on stdout, on stderr, in show and in the report, unless that is accepted",
    function* (world) {
      const ended = yield* world.start({ calls: [edit] }, ["run", ...words])
      expect(ended.code).toBe(1)
      expect(ended.stdout).toContain(
        '- a.txt: 1 insertion(+), 1 deletion(-)\n- failed: `node check.mjs` (exit code 1): a.txt holds one\n- not so: "Edit 1" says "All is changed, and all checks pass.", but `node check.mjs` fails: a.txt holds one\n\n'
      )
      expect(ended.stderr).toContain("error: The check node check.mjs fails with the changes: a.txt holds one")
      expect(ended.stderr).toMatch(/unverified: 1 result, .*, 1 tool call, /)
      const shown = yield* world.start({ calls: [] }, ["show", "last"])
      expect(shown.stdout).toContain("## Changes\n\n1 file changed, 1 insertion(+), 1 deletion(-):\n- a.txt: ")
      expect(shown.stdout).toContain("- failed: `node check.mjs`")
      const { stdout: page } = yield* world.start({ calls: [] }, ["report", "last", "--output", "-"])
      expect(page).toContain("unverified: a check fails with the changes")
      expect(page).toMatch(/<td>a\.txt<\/td><td>changed<\/td><td class="number">\+1<\/td><td class="number">-1<\/td>/)
      expect(page).toMatch(/<code>node check\.mjs<\/code><\/td><td><span class="bad">failed<\/span>/)
      world.reset()
      const accepted = yield* world.start({ calls: [edit] }, ["run", "--accept-unverified", "--json", ...words])
      expect([accepted.code, lastEvent(accepted.stdout)]).toMatchObject([
        0,
        { report: { status: "done", facts: { state: "failed", checks: [{ exit_code: 1, status: "failed" }] } } }
      ])
    }
  )
})

describe("what was denied without a terminal", () => {
  live("does not count when it was a read that the task went on without, and is named", function* (world) {
    const words = ["--yes-this-run", "Change a.txt."]
    const { code, stderr, stdout } = yield* world.start({ calls: [secret, outside, edit] }, ["run", ...words])
    expect([code, stderr.includes("error: ")]).toEqual([0, false])
    expect(stdout).toContain(
      '- denied: read_file .env (nobody could be asked; --allow "read_file:.env" allows it)\n- denied: read_file /etc/hostname (nobody could be asked; --allow "read_file:/etc/hostname" allows it)\n'
    )
    world.reset()
    const again = yield* world.start({ calls: [secret, edit] }, ["run", "--json", ...words])
    expect(lastEvent(again.stdout)).toMatchObject({
      exit_code: 0,
      report: { facts: { denied: [{ tool: "read_file", targets: [".env"], by: "nobody" }] } }
    })
    const { stdout: page } = yield* world.start({ calls: [] }, ["report", "last", "--output", "-"])
    expect(page).toContain("<h3>Denied</h3><ul><li>read_file .env (nobody could be asked; --allow &quot;read_file:.env")
  })

  live(
    "ends the run with 4 when the task came to nothing else, or when it was a command or a change",
    function* (world) {
      const { code, stderr } = yield* world.start({ calls: [secret] }, ["run", "--yes-this-run", "Read .env."])
      expect([code, /error: .*read_file on .*\.env needs approval/.test(stderr)]).toEqual([4, true])
      const words = ["run", "--yes-this-run", "--deny", "run_command", "Change a.txt."]
      const denied = yield* world.start({ calls: [command, edit] }, words)
      const line = "- denied: run_command node --version (by a rule)\n"
      expect([denied.code, denied.stdout.includes(line)]).toEqual([4, true])
    }
  )
})

/** It sets another limit than it was asked to, and says that the check passed. */
const limited = (needed = "Set rateLimit to 200."): Script => ({
  calls: [editOf("config.mjs", "= 100", "= 150")],
  skill: "edit-files",
  needed,
  summary: "The limit is set. The check passed.",
  answer: "The limit is set. The check passed."
})
const order = ["--yes", "Set rateLimit to 200"]
const userFile = "config/task-conductor/config.json"
const named = '{ "checks": ["node modules.mjs"] }'

/** Checks that a person names, and the words for what keeps them from proving anything. */
const unproving: ReadonlyArray<readonly [check: string, cause: string, words: RegExp]> = [
  ["node modules.mjs", "modules missing", /not installed or not there: .*Cannot find package 'not-installed'/],
  ["node slow.mjs", "limit", /limits\.checkSeconds/]
]

describe("a check that proves nothing", () => {
  for (const [check, cause, words] of unproving) {
    live(`is not checked, said first, and no end as done for who named it: ${check}`, function* (world) {
      world.sandbox.write(userFile, check.includes("slow") ? '{ "limits": { "checkSeconds": 2 } }' : "{}")
      const tried = "the check proves nothing:"
      const ended = yield* world.start(limited(), ["run", "--check", check, ...order], tried)
      expect(firstLines(ended.stderr)).toMatch(words)
      for (const text of [
        "Not done (unverified): Not checked: ",
        `- not checked: \`${check}\`. `,
        `says "The check passed.", but \`${check}\` proves nothing`
      ])
        expect(ended.stdout).toContain(text)
      expect([ended.code, ended.stdout.includes("nothing new fails")]).toEqual([1, false])
      world.reset()
      const json = ["run", "--json", "--accept-unverified", "--check", check, ...order]
      const { code, stdout } = yield* world.start(limited(), json, '"type":"check.tried"')
      const { report } = lastEvent(stdout)
      expect([code, report.status]).toEqual([0, "done"])
      expect(report.facts).toMatchObject({
        state: "not checked",
        checks: [{ status: "not checked", cause }],
        claims: [{ claim: "The check passed." }]
      })
      const event = stdout.split("\n").find((line) => line.includes('"type":"check.tried"'))
      expect(JSON.parse(event ?? "")).toMatchObject({ status: "not checked", cause })
    })
  }

  live("ends as done where only the project names it, with the same words", function* ({ reset, sandbox, start }) {
    sandbox.write("project/task-conductor.json", named)
    const { code, stdout } = yield* start(limited(), ["run", ...order])
    expect([code, stdout.includes("- not checked: `node modules.mjs`. ")]).toEqual([0, true])
    reset()
    sandbox.write(userFile, named)
    expect((yield* start(limited(), ["run", ...order])).code).toBe(1)
  })

  live("is no end as done in ask either, for who named it", function* ({ reset, sandbox, start }) {
    sandbox.write(userFile, named)
    const { code, stderr } = yield* start(limited(), ["ask", ...order])
    expect([code, stderr.includes("Not checked: node modules.mjs. ")]).toEqual([1, true])
    reset()
    expect((yield* start(limited(), ["ask", "--accept-unverified", ...order])).code).toBe(0)
  })
})

describe("a check that fails as it did before", () => {
  for (const check of ["node talking.mjs", "node silent.mjs", "node alone.mjs"]) {
    live(`keeps a run from being done: ${check}`, function* ({ start }) {
      const { code, stderr, stdout } = yield* start(limited(), ["run", "--check", check, ...order])
      expect(firstLines(stderr)).toContain(`before any change, the check fails: ${check}`)
      expect([code, stdout.includes("Not done (unverified): The check ")]).toEqual([1, true])
      expect(stdout).toContain(`- failed: \`${check}\` (exit code 1): It fails as it does without the changes`)
      expect(stdout).toContain(`says "The check passed.", but \`${check}\` still fails`)
    })
  }

  live(
    "does not where its failures are named, something passes beside, and nobody asks for more",
    function* ({ reset, start }) {
      const checking = ["run", "--yes", "--check", "node beside.mjs"]
      const { code, stdout } = yield* start(limited(), [...checking, "Set rateLimit to 150"])
      expect([code, stdout.includes("- nothing new fails: `node beside.mjs`")]).toEqual([0, true])
      for (const [prompt, needed] of [
        ["Make the failing tests pass.", "Set rateLimit to 150."],
        ["Set rateLimit to 150", "Set rateLimit to 150, so that all tests pass."]
      ] as const) {
        reset()
        const asked = yield* start(limited(needed), [...checking, prompt])
        expect([asked.code, asked.stdout.includes("the task asks for it to pass: old thing")]).toEqual([1, true])
      }
    }
  )
})
