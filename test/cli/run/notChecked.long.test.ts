/**
 * Checks that prove nothing, and checks that fail as before: what a run says in its first lines and at its end, in words, by its
 * exit code and in `--json`.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { inProcess } from "../../support/inProcess.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const edit = { name: "edit_file", arguments: { path: "config.mjs", old_text: "= 100", new_text: "= 150" } }

/** It sets another limit than it was asked to, and says that the check passed. */
const answerTo = (stage: string, needed: string): string => {
  switch (stage) {
    case "creation":
      return planOf([[{ name: "Edit 1", skill: "edit-files", needed }]])
    case "refinement":
      return refinementWith([edit])
    case "execution":
      return resultSaying("The limit is set. The check passed.")
    case "iteration":
      return planOf([])
    default:
      return "The limit is set. The check passed."
  }
}

const reading = `import { readFileSync } from "node:fs"
const [, limit] = /rateLimit = (\\d+)/.exec(readFileSync("config.mjs", "utf8"))
`
const files = {
  "config.mjs": "export const rateLimit = 100\n",
  "package.json": '{ "name": "limits", "scripts": { "check": "node silent.mjs", "lint": "no-such-linter ." } }\n',
  "talking.mjs": `${reading}if (limit !== "200") { console.log("The limit is " + limit + ", not 200"); process.exit(1) }\n`,
  "silent.mjs": `${reading}process.exit(limit === "200" ? 0 : 1)\n`,
  "alone.mjs": `${reading}console.log("not ok 1 - rate limit\\n# tests 1\\n# pass 0\\n# fail 1")\nprocess.exit(1)\n`,
  "beside.mjs": `${reading}console.log("not ok 1 - old thing\\nok 2 - other\\n# tests 2\\n# pass 1\\n# fail 1")\nprocess.exit(1)\n`,
  "modules.mjs": 'import "not-installed"\n',
  "network.mjs":
    'import { lookup } from "node:dns/promises"\nawait lookup("registry.invalid").catch((error) => { console.error(error.message); process.exit(1) })\n',
  "none.mjs": 'console.log("TAP version 13\\n1..0\\n# tests 0\\n# pass 0\\n# fail 0")\n',
  "slow.mjs": "setInterval(() => {}, 1000)\n",
  Makefile: "test: gone.o\n\techo tested\n"
}

const makeWorld = Effect.gen(function* () {
  const sandbox = yield* Effect.acquireRelease(
    Effect.sync(() => inProcess(makeSandbox())),
    ({ remove }) => Effect.sync(remove)
  )
  for (const [name, text] of Object.entries(files)) sandbox.write(`project/${name}`, text)
  /** With `tried`, the plan comes once the program has printed this about the trial of its checks, however slow the machine. */
  const start = Effect.fnUntraced(function* (
    words: ReadonlyArray<string>,
    { needed = "Set rateLimit to 200.", tried }: { readonly needed?: string; readonly tried?: string } = {}
  ) {
    const server = yield* FakeOllama.make(({ messages }) => {
      const isFirst = !messages.some(({ role }) => role === "assistant")
      if (words[0] === "ask" && isFirst) return refinementWith([edit])
      const stage = stageNameOf(messages)
      const content = answerTo(stage, needed)
      return tried !== undefined && stage === "creation" ? { text: content, hold: "tried" } : content
    })
    const all = [...words, "--model", fakeModel, "--yes"]
    const env = { OLLAMA_HOST: server.url }
    if (tried === undefined) return yield* Effect.promise(() => sandbox.run(all, { env }))
    const running = sandbox.start(all, { env })
    yield* Effect.promise(() => running.says(tried))
    yield* server.release("tried")
    return yield* Effect.promise(() => running.ended)
  })
  return { sandbox, start }
})

const live = (name: string, body: () => Effect.Effect<void, unknown, Effect.Services<typeof makeWorld>>) =>
  it.live(name, () => Effect.orDie(body()))

const reportOf = (stdout: string) => JSON.parse(stdout.trim().split("\n").at(-1) ?? "").report
const eventsOf = (stdout: string): ReadonlyArray<{ readonly type: string }> =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const firstLines = (stderr: string): string => stderr.split("\n").slice(0, 10).join("\n")

/** Checks that a person names, and the words for what keeps them from proving anything. */
const unproving: ReadonlyArray<readonly [check: string, cause: string, words: RegExp]> = [
  ["node modules.mjs", "modules missing", /not installed or not there: .*Cannot find package 'not-installed'/],
  ["node network.mjs", "no network", /wants a network, and there is none: getaddrinfo/],
  ["node none.mjs", "no tests", /found no test to run/],
  ["node gone.mjs", "modules missing", /Cannot find module/],
  ["no-such-program --all", "program missing", /There is no program "no-such-program"/],
  ["npm run lint", "program missing", /could not be started here \(exit code 127\)/],
  ["npm run missing-script", "no such task", /There is no such task: .*Missing script/],
  ["make test", "not built", /Nothing could be built: .*gone\.o/],
  ["node slow.mjs", "limit", /limits\.checkSeconds/]
]

