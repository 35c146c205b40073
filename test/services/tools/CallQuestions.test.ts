/** Questions of a tool while its call runs: who decides, what is shown, what stands still meanwhile, and how they end. */
import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import type { EffectClass } from "../../../src/domain/tools/Access.ts"
import type { Answered, CallAnswer, UncertainAnswer } from "../../../src/domain/permissions/Answer.ts"
import { parseRule, type Verdict } from "../../../src/domain/permissions/Permission.ts"
import { Approver, denyAll } from "../../../src/services/approvals/Approver.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { layerRecordedAnswers } from "../../../src/services/journal/RecordedAnswers.ts"
import { noteSecret } from "../../../src/services/runs/KnownSecrets.ts"
import type { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import type { CallContext } from "../../../src/services/tools/CallContext.ts"
import { type CallQuestion, CallQuestions, type HostServices } from "../../../src/services/tools/HostServices.ts"
import { definePlugin, type Plugin } from "../../../src/services/tools/Plugin.ts"
import type { EventLog } from "../../support/EventLog.ts"
import { layerJournal, makeJournal } from "../../support/JournalSession.ts"
import { acting } from "../../support/actingPlugin.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"
import { passTime } from "../../support/passTime.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { liveTest } from "../../support/liveTest.ts"

const comment: CallQuestion = { does: "comment on issue 12", target: "issue:12", details: "It rains.\nFor days." }

type Act = (call: CallContext) => Promise<Schema.Json> | Effect.Effect<Schema.Json, ToolFailure, HostServices>

const asking = (act: Act, effect: EffectClass = "once") => acting((_, call) => act(call), { name: "post", effect })

/** A tool that asks once, and then notes that it acted. */
const posting = (question: CallQuestion = comment, effect?: EffectClass) => {
  const posted: Array<string> = []
  const plugin = asking(async ({ ask }) => {
    await ask(question)
    posted.push(question.does)
    return "posted"
  }, effect)
  return { plugin, posted }
}

const parsed = (verdict: Verdict, text: string) => Result.getOrThrow(parseRule(verdict, text))

const untilEvent = (log: EventLog["Service"], type: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!log.events().some((event) => event.type === type)) await new Promise((resolve) => setTimeout(resolve, 5))
  })

const untilAsked = (log: EventLog["Service"]) => untilEvent(log, "approval.requested")

