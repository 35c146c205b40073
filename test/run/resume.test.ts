import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { forkRecords } from "../../src/domain/history/JournalParts.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { resultSaying } from "../support/TestRun.ts"
import { stageOf, obedient, unreachable, willing, reading, makeCounting } from "../support/ResumedRun.ts"

describe("a run that goes on", () => {
  nodeTest("does nothing again that had finished, and asks again for what was declined", function* () {
    const fs = yield* FileSystem.FileSystem
    const run = yield* makeKeptRun({ prompt: "Do it." })
    const first = yield* run.session({ answer: obedient })
    expect([first.report?.status, first.report?.results.length]).toEqual(["not_permitted", 2])
    const second = yield* run.session({ answer: obedient, approver: willing })
    expect(second.kept).toEqual(["Look 1", "Look 2"])
    expect(second.sent).toEqual(["round-1/iterate/attempt-1", "round-1/conclude/attempt-1"])
    expect(second.called).toEqual(["Write 1/change-1"])
    expect([second.report?.status, second.report?.answer]).toEqual(["done", "All is done."])
    expect(second.report?.results.map(({ name }) => name)).toEqual(["Look 1", "Look 2", "Write 1"])
    expect(yield* fs.readFileString(`${run.project}/a.txt`)).toBe("new\n")
  })

  nodeTest("gives the same report again, without a model, when it was done", function* () {
    const run = yield* makeKeptRun({ prompt: "Do it." })
    const first = yield* run.session({ answer: obedient, approver: willing })
    const second = yield* run.session({ answer: () => unreachable })
    expect([second.sent, second.called]).toEqual([[], []])
    const { usage: _first, ...expected } = first.report!
    const { usage: _second, ...again } = second.report!
    expect(again).toEqual(expected)
  })

  nodeTest("keeps what was sent and answered, and each intent before its outcome", function* () {
    const run = yield* makeKeptRun({ prompt: "Do it." })
    yield* run.session({ answer: obedient, approver: willing })
    const keys = yield* run.keys
    const write = "round-1/tool/write-1/change-1"
    expect(keys.indexOf(`intent ${write}`)).toBeLessThan(keys.indexOf(`outcome ${write}`))
    expect(keys.filter((key) => key.startsWith("intent"))).toEqual([`intent ${write}`])
    expect(keys.indexOf("prompt plan/attempt-1")).toBeLessThan(keys.indexOf("outcome plan/attempt-1"))
    expect((yield* run.records)[0]).toMatchObject({ type: "opened", version: 1, order: { prompt: "Do it." } })
  })
})

const isLast = (prompt: FilledPrompt): boolean => stageOf(prompt) === "iteration"

describe("an approval", () => {
  nodeTest("counts for the rest of the run, also when it goes on in another process", function* () {
    const run = yield* makeKeptRun({ prompt: "Do it." })
    const hanging = yield* Deferred.make<void>()
    const before = makeCounting()
    yield* run.session({
      answer: (prompt) => {
        if (!isLast(prompt)) return obedient(prompt)
        Deferred.doneUnsafe(hanging, Effect.void)
        return unreachable
      },
      approver: before.layer,
      until: Deferred.await(hanging)
    })
    expect(before.asked()).toBe(1)
    const after = makeCounting()
    const second = yield* run.session({ answer: obedient, approver: after.layer })
    expect([after.asked(), second.report?.status]).toEqual([0, "done"])
  })
})

describe("a call that was denied", () => {
  nodeTest("is asked about again when the run goes on, and its task is done anew", function* () {
    const run = yield* makeKeptRun({ prompt: "Read it." })
    const first = yield* run.session({ answer: reading })
    expect(first.report?.status).toBe("not_permitted")
    const second = yield* run.session({ answer: reading, approver: willing })
    expect(second.kept).toEqual(["Look 2"])
    expect(second.called).toEqual(["Read 1/turn-1/call-1"])
    expect(second.report?.status).toBe("done")
  })
})

describe("a fork", () => {
  nodeTest("keeps what had finished before the task and does the rest anew", function* () {
    const run = yield* makeKeptRun({ prompt: "Do it." })
    yield* run.session({ answer: obedient, approver: willing })
    const begin = forkRecords(yield* run.records, "write 1")
    const forked = yield* run.fork(begin ?? [], {
      answer: (prompt) => (stageOf(prompt) === "execution" ? resultSaying("Anew.") : obedient(prompt)),
      approver: willing
    })
    expect(forkRecords(yield* run.records, "Other 1")).toBeUndefined()
    expect(forked.kept).toEqual(["Look 1", "Look 2"])
    expect(forked.sent).toEqual([
      "round-1/turn/write-1/attempt-1",
      "round-1/turn/write-1/attempt-2",
      "round-1/iterate/attempt-1",
      "round-1/conclude/attempt-1"
    ])
    expect(forked.report?.results.at(-1)?.result.summary).toBe("Anew.")
  })
})
