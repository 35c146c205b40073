/** Calls in doubt, secrets and models that come back, in runs that go on. */
import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import type { UncertainAnswer } from "../../src/domain/permissions/Answer.ts"
import { layerCallback } from "../../src/app/callbackApprover.ts"
import { definePlugin, tool } from "../../src/services/tools/Plugin.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { planOf, refinementWith } from "../support/TestRun.ts"
import { taskOf, stageOf, obedient, unreachable, willing, reading, makeCounting } from "../support/ResumedRun.ts"

/** Denies everything, and decides in this way about calls in doubt. */
const decidingOnly = (answer: UncertainAnswer) => layerCallback({ arbitrate: () => answer })

const withAnswer = (answer?: UncertainAnswer) => (answer === undefined ? {} : { approver: decidingOnly(answer) })

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
  const goOn = Effect.fnUntraced(function* (answer?: UncertainAnswer, before = sending, after = before) {
    const sender = yield* makeSender
    const run = yield* makeKeptRun({ prompt: "Send it." })
    yield* run.session({ answer: before, plugins: [sender.plugin(true)], until: sender.begun })
    const second = yield* run.session({ answer: after, plugins: [sender.plugin(false)], ...withAnswer(answer) })
    const data = second.report?.results[0]?.calls[0]?.result.data
    return { sender, second, run, data, end: [sender.count(), second.report?.status] }
  })

  nodeTest("parks the run when nobody can decide, and is asked about when it goes on", function* () {
    const { end, run, second, sender } = yield* goOn()
    expect(end).toEqual([1, "not_permitted"])
    expect(second.report?.message).toContain("was begun before the run broke off")
    /* Nothing of another task was begun, and nobody was asked what is left to do. */
    const later = second.sent.filter((key) => !/turn|send-1/.test(key))
    expect([second.called, later, second.report?.answer]).toEqual([[], [], ""])
    const third = yield* run.session({ answer: sending, plugins: [sender.plugin(false)], ...withAnswer("again") })
    expect([sender.count(), third.report?.status]).toEqual([2, "done"])
  })

  nodeTest("is taken as done when the user says so, and ends the run when the user stops it", function* () {
    const done = yield* goOn("done")
    expect(done.end).toEqual([1, "done"])
    expect(done.data).toEqual({
      note: "This call was carried out before the run was interrupted; its output is not known.",
      files: "What it wrote may be missing: look before you rely on it.",
      targets: []
    })
    expect((yield* goOn("stop")).end).toEqual([1, "not_permitted"])
  })

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
      function* () {
        const { data, end } = yield* goOn(answer, sendingSecret("a"), sendingSecret("b"))
        expect(end).toEqual([times, status])
        if (answer === "done") expect(data).toEqual({ ...withheld, outcome: "It is not known." })
      }
    )
  }

  nodeTest("is not made again in other words when it has ended and its answer held a secret", function* () {
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
})

describe("an approval", () => {
  nodeTest("of one call does not count for the same call in a later round", function* () {
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
})

describe("a secret", () => {
  nodeTest("is not kept, and a call from which it was taken is made anew", function* () {
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
    expect(journal).not.toMatch(/s3cret|ghp_a1/)
    expect(journal).toContain("[redacted]")
  })
})
