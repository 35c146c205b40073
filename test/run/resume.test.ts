import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as AiError from "effect/ai/AiError"
import { forkRecords } from "../../src/domain/history/JournalParts.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import type { UncertainAnswer } from "../../src/domain/permissions/Answer.ts"
import { Approver, stopAtUncertain } from "../../src/services/approvals/Approver.ts"
import { layerCallback } from "../../src/app/callbackApprover.ts"
import { definePlugin, tool } from "../../src/services/tools/Plugin.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { willingApprover } from "../support/ScriptedApprover.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const taskOf = ({ user }: FilledPrompt): string =>
  /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""
const stageOf = (prompt: FilledPrompt): string => stageName(prompt)

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

const willing = willingApprover()

describe("a run that goes on", () => {
  nodeTest("does nothing again that had finished, and asks again for what was declined", () =>
    Effect.gen(function* () {
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
      const keys = records.flatMap((record) => ("key" in record ? [`${record.type} ${record.key.split("#")[0]}`] : []))
      const write = "round-1/tool/write-1/change-1"
      expect(keys.indexOf(`intent ${write}`)).toBeLessThan(keys.indexOf(`outcome ${write}`))
      expect(keys.filter((key) => key.startsWith("intent"))).toEqual([`intent ${write}`])
      expect(keys.indexOf("prompt plan/attempt-1")).toBeLessThan(keys.indexOf("outcome plan/attempt-1"))
      expect(records[0]).toMatchObject({ type: "opened", version: 1, order: { prompt: "Do it." } })
    })
  )
})

/** Denies everything, and decides in this way about calls in doubt. */
const decidingOnly = (answer: UncertainAnswer) => layerCallback({ arbitrate: () => answer })

