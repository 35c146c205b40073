import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { beforeRunTask } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { Answered, CallAnswer, StepAnswer } from "../../../src/domain/permissions/Answer.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { layerRecordedAnswers } from "../../../src/services/journal/RecordedAnswers.ts"
import { layerJournal, makeJournal, writtenTo } from "../../support/JournalSession.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const item = (task: string, tool = "write_file") => ({ task, tool, risk: "medium" as const, targets: ["a.md"] })

const askBoth = (approver: Approver["Service"]) =>
  Effect.all([approver.step("Step 1", [], "1"), approver.call(item("Write"), "2")])

/** A person who answers so, on a journal on the disk, and what they were asked. */
const makePerson = Effect.fnUntraced(function* (says: { step?: Answered<StepAnswer>; call?: Answered<CallAnswer> }) {
  const file = yield* makeJournal
  const asked: Array<string> = []
  const person = Layer.succeed(Approver)(
    Approver.of({
      step: (title) => Effect.sync(() => (asked.push(title), says.step ?? { answer: "step", by: "person" })),
      call: ({ task }) => Effect.sync(() => (asked.push(task), says.call ?? { answer: "once", by: "person" })),
      inDoubt: ({ task }) => Effect.sync(() => (asked.push(task), { answer: "again", by: "person" }))
    })
  )
  const inSession = <A, E>(ask: (approver: Approver["Service"]) => Effect.Effect<A, E>) =>
    Effect.provide(Approver.use(ask), Layer.fresh(Layer.provide(layerRecordedAnswers(person), layerJournal(file))))
  return { asked, file, inSession }
})

describe("answers of people", () => {
  nodeTest("are on the disk, and count in later sessions", function* () {
    const { asked, file, inSession } = yield* makePerson({})
    const first = yield* inSession(askBoth)
    expect(yield* inSession(askBoth)).toEqual(first)
    expect(asked).toEqual(["Step 1", "Write"])
    expect(yield* writtenTo(file)).toEqual([
      { type: "answer", key: "question/1", value: { answer: "step", by: "person" } },
      { type: "answer", key: "question/2", value: { answer: "once", by: "person" } }
    ])
  })

  nodeTest("are asked for again when they refuse without a requested change, or when nobody gave them", function* () {
    for (const call of [
      { answer: "deny", by: "person" },
      { answer: "once", by: "rule" }
    ] as const) {
      const { asked, file, inSession } = yield* makePerson({ call })
      for (const _ of [1, 2]) yield* inSession((approver) => approver.call(item("Write"), "1"))
      expect(asked).toEqual(["Write", "Write"])
      expect(yield* writtenTo(file)).toEqual([])
    }
    const { asked, inSession } = yield* makePerson({ call: { answer: "deny", by: "person", instead: "In b.md." } })
    for (const _ of [1, 2]) yield* inSession((approver) => approver.call(item("Write"), "1"))
    expect(asked).toEqual(["Write"])
  })

  nodeTest("about calls in doubt and plugins are asked for each time; about given files they count", function* () {
    const { asked, inSession } = yield* makePerson({})
    for (const _ of [1, 2]) {
      yield* inSession((approver) => approver.inDoubt(item("Doubt"), "1"))
      yield* inSession((approver) => approver.call(item(beforeRunTask, "load_plugin"), "2"))
    }
    expect(asked).toEqual(["Doubt", beforeRunTask, "Doubt", beforeRunTask])
    for (const _ of [1, 2]) yield* inSession((approver) => approver.call(item(beforeRunTask, "read_file"), "3"))
    expect(asked).toHaveLength(5)
  })
})
