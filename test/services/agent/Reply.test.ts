/** What the model is replied, and when the work ends without a report. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckOutcome } from "../../../src/domain/checks/CheckOutcome.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { AnswerCall } from "../../../src/domain/documents/CheckedCalls.ts"
import { noRetries } from "../../../src/domain/documents/Retries.ts"
import { parsedAnswer } from "../../../src/domain/documents/TurnAnswer.ts"
import { nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"
import { mostUselessAnswers } from "../../../src/domain/documents/UselessAnswers.ts"
import { plainAnswer } from "../../../src/domain/documents/UnusableAnswer.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { fromHost, messageText } from "../../../src/domain/models/ConversationMessage.ts"
import type { AgentHook } from "../../../src/services/agent/AgentHook.ts"
import { makeReply } from "../../../src/services/agent/Reply.ts"
import { getsLastAnswer, newSession, type Session } from "../../../src/services/agent/Session.ts"
import type { JudgedTurn } from "../../../src/services/agent/Turn.ts"
import { agentPrompt, nothingChecked, turnOf, workOf } from "../../support/AgentWork.ts"
import { openStages } from "../../support/OpenStages.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const verdict: JudgedTurn<string>["verdict"] = {
  accepted: Option.none(),
  issues: [],
  repairs: [],
  isSentBack: false,
  isUnfounded: false,
  isOpen: false
}
const wrong = makeIssue("answer-shape", {}, { what: "This is no answer." })
const shapeless = { ...verdict, issues: [wrong] }
const look = gave("read_file", { path: "a.ts" }, "text of a", "turn-2/call-1")
const native = { id: "1", name: "read_file", arguments: { path: "a.ts" } }
const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }
const possible: AnswerCall = { wanted: call, call, issues: [], repairs: [] }
const check: CheckOutcome = {
  command: "npm test",
  exitCode: 0,
  seconds: 1,
  text: "all checks pass",
  failures: [],
  newFailures: []
}

const judgedOf = (parts: Parameters<typeof turnOf>[0] = {}, more: Partial<JudgedTurn<string>> = {}) => {
  const session = { messages: [fromHost("Begin.")], ...parts.session }
  return { ...turnOf({ text: "An answer.", ...parts, session }), verdict, ...more }
}

/** A turn whose answer makes one call through the interface. */
const nativeTurn = (parts: Parameters<typeof turnOf>[0] = {}, more: Partial<JudgedTurn<string>> = {}) => {
  const answer = parsedAnswer({ ...plainAnswer(""), thinking: "", askedCalls: [native] }, nothingAsked, true)
  return judgedOf(
    { results: { outcomes: [look] }, ...parts },
    { answer, checked: { ...nothingChecked, calls: [possible] }, ...more }
  )
}

const replyTo = Effect.fnUntraced(function* (
  judged: JudgedTurn<string>,
  { attempts = defaultLimits.attempts, hooks = [] }: { attempts?: number; hooks?: ReadonlyArray<AgentHook> } = {}
) {
  const { compaction, log, within } = yield* openStages({ settings: { limits: { ...defaultLimits, attempts } } })
  const reply = yield* within(makeReply(hooks, compaction))
  const { end, session } = yield* reply(judged)
  const text = messageText(session.messages.at(-1) ?? fromHost(""))
  const events = log.events().filter(({ type }) => type === "answer.rejected")
  return { end: Option.getOrUndefined(end), events, session, text }
})

const triedWith = (retries: Partial<Session["retries"]>): Partial<Session> => ({
  retries: { ...noRetries, ...retries }
})