describe("a call in doubt", () => {
  const sendPlan = planOf([[{ name: "Send 1", skill: "free" }], [{ name: "Look 2" }]])
  const sending = (prompt: FilledPrompt): string => {
    if (stageOf(prompt) === "creation") return sendPlan
    return stageOf(prompt) === "refinement" && taskOf(prompt) === "Send 1"
      ? refinementWith([{ name: "send", arguments: {} }])
      : obedient(prompt)
  }

  /** A tool that does its work and then never ends, or ends as it should. */
  const makeSender = Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    let count = 0
    const plugin = (hangs: boolean) =>
      definePlugin({
        name: "sender",
        tools: Effect.succeed({
          send: tool({
            description: "Sends.",
            parameters: Schema.Struct({ to: Schema.optionalKey(Schema.String) }),
            risk: "safe",
            effect: "once",
            execute: () =>
              Effect.gen(function* () {
                count += 1
                yield* Deferred.succeed(begun, undefined)
                return hangs ? yield* Effect.never : "sent"
              })
          })
        })
      })
    return { begun: Deferred.await(begun), count: () => count, plugin }
  })

  /** A run that broke off while the tool was at work, and the session after it. */
  const goOn = Effect.fnUntraced(function* (answer?: UncertainAnswer) {
    const sender = yield* makeSender
    const run = yield* makeKeptRun({ prompt: "Send it." })
    yield* run.session({ answer: sending, plugins: [sender.plugin(true)], until: sender.begun })
    const second = yield* run.session({
      answer: sending,
      plugins: [sender.plugin(false)],
      ...(answer === undefined ? {} : { approver: decidingOnly(answer) })
    })
    return { sender, second, run }
  })

  nodeTest("parks the run when nobody can decide, and is asked about when it goes on", () =>
    Effect.gen(function* () {
      const { run, second, sender } = yield* goOn()
      expect([sender.count(), second.report?.status]).toEqual([1, "not_permitted"])
      expect(second.report?.message).toContain("was begun before the run broke off")
      /* Nothing of another task was begun, and nobody was asked what is left to do. */
      const later = second.sent.filter((key) => !/turn|send-1/.test(key))
      expect([second.called, later, second.report?.answer]).toEqual([[], [], ""])
      const third = yield* run.session({
        answer: sending,
        plugins: [sender.plugin(false)],
        approver: decidingOnly("again")
      })
      expect([sender.count(), third.report?.status]).toEqual([2, "done"])
    })
  )

  nodeTest("is taken as done when the user says so", () =>
    Effect.gen(function* () {
      const { second, sender } = yield* goOn("done")
      expect([sender.count(), second.report?.status]).toEqual([1, "done"])
      expect(second.report?.results[0]?.calls[0]?.result.data).toEqual({
        note: "This call was carried out before the run was interrupted; its output is not known.",
        files: "What it wrote may be missing: look before you rely on it.",
        targets: []
      })
    })
  )

  /** Sends to an address with a secret, which is another one each time. */
  const sendingSecret = (letter: string) => (prompt: FilledPrompt) =>
    stageOf(prompt) === "refinement" && taskOf(prompt) === "Send 1"
      ? refinementWith([{ name: "send", arguments: { to: `ghp_${letter.repeat(36)}` } }])
      : sending(prompt)

  const withheld = {
    note: "This call was not made. The run was interrupted, and an answer of yours before that had made another call in its place:",
    carried_out: ["send", { to: "[redacted]" }]
  }

  for (const [answer, times, status] of [
    [undefined, 1, "not_permitted"],
    ["done", 1, "done"],
    ["again", 2, "done"]
  ] as const) {
    nodeTest(
      `whose answer held a secret is asked about (${answer ?? "nobody is there"}), whatever the model answers now`,
      () =>
        Effect.gen(function* () {
          const sender = yield* makeSender
          const run = yield* makeKeptRun({ prompt: "Send it." })
          yield* run.session({ answer: sendingSecret("a"), plugins: [sender.plugin(true)], until: sender.begun })
          const second = yield* run.session({
            answer: sendingSecret("b"),
            plugins: [sender.plugin(false)],
            ...(answer === undefined ? {} : { approver: decidingOnly(answer) })
          })
          expect([sender.count(), second.report?.status]).toEqual([times, status])
          if (answer !== "done") return
          const data = second.report?.results[0]?.calls[0]?.result.data
          expect(data).toEqual({ ...withheld, outcome: "It is not known." })
        })
    )
  }

  nodeTest("is not made again in other words when it has ended and its answer held a secret", () =>
    Effect.gen(function* () {
      const sender = yield* makeSender
      const run = yield* makeKeptRun({ prompt: "Send it." })
      const left = yield* Deferred.make<void>()
      const answer = sendingSecret("a")
      yield* run.session({
        answer: (prompt) => {
          if (stageOf(prompt) !== "execution") return answer(prompt)
          Deferred.doneUnsafe(left, Effect.void)
          return unreachable
        },
        plugins: [sender.plugin(false)],
        until: Deferred.await(left)
      })
      const second = yield* run.session({ answer: sendingSecret("b"), plugins: [sender.plugin(false)] })
      expect([sender.count(), second.report?.status]).toEqual([1, "done"])
      expect(second.report?.results[0]?.calls[0]?.result.data).toMatchObject({ ...withheld, outcome: { data: "sent" } })
    })
  )

  nodeTest("ends the run as not permitted when the user stops it", () =>
    Effect.gen(function* () {
      const { second, sender } = yield* goOn("stop")
      expect([sender.count(), second.report?.status]).toEqual([1, "not_permitted"])
    })
  )
})

const reading = (prompt: FilledPrompt): string => {
  if (stageOf(prompt) === "creation") return planOf([[{ name: "Read 1" }, { name: "Look 2" }]])
  if (stageOf(prompt) === "refinement" && taskOf(prompt) === "Read 1") {
    return refinementWith([{ name: "read_file", arguments: { path: ".task-conductor/skills/any/SKILL.md" } }])
  }
  return obedient(prompt)
}

const isLast = (prompt: FilledPrompt): boolean => stageOf(prompt) === "iteration"

/** Approves everything and counts how often it was asked. */
const makeCounting = () => {
  let asked = 0
  const layer = Layer.succeed(Approver)(
    Approver.of({
      step: () => Effect.sync(() => ((asked += 1), { answer: "step" as const, by: "person" as const })),
      call: () => Effect.sync(() => ((asked += 1), { answer: "once" as const, by: "person" as const })),
      inDoubt: () => stopAtUncertain
    })
  )
  return { layer, asked: () => asked }
}

