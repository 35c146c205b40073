/**
 * How a report ends the turns of a task, or is sent back: while a check fails, when it says of checks what is not so, and beside
 * the last change. The checks are real commands on a real project.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { statusOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Commands } from "../../../src/services/commands/Commands.ts"
import type { EventLog } from "../../support/EventLog.ts"
import { layerOnCopy } from "../../support/OpenChecks.ts"
import { briefing, openStages, type OpenStages } from "../../support/OpenStages.ts"
import { makeFolder } from "../../support/Project.ts"
import { refinementWith, resultSaying } from "../../support/TestRun.ts"

const node = process.execPath

/** A check that names what fails as a runner of tests does. */
const named = `import { readFileSync } from "node:fs"
const [, rate] = /rateLimit = (\\d+)/.exec(readFileSync("config.mjs", "utf8"))
console.log(rate === "200" ? "ok 1 - rate limit" : "not ok 1 - rate limit")
console.log("ok 2 - other\\n# tests 2\\n# pass " + (rate === "200" ? 2 : 1))
process.exit(rate === "200" ? 0 : 1)
`
/** A check that only says that it is not content. */
const unnamed = `import { readFileSync } from "node:fs"
const [, rate] = /rateLimit = (\\d+)/.exec(readFileSync("config.mjs", "utf8"))
if (rate !== "200") { console.log("The limit is " + rate); process.exit(1) }
`
const files = {
  "config.mjs": "export const rateLimit = 100\n",
  "use.mjs": 'import { rateLimit } from "./config.mjs"\nexport const most = () => rateLimit\n',
  "named.mjs": named,
  "unnamed.mjs": unnamed,
  "keeps.mjs": named.replaceAll('"200"', '"100"'),
  "always.mjs": "process.exit(0)\n",
  "missing.mjs": 'import "not-installed"\n'
}
const block = (path: string, old: string, text: string): string =>
  `${path}\n<<<<<<< OLD\n${old}\n=======\n${text}\n>>>>>>> NEW\n`
const limit = (from: number, to: number): string =>
  block("config.mjs", `export const rateLimit = ${from}`, `export const rateLimit = ${to}`)

const open = (
  check: string,
  answers: NonNullable<OpenStages["answers"]>,
  { limits = {}, needed = "Set rateLimit to 200." }: { readonly limits?: object; readonly needed?: string } = {}
) =>
  Effect.gen(function* () {
    const commands = Commands.layer({
      environment: { PATH: process.env["PATH"] },
      home: yield* makeFolder,
      scratch: yield* makeFolder,
      hidden: [],
      sandbox: { mode: "off" }
    })
    const stages = yield* openStages({
      answers,
      files,
      commands: Layer.orDie(Layer.provide(layerOnCopy, commands)).pipe(Layer.provide(NodeServices.layer)),
      settings: { checks: [[node, check]], limits: { ...defaultLimits, ...limits } }
    })
    const task = plainTask("Edit 1", "edit-files", needed, "The change.")
    const work = stages.taskAgent.work({ briefing, task, round: 1, step: 0, finished: [] })
    return { ...stages, work }
  })

const rejectedIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "answer.rejected" ? [event.issues.map(({ code }) => code)] : []))

const plain = resultSaying("The limit is set.")
const claiming = resultSaying("The limit is set. The check passed.")

layer(NodeServices.layer, { excludeTestServices: true })("a report", (it) => {
  it.effect("is sent back twice while a check fails that passed before, and then taken", () =>
    Effect.gen(function* () {
      const { log, messages, work } = yield* open("keeps.mjs", [limit(100, 150), plain, plain, plain])
      const { checks = [], result } = yield* work
      expect(rejectedIn(log)).toEqual([["check-failed"], ["check-failed"]])
      expect([messages.length, result?.summary]).toEqual([4, "The limit is set."])
      expect(checks.map(statusOf)).toEqual(["failed"])
    })
  )

  it.effect("is sent back once for what fails as before, and then taken", () =>
    Effect.gen(function* () {
      const { log, messages, work } = yield* open("unnamed.mjs", [limit(100, 150), plain, plain])
      const { checks = [] } = yield* work
      expect([rejectedIn(log), messages.length]).toEqual([[["check-failed"]], 3])
      expect(messages[2]?.at(-1)).toContain("The limit is 150")
      expect(checks).toMatchObject([{ newFailures: [], passedBefore: false }])
      expect(checks.map(statusOf)).toEqual(["failed"])
    })
  )

  it.effect("is taken at once where a named failure was there before and something passes beside", () =>
    Effect.gen(function* () {
      const { log, work } = yield* open("named.mjs", [limit(100, 150), plain])
      const { checks = [] } = yield* work
      expect([rejectedIn(log), checks.map(statusOf)]).toEqual([[], ["nothing new fails"]])
    })
  )

  it.effect("is sent back for such a failure where the task asks for it to pass", () =>
    Effect.gen(function* () {
      const needed = "Make the failing tests pass."
      const { log, work } = yield* open("named.mjs", [limit(100, 150), plain, plain], { needed })
      const { checks = [] } = yield* work
      expect([rejectedIn(log), checks.map(statusOf)]).toEqual([[["check-failed"]], ["failed"]])
    })
  )

  it.effect("that says a check passed is sent back once where it fails", () =>
    Effect.gen(function* () {
      const { log, work } = yield* open("unnamed.mjs", [limit(100, 150), claiming, claiming])
      const { result } = yield* work
      expect(rejectedIn(log)).toEqual([["check-claimed"]])
      expect(result?.summary).toContain("The check passed.")
    })
  )

  it.effect("that says a check passed is sent back once where the check proves nothing", () =>
    Effect.gen(function* () {
      const { log, messages, work } = yield* open("missing.mjs", [limit(100, 200), claiming, claiming])
      const { checks = [] } = yield* work
      expect(rejectedIn(log)).toEqual([["check-claimed"]])
      expect(messages[1]?.at(-1)).toContain("not checked. It proves nothing about the changes.")
      expect(checks).toMatchObject([{ cause: "modules missing" }])
    })
  )

  it.effect("that says a check passed is taken at once where it did", () =>
    Effect.gen(function* () {
      const { log, work } = yield* open("unnamed.mjs", [limit(100, 200), claiming])
      const { checks = [] } = yield* work
      expect([rejectedIn(log), checks.map(statusOf)]).toEqual([[], ["passed"]])
    })
  )

  const renamed = block("config.mjs", "export const rateLimit = 100", "export const mostRequests = 100")
  const read = refinementWith([{ name: "read_file", arguments: { path: "config.mjs" } }])

  it.effect("beside a change is not taken before the places are shown that still use what it takes away", () =>
    Effect.gen(function* () {
      const { messages, work } = yield* open("always.mjs", [`${renamed}\n${plain}`, resultSaying("It is known.")])
      const { result } = yield* work
      expect(messages[1]?.at(-1)).toContain("## Still present")
      expect(result?.summary).toBe("It is known.")
    })
  )

  it.effect("beside a change is taken in the last answer, whatever is left", () =>
    Effect.gen(function* () {
      const { messages, work } = yield* open("always.mjs", [read, `${renamed}\n${plain}`], { limits: { turns: 2 } })
      const { calls, result } = yield* work
      expect([messages.length, result?.summary, calls.length]).toEqual([2, "The limit is set.", 1])
    })
  )
})