describe("a question of a tool", () => {
  liveTest("shows what it is about and whose it is, and the call goes on after a yes", function* () {
    const approver = scriptedApprover({ calls: ["once"] })
    const { plugin, posted } = posting()
    const { log, run } = yield* openTools({ plugins: [plugin], approver: approver.layer })
    assert.strictEqual((yield* run("post")).data, "posted")
    assert.deepStrictEqual(posted, ["comment on issue 12"])
    const [item] = approver.asked.flat()
    assert.deepInclude(item, { tool: "post", risk: "high", targets: ["issue:12"], details: ["It rains.", "For days."] })
    assert.match(item?.origin ?? "", /^acting/)
    assert.include(item?.words?.does, "comment on issue 12")
    assert.deepStrictEqual(
      log.events().map(({ type }) => type),
      ["tool.started", "approval.requested", "approval.answered", "tool.finished"]
    )
  })

  liveTest("ends the call after a no, and the task after the third one", function* () {
    const { plugin, posted } = posting()
    const approver = scriptedApprover({ calls: ["deny", "deny", "deny"] })
    const { answers, run } = yield* openTools({ plugins: [plugin], approver: approver.layer })
    const { error_message, error_type } = yield* run("post")
    assert.strictEqual(error_type, "permission_denied")
    assert.strictEqual(error_message, "Permission denied: a person denied post on issue:12.")
    assert.deepStrictEqual(posted, [])
    assert.deepStrictEqual(
      (yield* answers.denials).map(({ by, tool: name }) => [name, by]),
      [["post", "person"]]
    )
    yield* run("post")
    assert.include((yield* Effect.flip(run("post"))).message, "3 times, so the task ends")
  })

  liveTest("is denied where nobody can be asked, with the flag that allows it", function* () {
    const { plugin, posted } = posting()
    const { answers, run } = yield* openTools({ plugins: [plugin], approver: Approver.layerDenyAll })
    assert.strictEqual((yield* run("post")).error_type, "permission_denied")
    assert.deepStrictEqual(posted, [])
    const [denied] = yield* answers.denials
    assert.include(denied?.message, 'Use --allow "post:issue:12"')
  })

  liveTest.each([
    ["post:issue:*", "read_file", "posted"],
    ["post", "read_file", "posted"],
    ["post:issue:13", "read_file", null],
    ["post", "post:issue:12", null]
  ] as const)("is decided by rules for the tool and the target: allow %s, deny %s", function* ([allow, deny, data]) {
    const rules = [parsed("allow", allow), parsed("deny", deny)]
    const { run } = yield* openTools({ plugins: [posting().plugin], approver: Approver.layerDenyAll, rules })
    assert.strictEqual((yield* run("post")).data, data)
  })

  liveTest("is allowed by a yes that was given beforehand, and denied in a run that only reads", function* () {
    const plugins = [posting(comment, "pure").plugin]
    const yes = yield* openTools({ plugins, approver: Approver.layerYes(Approver.layerDenyAll) })
    assert.strictEqual((yield* yes.run("post")).data, "posted")
    const reading = yield* openTools({ plugins, readOnly: true })
    assert.strictEqual((yield* reading.run("post")).error_type, "permission_denied")
  })

  liveTest("is asked once when the answer holds for the session, and again about another text", function* () {
    let details = "one"
    const approver = scriptedApprover({ calls: ["session", "once"] })
    const plugin = asking(async ({ ask }) => {
      await ask({ ...comment, details })
      return "posted"
    })
    const { run } = yield* openTools({ plugins: [plugin], approver: approver.layer })
    yield* run("post")
    yield* run("post")
    assert.lengthOf(approver.asked, 1)
    details = "two"
    yield* run("post")
    assert.lengthOf(approver.asked, 2)
  })

  liveTest("has its words as the target when it names none, and shows no secret of its plugin", function* () {
    noteSecret("key-of-a-plugin-in-a-question")
    const approver = scriptedApprover({ calls: ["once"] })
    const { plugin } = posting({ does: "send the report", details: "key-of-a-plugin-in-a-question" })
    const { run } = yield* openTools({ plugins: [plugin], approver: approver.layer })
    yield* run("post")
    assert.deepInclude(approver.asked.flat()[0], { targets: ["send the report"], details: ["[redacted]"] })
  })

  liveTest.each([
    [{ does: "two\nlines" }, "The target and the words of an access must be one line each."],
    [
      { does: "post", details: "x".repeat(20_001) },
      "The details of an access have 20001 characters, 20000 are allowed."
    ],
    [{} as CallQuestion, "A tool asked in an invalid form."]
  ] as const)("that cannot be shown is a fault of the tool: %#", function* ([question, message]) {
    const { run } = yield* openTools({ plugins: [posting(question).plugin] })
    const { error_message, error_type } = yield* run("post")
    assert.strictEqual(error_type, "internal_error")
    assert.strictEqual(error_message, `${message} This is a fault of the tool.`)
  })

  liveTest("is asked by a tool that is an effect", function* () {
    const plugin = asking(() => CallQuestions.use(({ ask }) => Effect.as(ask(comment), "posted")))
    const approver = scriptedApprover({ calls: ["once", "deny"] })
    const { run } = yield* openTools({ plugins: [plugin], approver: approver.layer })
    assert.strictEqual((yield* run("post")).data, "posted")
    assert.strictEqual((yield* run("post")).error_type, "permission_denied")
  })

  liveTest("is not asked while a plugin loads", function* () {
    const plugin = definePlugin({
      name: "loading",
      tools: Effect.as(
        CallQuestions.use(({ ask }) => ask(comment)),
        {}
      )
    })
    const { registry } = yield* openTools({ plugins: [plugin] })
    assert.include(registry.problems[0]?.message, "a plugin asks nothing while it loads")
  })
})