describe("a check that proves nothing", () => {
  for (const [check, cause, words] of unproving) {
    live(`is not checked, said first, and no end as done for who named it: ${check}`, () =>
      Effect.gen(function* () {
        const { sandbox, start } = yield* makeWorld
        const limits = check.includes("slow") ? { limits: { checkSeconds: 2 } } : {}
        sandbox.write("config/task-conductor/config.json", JSON.stringify(limits))
        const tried = "the check proves nothing:"
        const ended = yield* start(["run", "--check", check, "Set rateLimit to 200"], { tried })
        expect(firstLines(ended.stderr)).toMatch(words)
        expect(firstLines(ended.stderr)).toContain(tried)
        expect(ended.stdout).toContain("Not done (unverified): Not checked: ")
        expect(ended.stdout).toContain(`- not checked: \`${check}\`. `)
        expect(ended.stdout).toContain(`says "The check passed.", but \`${check}\` proves nothing`)
        expect(ended.stdout).not.toContain("nothing new fails")
        expect(ended.code).toBe(1)
        /* What is accepted is the same whatever the cause. */
        if (check !== "node modules.mjs" && check !== "node slow.mjs") return
        sandbox.write("project/config.mjs", files["config.mjs"])
        const json = ["run", "--json", "--accept-unverified", "--check", check, "Set rateLimit to 200"]
        const { code, stdout } = yield* start(json, { tried: '"type":"check.tried"' })
        expect([code, reportOf(stdout).status]).toEqual([0, "done"])
        expect(reportOf(stdout).facts).toMatchObject({
          state: "not checked",
          checks: [{ status: "not checked", cause }],
          claims: [{ claim: "The check passed." }]
        })
        expect(eventsOf(stdout).find(({ type }) => type === "check.tried")).toMatchObject({
          status: "not checked",
          cause
        })
      })
    )
  }

  live("ends as done where only the project names it, with the same words", () =>
    Effect.gen(function* () {
      const { sandbox, start } = yield* makeWorld
      sandbox.write("project/task-conductor.json", '{ "checks": ["node modules.mjs"] }')
      const { code, stdout } = yield* start(["run", "Set rateLimit to 200"])
      expect([code, stdout.includes("- not checked: `node modules.mjs`. ")]).toEqual([0, true])
      sandbox.write("project/config.mjs", files["config.mjs"])
      sandbox.write("config/task-conductor/config.json", '{ "checks": ["node modules.mjs"] }')
      expect((yield* start(["run", "Set rateLimit to 200"])).code).toBe(1)
    })
  )

  live("is no end as done in ask either, for who named it", () =>
    Effect.gen(function* () {
      const { sandbox, start } = yield* makeWorld
      sandbox.write("config/task-conductor/config.json", '{ "checks": ["node modules.mjs"] }')
      const { code, stderr } = yield* start(["ask", "Set rateLimit to 200"])
      expect([code, stderr.includes("Not checked: node modules.mjs. ")]).toEqual([1, true])
      sandbox.write("project/config.mjs", files["config.mjs"])
      expect((yield* start(["ask", "--accept-unverified", "Set rateLimit to 200"])).code).toBe(0)
    })
  )
})

describe("a check that fails as it did before", () => {
  it.each([["node talking.mjs"], ["node silent.mjs"], ["node alone.mjs"], ["npm run check"]])(
    "keeps a run from being done: %s",
    (check) =>
      Effect.gen(function* () {
        const { start } = yield* makeWorld
        const { code, stderr, stdout } = yield* start(["run", "--check", check, "Set rateLimit to 200"])
        expect(firstLines(stderr)).toContain(`before any change, the check fails: ${check}`)
        expect([code, stdout.includes("Not done (unverified): The check ")]).toEqual([1, true])
        expect(stdout).toContain(`- failed: \`${check}\` (exit code 1): It fails as it does without the changes`)
        expect(stdout).toContain(`says "The check passed.", but \`${check}\` still fails`)
      }).pipe(Effect.scoped, Effect.runPromise)
  )

  live("does not where its failures are named, something passes beside, and nobody asks for more", () =>
    Effect.gen(function* () {
      const { sandbox, start } = yield* makeWorld
      const checking = ["run", "--check", "node beside.mjs"]
      const { code, stdout } = yield* start([...checking, "Set rateLimit to 150"])
      expect([code, stdout.includes("- nothing new fails: `node beside.mjs`")]).toEqual([0, true])
      for (const [prompt, needed] of [
        ["Make the failing tests pass.", "Set rateLimit to 150."],
        ["Set rateLimit to 150", "Set rateLimit to 150, so that all tests pass."]
      ] as const) {
        sandbox.write("project/config.mjs", files["config.mjs"])
        const asked = yield* start([...checking, prompt], { needed })
        expect([asked.code, asked.stdout.includes("the task asks for it to pass: old thing")]).toEqual([1, true])
      }
    })
  )
})