layer(NodeServices.layer)("the reply to an answer", (it) => {
  it.effect(
    "shows outputs, the issues with the answer, and what to do now; an answer without issues is not rejected",
    () =>
      Effect.gen(function* () {
        const shown = yield* replyTo(judgedOf({ results: { outcomes: [look] } }))
        assert.include(shown.text, "text of a")
        assert.include(shown.text, "Go on.")
        assert.notInclude(shown.text, "## Issues")
        assert.deepStrictEqual([shown.events, shown.session.issues, shown.end], [[], [], undefined])
        const rejected = yield* replyTo(judgedOf({}, { verdict: shapeless }))
        assert.include(rejected.text, "This is no answer.")
        assert.deepStrictEqual(rejected.session.issues, [wrong])
        const [event] = rejected.events
        assert.deepInclude(event, { answer: "An answer.", issues: [wrong], mostAttempts: defaultLimits.attempts })
        assert.deepInclude(event, { call: { stage: "task", round: 1, task: "Look", attempt: 2 } })
        const message = yield* replyTo(judgedOf({ work: workOf({ kind: "message" }) }, { verdict: shapeless }))
        assert.notProperty(message.events[0], "mostAttempts")
      })
  )

  it.effect("says how to correct a report that is sent back, in the words of the work", () =>
    Effect.gen(function* () {
      const work = { ...workOf(), prompt: { ...agentPrompt, correction: "Write all of it again." } }
      const sentBack = yield* replyTo(judgedOf({ work }, { verdict: { ...shapeless, isSentBack: true } }))
      assert.include(sentBack.text, "Write all of it again.")
      const other = yield* replyTo(judgedOf({ work }, { verdict: shapeless }))
      assert.notInclude(other.text, "Write all of it again.")
    })
  )

  it.effect("names an output that stands whole above, unless a compaction has dropped or cut it", () =>
    Effect.gen(function* () {
      const before = { ...look, call: { ...look.call, uid: "turn-1/call-1" } }
      const messages = [fromHost("Begin."), fromHost("Output:\n\ntext of a")]
      const again = { results: { outcomes: [look] }, session: { messages, outcomes: [before, look] } }
      assert.include((yield* replyTo(judgedOf(again))).text, "its output is the same as above")
      const compacted = { ...again, session: { ...again.session, isCompacted: true } }
      assert.include((yield* replyTo(judgedOf(compacted))).text, "its output is the same as above")
      const cut = [fromHost("Begin."), fromHost("Output:\n\ntext of")]
      for (const shown of [cut, cut.slice(0, 1)]) {
        const { text } = yield* replyTo(judgedOf({ ...again, session: { messages: shown, outcomes: [before, look] } }))
        assert.include(text, "text of a")
        assert.notInclude(text, "same as above")
      }
      const earlier = { ...again, session: { messages, outcomes: [look] }, work: workOf({ earlierOutcomes: [before] }) }
      assert.include((yield* replyTo(judgedOf(earlier))).text, "same as above")
      const alone = { ...again, session: { messages, outcomes: [look] } }
      assert.include((yield* replyTo(judgedOf(alone))).text, "text of a")
    })
  )

  it.effect("shows an output again that is empty, since it stands nowhere", () =>
    Effect.gen(function* () {
      const empty = gave("read_file", { path: "a.ts" }, "", "turn-2/call-1")
      const before = { ...empty, call: { ...empty.call, uid: "turn-1/call-1" } }
      const messages = [fromHost("Begin.")]
      const again = { results: { outcomes: [empty] }, session: { messages, outcomes: [before, empty] } }
      const { text } = yield* replyTo(judgedOf(again))
      assert.include(text, "turn-2/call-1")
      assert.notInclude(text, "same as above")
    })
  )

  it.effect("shows the checks of a turn that changed something, and the changes", () =>
    Effect.gen(function* () {
      const edit = gave("edit_file", { path: "a.ts" }, "edited", "turn-2/call-1")
      const changedFiles = [{ path: "a.ts", base: "old line\n", text: "new line\n" }]
      const results = { outcomes: [edit], changedFiles, checks: [check], remaining: ["- `rest` is left."] }
      const changed = yield* replyTo(judgedOf({ results: { ...results, hasChanged: true } }))
      for (const part of ["all checks pass", "new line", "`rest` is left."]) assert.include(changed.text, part)
      assert.notInclude((yield* replyTo(judgedOf({ results }))).text, "all checks pass")
    })
  )

  it.effect("to calls of the interface is a message for each, and text only when there is something to add", () =>
    Effect.gen(function* () {
      const only = yield* replyTo(nativeTurn())
      assert.deepStrictEqual(
        only.session.messages.map(({ role }) => role),
        ["user", "tool"]
      )
      const roles = function* (judged: JudgedTurn<string>) {
        const { session } = yield* replyTo(judged)
        return session.messages.map(({ role }) => role).join(" ")
      }
      const withText = "user tool user"
      assert.strictEqual(yield* roles(nativeTurn({ left: 4 })), "user tool")
      assert.strictEqual(yield* roles(nativeTurn({ left: 3 })), withText)
      const beside = gave("read_file", { path: "b.ts" }, "text of b", "turn-2/call-2")
      const news: ReadonlyArray<Parameters<typeof nativeTurn>> = [
        [{ results: { outcomes: [look, beside] } }],
        [{ results: { outcomes: [look], folderInstructions: "## Instructions" } }],
        [{ results: { outcomes: [look], hasChanged: true } }],
        [{}, { verdict: shapeless }],
        [{ results: { outcomes: [look, beside] } }, { verdict: shapeless }]
      ]
      for (const parts of news) assert.strictEqual(yield* roles(nativeTurn(...parts)), withText)
      const { text } = yield* replyTo(nativeTurn({ results: { outcomes: [look, beside] } }))
      assert.include(text, "text of b")
      assert.notInclude(text, "text of a")
      const changedFiles = [{ path: "a.ts", base: "old line\n", text: "new line\n" }]
      const changed = yield* replyTo(nativeTurn({ results: { outcomes: [look], hasChanged: true, changedFiles } }))
      assert.notInclude(changed.text, "new line")
    })
  )

  it.effect("to a call that was not made says why, and the answer counts as rejected", () =>
    Effect.gen(function* () {
      const refused = { ...nothingChecked, calls: [{ ...possible, issues: [wrong] }] }
      const { events, session } = yield* replyTo(nativeTurn({ results: { outcomes: [] } }, { checked: refused }))
      assert.deepStrictEqual(session.issues, [wrong])
      assert.strictEqual(events.length, 1)
      assert.include(JSON.stringify(session.messages[1]), "This is no answer.")
      assert.deepStrictEqual(session.retries.unusable, [""])
    })
  )

  it.effect("ends with a note on the budget while two answers are left, and is what the work is told", () =>
    Effect.gen(function* () {
      const saved: Array<Session> = []
      const work = workOf({}, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
      const note = /room for about \d+ lines/
      const two = yield* replyTo(judgedOf({ work, left: 2 }))
      assert.match(two.text, note)
      assert.deepStrictEqual(saved, [two.session])
      assert.notMatch((yield* replyTo(judgedOf({ left: 1 }))).text, note)
    })
  )

  it.effect("says so when the answer was given before", () =>
    Effect.gen(function* () {
      const given = triedWith({ answers: new Set(["An answer."]) })
      assert.include((yield* replyTo(judgedOf({ session: given }))).text, "You gave this answer before")
      assert.notInclude((yield* replyTo(judgedOf())).text, "You gave this answer before")
    })
  )
})

/** How many answers in a row could not be used after this one. */
const unusable = function* (judged: JudgedTurn<string>) {
  return (yield* replyTo(judged)).session.retries.unusable.length
}

const endAfter = function* (before: Partial<Session["retries"]>, kind: "task" | "calls" = "task", attempts = 4) {
  const judged = judgedOf({ session: triedWith(before), work: workOf({ kind }) }, { verdict: shapeless })
  return (yield* replyTo(judged, { attempts })).end
}

layer(NodeServices.layer)("work without a report", (it) => {
  it.effect("counts an answer as unusable that has issues and no call that can be made", () =>
    Effect.gen(function* () {
      const checked = { ...nothingChecked, calls: [possible, { ...possible, issues: [wrong] }] }
      assert.strictEqual(yield* unusable(judgedOf()), 0)
      assert.strictEqual(yield* unusable(judgedOf({}, { verdict: shapeless })), 1)
      assert.strictEqual(yield* unusable(judgedOf({}, { checked, verdict: shapeless })), 0)
      const none = { ...nothingChecked, calls: [{ ...possible, issues: [wrong] }] }
      assert.strictEqual(yield* unusable(judgedOf({}, { checked: none, verdict: shapeless })), 1)
      const planning = judgedOf({ work: workOf({ kind: "calls" }) }, { checked, verdict: shapeless })
      assert.strictEqual(yield* unusable(planning), 1)
    })
  )

  it.effect("ends after as many unusable answers as attempts, or as are of no use at all", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* endAfter({ unusable: ["a", "b"] }))
      assert.deepStrictEqual(yield* endAfter({ unusable: ["a", "b", "c"] }), { _tag: "Unusable" })
      const empty = makeIssue("answer-empty", {}, { what: "The answer was empty." })
      const uselessEnd = function* (useless: number, kind: "task" | "calls" = "task") {
        const parts = {
          text: "",
          session: triedWith({ useless }),
          content: { issues: [empty] },
          work: workOf({ kind })
        }
        return (yield* replyTo(judgedOf(parts, { verdict: { ...verdict, issues: [empty] } }), { attempts: 9 })).end
      }
      assert.isUndefined(yield* uselessEnd(mostUselessAnswers - 2))
      const end = yield* uselessEnd(mostUselessAnswers - 1)
      assert.strictEqual(end?._tag === "Unusable" && typeof end.unable, "string")
      assert.isUndefined(yield* uselessEnd(mostUselessAnswers - 1, "calls"))
    })
  )

  it.effect("ends when a hook says so, before any other reason, and when calls were denied too often", () =>
    Effect.gen(function* () {
      const hooks: ReadonlyArray<AgentHook> = [{}, { endOf: () => ({ _tag: "Repeated", call }) }]
      const denied = judgedOf({ results: { outcomes: [look], denied: "Denied too often." } })
      assert.deepStrictEqual((yield* replyTo(denied)).end, { _tag: "Denied", message: "Denied too often." })
      assert.deepStrictEqual((yield* replyTo(denied, { hooks })).end, { _tag: "Repeated", call })
    })
  )

  it.effect("says in the reply to a message that ends by itself that one answer is left", () =>
    Effect.gen(function* () {
      const results = { outcomes: [failed("read_file", { path: "a.ts" }, "permission_denied", "No.")], denied: "No." }
      const message = yield* replyTo(judgedOf({ results, work: workOf({ kind: "message" }) }))
      assert.include(message.text, "Report.")
      assert.include((yield* replyTo(judgedOf({ results }))).text, "Go on.")
    })
  )

  it.effect("gives a message its last answer after a repetition or a denial, and a task none", () =>
    Effect.sync(() => {
      const ends = [
        { _tag: "Repeated", call },
        { _tag: "Denied", message: "No." },
        { _tag: "Unusable" },
        { _tag: "Limit", turns: 3 }
      ] as const
      const message = workOf({ kind: "message" })
      assert.deepStrictEqual(
        ends.map((end) => getsLastAnswer(message, end)),
        [true, true, false, false]
      )
      assert.isFalse(ends.some((end) => getsLastAnswer(workOf(), end)))
      const begun = newSession([])
      assert.deepStrictEqual([begun.turn, begun.isCompacted, begun.isUnfounded], [0, false, false])
    })
  )
})