describe("while a question waits", () => {
  nodeTest("the time of the call stands still, and goes on after the answer", function* () {
    const answered = yield* Deferred.make<void>()
    const plugin = asking(async ({ ask }) => {
      await ask(comment)
      return new Promise(() => undefined)
    })
    const { log, run } = yield* openTools({
      plugins: [plugin],
      approver: scriptedApprover({ calls: ["once"] }, Deferred.await(answered)).layer,
      limits: { toolSeconds: 20 }
    })
    const running = yield* Effect.forkChild(run("post"))
    yield* untilAsked(log)
    yield* TestClock.adjust("1 hour")
    assert.isFalse(log.events().some(({ type }) => type === "tool.running"))
    yield* Deferred.succeed(answered, undefined)
    yield* untilEvent(log, "approval.answered")
    const { error_type, metadata } = yield* passTime(Fiber.join(running), "1 second")
    assert.strictEqual(error_type, "timeout")
    /* The tool does not end, which is waited for as well. */
    assert.isBelow(metadata.execution_time_ms, 30_000)
  })

  liveTest("a call that does not wait for it ends, and the question with it", function* () {
    const withdrawn = yield* Deferred.make<void>()
    const approver = Layer.succeed(Approver)({
      ...denyAll,
      call: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(withdrawn, undefined))
    })
    const plugin = asking(async ({ ask }) => {
      void ask(comment)
      await new Promise((resolve) => setTimeout(resolve, 50))
      return "careless"
    })
    const { run } = yield* openTools({ plugins: [plugin], approver })
    assert.strictEqual((yield* run("post")).data, "careless")
    yield* Effect.timeout(Deferred.await(withdrawn), "5 minutes")
  })
})

const yes = () => Effect.succeed({ answer: "once", by: "person" } as const)

describe("a run that broke off", () => {
  /** One session of a run: what was asked in it, and how the call ended, if it did. */
  const session = Effect.fnUntraced(function* (
    file: string,
    plugin: Plugin,
    answer: () => Effect.Effect<Answered<CallAnswer>>,
    inDoubt: UncertainAnswer = "stop"
  ) {
    const asked: Array<string> = []
    const person = Layer.succeed(Approver)({
      ...denyAll,
      call: ({ details = [], tool: name }) =>
        Effect.suspend(() => {
          asked.push([name, ...details].join(" "))
          return answer()
        }),
      inDoubt: () =>
        Effect.sync(() => {
          asked.push("in doubt")
          return { answer: inDoubt, by: "person" } as const
        })
    })
    const kept = yield* Layer.build(
      Layer.fresh(Layer.provideMerge(Layer.merge(Activities.layer, layerRecordedAnswers(person)), layerJournal(file)))
    )
    const { log, run } = yield* openTools({
      plugins: [plugin],
      approver: Layer.succeed(Approver)(Context.get(kept, Approver)),
      activities: Layer.succeed(Activities)(Context.get(kept, Activities)),
      journal: Layer.succeed(Journal)(Context.get(kept, Journal))
    })
    return { asked, log, run: run("post") }
  })

  /** Has the run killed while the question of this number waits. */
  const killAt = (file: string, plugin: Plugin, number: number) =>
    Effect.scoped(
      Effect.gen(function* () {
        const waiting = yield* Deferred.make<void>()
        let questions = 0
        const { run } = yield* session(file, plugin, () =>
          ++questions < number ? yes() : Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never)
        )
        const running = yield* Effect.forkChild(run)
        yield* Deferred.await(waiting)
        yield* Fiber.interrupt(running)
      })
    )

  liveTest("while a question waited does not make the call again by itself", function* () {
    const file = yield* makeJournal
    const { plugin, posted } = posting()
    yield* killAt(file, plugin, 1)
    const stopped = yield* session(file, plugin, yes)
    assert.strictEqual((yield* stopped.run).error_type, "permission_denied")
    assert.deepStrictEqual([stopped.asked, posted], [["in doubt"], []])
    const again = yield* session(file, plugin, yes, "again")
    assert.strictEqual((yield* again.run).data, "posted")
    assert.deepStrictEqual(again.asked, ["in doubt", "post It rains. For days."])
    assert.deepStrictEqual(posted, ["comment on issue 12"])
  })

  liveTest("asks the same thing once for each time that the tool asks it", function* () {
    const file = yield* makeJournal
    const posted: Array<number> = []
    const plugin = asking(async ({ ask }) => {
      for (const number of [1, 2]) {
        await ask({ does: "post a line", target: "lines" })
        posted.push(number)
      }
      return "posted"
    }, "pure")
    yield* killAt(file, plugin, 2)
    assert.deepStrictEqual(posted, [1])
    const { asked, run } = yield* session(file, plugin, yes)
    assert.strictEqual((yield* run).data, "posted")
    assert.deepStrictEqual(asked, ["post"])
  })
})