describe("an approval", () => {
  nodeTest("counts for the rest of the run, also when it goes on in another process", () =>
    Effect.gen(function* () {
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
  )

  nodeTest("of one call does not count for the same call in a later round", () =>
    Effect.gen(function* () {
      const run = yield* makeKeptRun({ prompt: "Read it." })
      const before = makeCounting()
      yield* run.session({
        answer: (prompt) => {
          if (stageOf(prompt) === "iteration") return unreachable
          return stageOf(prompt) === "execution" && taskOf(prompt) === "Read 1" ? "No result." : reading(prompt)
        },
        approver: before.layer
      })
      const after = makeCounting()
      let iterations = 0
      const second = yield* run.session({
        answer: (prompt) => {
          if (stageOf(prompt) !== "iteration") return reading(prompt)
          iterations += 1
          return planOf(iterations === 1 ? [[{ name: "Read 1" }]] : [])
        },
        approver: after.layer
      })
      expect([before.asked(), after.asked(), second.report?.status]).toEqual([1, 1, "done"])
    })
  )
})

describe("a call that was denied", () => {
  nodeTest("is asked about again when the run goes on, and its task is done anew", () =>
    Effect.gen(function* () {
      const run = yield* makeKeptRun({ prompt: "Read it." })
      const first = yield* run.session({ answer: reading })
      expect(first.report?.status).toBe("not_permitted")
      const second = yield* run.session({ answer: reading, approver: willing })
      expect(second.kept).toEqual(["Look 2"])
      expect(second.called).toEqual(["Read 1/turn-1/call-1"])
      expect(second.report?.status).toBe("done")
    })
  )
})

describe("a fork", () => {
  nodeTest("keeps what had finished before the task and does the rest anew", () =>
    Effect.gen(function* () {
      const run = yield* makeKeptRun({ prompt: "Do it." })
      yield* run.session({ answer: obedient, approver: willing })
      const begin = forkRecords(yield* run.records, "write 1")
      const forked = yield* run.fork(begin ?? [], {
        answer: (prompt) => (stageOf(prompt) === "execution" ? resultSaying("Anew.") : obedient(prompt)),
        approver: willing
      })
      expect(forked.kept).toEqual(["Look 1", "Look 2"])
      expect(forked.sent).toEqual([
        "round-1/turn/write-1/attempt-1",
        "round-1/turn/write-1/attempt-2",
        "round-1/iterate/attempt-1",
        "round-1/conclude/attempt-1"
      ])
      expect(forked.report?.results.at(-1)?.result.summary).toBe("Anew.")
    })
  )

  nodeTest("is not possible from a task that the run does not have", () =>
    Effect.gen(function* () {
      const run = yield* makeKeptRun({ prompt: "Do it." })
      yield* run.session({ answer: obedient, approver: willing })
      expect(forkRecords(yield* run.records, "Other 1")).toBeUndefined()
    })
  )
})

describe("a secret", () => {
  nodeTest("is not kept, and a call from which it was taken is made anew", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const content = `key=the-s3cret-value token=ghp_${"a1".repeat(18)}\n`
      const writing = (prompt: FilledPrompt): string =>
        stageOf(prompt) === "refinement" && taskOf(prompt) === "Write 1"
          ? refinementWith([{ name: "write_file", arguments: { path: "a.txt", content } }])
          : obedient(prompt)
      const run = yield* makeKeptRun({ prompt: "Keep the-s3cret-value." })
      yield* run.session({ answer: writing })
      const second = yield* run.session({ answer: writing, approver: willing })
      expect(second.sent).toContain("round-1/turn/write-1/attempt-1")
      expect(second.report?.status).toBe("done")
      expect(yield* fs.readFileString(`${run.project}/a.txt`)).toBe(content)
      const journal = yield* fs.readFileString(run.file)
      expect([journal.includes("s3cret"), journal.includes("ghp_a1"), journal.includes("[redacted]")]).toEqual([
        false,
        false,
        true
      ])
    })
  )
})
