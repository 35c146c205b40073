import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as AiError from "effect/ai/AiError"
import type { FilledPrompt } from "../../src/domain/PromptTemplate.ts"
import { Approver } from "../../src/services/Approver.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const taskOf = ({ user }: FilledPrompt): string =>
  /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
const stageOf = ({ system }: FilledPrompt): string => /^# Stage: (\w+)$/m.exec(system)?.[1] ?? ""

const plan = planOf([
  [{ name: "Look 1" }, { name: "Look 2" }],
  [{ name: "Write 1", references: "[a](#look-1-results)" }]
])

const calls: Readonly<Record<string, string>> = {
  "Write 1": refinementWith([{ name: "write_file", arguments: { path: "a.txt", content: "new\n" } }])
}
const clock = refinementWith([{ name: "get_current_time", arguments: {} }])

/** A model that does the plan as it stands. */
const obedient = (prompt: FilledPrompt): string => {
  switch (stageOf(prompt)) {
    case "creation":
      return plan
    case "refinement":
      return calls[taskOf(prompt)] ?? clock
    case "execution":
      return resultSaying(`Result of ${taskOf(prompt)}.`)
    case "iteration":
      return planOf([])
    default:
      return "All is done."
  }
}

const unreachable = AiError.make({
  module: "test",
  method: "generateText",
  reason: new AiError.UnknownError({ description: "gone" })
})

const willing = Layer.succeed(Approver)(
  Approver.of({
    step: () => Effect.succeed({ answer: "step", by: "person" }),
    call: () => Effect.succeed({ answer: "once", by: "person" })
  })
)

describe("a run that goes on", () => {
  nodeTest("does nothing again that had finished, and asks again for what was declined", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const run = yield* makeKeptRun({ prompt: "Do it." })
      const first = yield* run.session({ answer: obedient })
      expect([first.report?.status, first.report?.results.length]).toEqual(["not_permitted", 2])
      const second = yield* run.session({ answer: obedient, approver: willing })
      expect(second.kept).toEqual(["Look 1", "Look 2"])
      expect(second.sent).toEqual([
        "round-1/execute/write-1/attempt-1",
        "round-1/iterate/attempt-1",
        "round-1/conclude/attempt-1"
      ])
      expect(second.called).toEqual(["Write 1/call-1"])
      expect([second.report?.status, second.report?.answer]).toEqual(["done", "All is done."])
      expect(second.report?.results.map(({ name }) => name)).toEqual(["Look 1", "Look 2", "Write 1"])
      expect(yield* fs.readFileString(`${run.project}/a.txt`)).toBe("new\n")
    })
  )

  nodeTest("gives the same report again, without a model, when it was done", () =>
    Effect.gen(function* () {
      const run = yield* makeKeptRun({ prompt: "Do it." })
      const first = yield* run.session({ answer: obedient, approver: willing })
      const second = yield* run.session({ answer: () => unreachable })
      expect(second.sent).toEqual([])
      expect(second.called).toEqual([])
      const { usage: _first, ...expected } = first.report!
      const { usage: _second, ...again } = second.report!
      expect(again).toEqual(expected)
    })
  )

  nodeTest("sends only the calls that had failed when the model comes back", () =>
    Effect.gen(function* () {
      const run = yield* makeKeptRun({ prompt: "Do it." })
      const first = yield* run.session({
        answer: (prompt) => (stageOf(prompt) === "iteration" ? unreachable : obedient(prompt)),
        approver: willing
      })
      expect(first.report?.status).not.toBe("done")
      const second = yield* run.session({ answer: obedient, approver: willing })
      expect(second.sent).toEqual(["round-1/iterate/attempt-1", "round-1/conclude/attempt-1"])
      expect([second.called, second.report?.status]).toEqual([[], "done"])
    })
  )

  nodeTest("keeps what was sent and answered, and each intent before its outcome", () =>
    Effect.gen(function* () {
      const run = yield* makeKeptRun({ prompt: "Do it." })
      yield* run.session({ answer: obedient, approver: willing })
      const records = yield* run.records
      const keys = records.flatMap((record) => ("key" in record ? [`${record.type} ${record.key}`] : []))
      const write = "round-1/tool/write-1/call-1"
      expect(keys.indexOf(`intent ${write}`)).toBeLessThan(keys.indexOf(`outcome ${write}`))
      expect(keys.filter((key) => key.startsWith("intent"))).toEqual([`intent ${write}`])
      expect(keys.indexOf("prompt plan/attempt-1")).toBeLessThan(keys.indexOf("outcome plan/attempt-1"))
      expect(records[0]).toMatchObject({ type: "opened", version: 1, order: { prompt: "Do it." } })
    })
  )
})
