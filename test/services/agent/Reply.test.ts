/** What the model is replied, and when the work ends without a report. */
import { plainAnswer } from "../../../src/domain/documents/UnusableAnswer.ts"
import { noRetries } from "../../../src/domain/documents/Retries.ts"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { AnswerCall } from "../../../src/domain/documents/CheckedCalls.ts"
import { parsedAnswer } from "../../../src/domain/documents/TurnAnswer.ts"
import { nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"
import { mostUselessAnswers } from "../../../src/domain/documents/UselessAnswers.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { fromHost, messageText } from "../../../src/domain/models/ConversationMessage.ts"
import type { AgentHook } from "../../../src/services/agent/AgentHook.ts"
import { makeReply } from "../../../src/services/agent/Reply.ts"
import { getsLastAnswer, type Session } from "../../../src/services/agent/Session.ts"
import type { JudgedTurn } from "../../../src/services/agent/Turn.ts"
import { nothingChecked, agentPrompt, checkEnding, noVerdict, turnOf, workOf } from "../../support/AgentWork.ts"
import { openStages } from "../../support/OpenStages.ts"
import { failed, gave } from "../../support/sampleTasks.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const wrong = makeIssue("answer-shape", {}, { what: "This is no answer." })
const shapeless = { ...noVerdict, issues: [wrong] }
const look = gave("read_file", { path: "a.ts" }, "text of a", "turn-2/call-1")
const native = { id: "1", name: "read_file", arguments: { path: "a.ts" } }
const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }
const possible: AnswerCall = { wanted: call, call, issues: [], repairs: [] }
const check = { ...checkEnding(0), text: "all checks pass" }

const judgedOf = (parts: Parameters<typeof turnOf>[0] = {}, more: Partial<JudgedTurn<string>> = {}) => {
  const session = { messages: [fromHost("Begin.")], ...parts.session }
  return { ...turnOf({ text: "An answer.", ...parts, session }), verdict: noVerdict, ...more }
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

describe("the reply to an answer", () => {
  nodeTest("shows outputs, issues and what to do now; an answer without issues is not rejected", function* () {
    const shown = yield* replyTo(judgedOf({ results: { outcomes: [look] } }))
    expect(shown.text).toContain("text of a")
    expect(shown.text).toContain("Go on.")
    expect(shown.text).not.toContain("## Issues")
    expect([shown.events, shown.session.issues, shown.end]).toStrictEqual([[], [], undefined])
    const rejected = yield* replyTo(judgedOf({}, { verdict: shapeless }))
    expect(rejected.text).toContain("This is no answer.")
    expect(rejected.session.issues).toStrictEqual([wrong])
    const [event] = rejected.events
    expect(event).toMatchObject({ answer: "An answer.", issues: [wrong], mostAttempts: defaultLimits.attempts })
    expect(event).toMatchObject({ call: { stage: "task", round: 1, task: "Look", attempt: 2 } })
    const message = yield* replyTo(judgedOf({ work: workOf({ kind: "message" }) }, { verdict: shapeless }))
    expect(message.events[0]).not.toHaveProperty("mostAttempts")
  })

  nodeTest("names an output that stands whole above, unless a compaction has dropped or cut it", function* () {
    const before = { ...look, call: { ...look.call, uid: "turn-1/call-1" } }
    const messages = [fromHost("Begin."), fromHost("Output:\n\ntext of a")]
    const again = { results: { outcomes: [look] }, session: { messages, outcomes: [before, look] } }
    expect((yield* replyTo(judgedOf(again))).text).toContain("its output is the same as above")
    const compacted = { ...again, session: { ...again.session, isCompacted: true } }
    expect((yield* replyTo(judgedOf(compacted))).text).toContain("its output is the same as above")
    const cut = [fromHost("Begin."), fromHost("Output:\n\ntext of")]
    for (const shown of [cut, cut.slice(0, 1)]) {
      const { text } = yield* replyTo(judgedOf({ ...again, session: { messages: shown, outcomes: [before, look] } }))
      expect(text).toContain("text of a")
      expect(text).not.toContain("same as above")
    }
    const earlier = { ...again, session: { messages, outcomes: [look] }, work: workOf({ earlierOutcomes: [before] }) }
    expect((yield* replyTo(judgedOf(earlier))).text).toContain("same as above")
    const alone = { ...again, session: { messages, outcomes: [look] } }
    expect((yield* replyTo(judgedOf(alone))).text).toContain("text of a")
    /* An empty output stands nowhere. */
    const empty = gave("read_file", { path: "a.ts" }, "", "turn-2/call-1")
    const session = { outcomes: [{ ...empty, call: before.call }, empty] }
    const shown = yield* replyTo(judgedOf({ results: { outcomes: [empty] }, session }))
    expect(shown.text).toContain("turn-2/call-1")
    expect(shown.text).not.toContain("same as above")
  })

  nodeTest("says how to correct a report that is sent back, in the words of the work", function* () {
    const work = { ...workOf(), prompt: { ...agentPrompt, correction: "Write all of it again." } }
    const replies = [true, false].map((isSentBack) =>
      replyTo(judgedOf({ work }, { verdict: { ...shapeless, isSentBack } }))
    )
    const texts = (yield* Effect.all(replies)).map(({ text }) => text.includes("Write all of it again."))
    expect(texts).toEqual([true, false])
  })

  nodeTest("shows the checks of a turn that changed something, and the changes", function* () {
    const edit = gave("edit_file", { path: "a.ts" }, "edited", "turn-2/call-1")
    const changedFiles = [{ path: "a.ts", base: "old line\n", text: "new line\n" }]
    const results = { outcomes: [edit], changedFiles, checks: [check], remaining: ["- `rest` is left."] }
    const changed = yield* replyTo(judgedOf({ results: { ...results, hasChanged: true } }))
    for (const part of ["all checks pass", "new line", "`rest` is left."]) expect(changed.text).toContain(part)
    expect((yield* replyTo(judgedOf({ results }))).text).not.toContain("all checks pass")
  })

  nodeTest("to calls of the interface is a message for each, and a text only if it adds something", function* () {
    const only = yield* replyTo(nativeTurn())
    expect(only.session.messages.map(({ role }) => role)).toStrictEqual(["user", "tool"])
    const roles = function* (judged: JudgedTurn<string>) {
      const { session } = yield* replyTo(judged)
      return session.messages.map(({ role }) => role).join(" ")
    }
    const withText = "user tool user"
    expect(yield* roles(nativeTurn({ left: 4 }))).toBe("user tool")
    expect(yield* roles(nativeTurn({ left: 3 }))).toBe(withText)
    const beside = gave("read_file", { path: "b.ts" }, "text of b", "turn-2/call-2")
    const news: ReadonlyArray<Parameters<typeof nativeTurn>> = [
      [{ results: { outcomes: [look, beside] } }],
      [{ results: { outcomes: [look], folderInstructions: "## Instructions" } }],
      [{ results: { outcomes: [look], hasChanged: true } }],
      [{}, { verdict: shapeless }],
      [{ results: { outcomes: [look, beside] } }, { verdict: shapeless }]
    ]
    for (const parts of news) expect(yield* roles(nativeTurn(...parts))).toBe(withText)
    const { text } = yield* replyTo(nativeTurn({ results: { outcomes: [look, beside] } }))
    expect(text).toContain("text of b")
    expect(text).not.toContain("text of a")
    const changedFiles = [{ path: "a.ts", base: "old line\n", text: "new line\n" }]
    const changed = yield* replyTo(nativeTurn({ results: { outcomes: [look], hasChanged: true, changedFiles } }))
    expect(changed.text).not.toContain("new line")
  })

  nodeTest("to a call that was not made says why, and the answer counts as rejected", function* () {
    const refused = { ...nothingChecked, calls: [{ ...possible, issues: [wrong] }] }
    const { events, session } = yield* replyTo(nativeTurn({ results: { outcomes: [] } }, { checked: refused }))
    expect(session.issues).toStrictEqual([wrong])
    expect(events.length).toBe(1)
    expect(JSON.stringify(session.messages[1])).toContain("This is no answer.")
    expect(session.retries.unusable).toStrictEqual([""])
  })

  nodeTest("ends with a note on the budget while two answers are left, and is what the work is told", function* () {
    const saved: Array<Session> = []
    const work = workOf({}, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
    const note = /room for about \d+ lines/
    const two = yield* replyTo(judgedOf({ work, left: 2 }))
    expect(two.text).toMatch(note)
    expect(saved).toStrictEqual([two.session])
    expect((yield* replyTo(judgedOf({ left: 1 }))).text).not.toMatch(note)
  })

  nodeTest("says so when the answer was given before", function* () {
    const given = triedWith({ answers: new Set(["An answer."]) })
    expect((yield* replyTo(judgedOf({ session: given }))).text).toContain("You gave this answer before")
    expect((yield* replyTo(judgedOf())).text).not.toContain("You gave this answer before")
  })
})

/** How many answers in a row could not be used after this one. */
const unusable = function* (judged: JudgedTurn<string>) {
  return (yield* replyTo(judged)).session.retries.unusable.length
}

const endAfter = function* (before: Partial<Session["retries"]>, kind: "task" | "calls" = "task", attempts = 4) {
  const judged = judgedOf({ session: triedWith(before), work: workOf({ kind }) }, { verdict: shapeless })
  return (yield* replyTo(judged, { attempts })).end
}

describe("work without a report", () => {
  nodeTest("counts an answer as unusable that has issues and no call that can be made", function* () {
    const checked = { ...nothingChecked, calls: [possible, { ...possible, issues: [wrong] }] }
    expect(yield* unusable(judgedOf())).toBe(0)
    expect(yield* unusable(judgedOf({}, { verdict: shapeless }))).toBe(1)
    expect(yield* unusable(judgedOf({}, { checked, verdict: shapeless }))).toBe(0)
    const none = { ...nothingChecked, calls: [{ ...possible, issues: [wrong] }] }
    expect(yield* unusable(judgedOf({}, { checked: none, verdict: shapeless }))).toBe(1)
    const planning = judgedOf({ work: workOf({ kind: "calls" }) }, { checked, verdict: shapeless })
    expect(yield* unusable(planning)).toBe(1)
  })

  nodeTest("ends after as many unusable answers as attempts, or as are of no use at all", function* () {
    expect(yield* endAfter({ unusable: ["a", "b"] })).toBeUndefined()
    expect(yield* endAfter({ unusable: ["a", "b", "c"] })).toStrictEqual({ _tag: "Unusable" })
    const empty = makeIssue("answer-empty", {}, { what: "The answer was empty." })
    const uselessEnd = function* (useless: number, kind: "task" | "calls" = "task") {
      const parts = {
        text: "",
        session: triedWith({ useless }),
        content: { issues: [empty] },
        work: workOf({ kind })
      }
      return (yield* replyTo(judgedOf(parts, { verdict: { ...noVerdict, issues: [empty] } }), { attempts: 9 })).end
    }
    expect(yield* uselessEnd(mostUselessAnswers - 2)).toBeUndefined()
    const end = yield* uselessEnd(mostUselessAnswers - 1)
    expect(end?._tag === "Unusable" && typeof end.unable).toBe("string")
    expect(yield* uselessEnd(mostUselessAnswers - 1, "calls")).toBeUndefined()
  })

  nodeTest("ends when a hook says so, before any other reason, and when calls were denied too often", function* () {
    const hooks: ReadonlyArray<AgentHook> = [{}, { endOf: () => ({ _tag: "Repeated", call }) }]
    const denied = judgedOf({ results: { outcomes: [look], denied: "Denied too often." } })
    expect((yield* replyTo(denied)).end).toStrictEqual({ _tag: "Denied", message: "Denied too often." })
    expect((yield* replyTo(denied, { hooks })).end).toStrictEqual({ _tag: "Repeated", call })
  })

  nodeTest("says in the reply to a message that ends by itself that one answer is left", function* () {
    const results = { outcomes: [failed("read_file", { path: "a.ts" }, "permission_denied", "No.")], denied: "No." }
    const message = yield* replyTo(judgedOf({ results, work: workOf({ kind: "message" }) }))
    expect(message.text).toContain("Report.")
    expect((yield* replyTo(judgedOf({ results }))).text).toContain("Go on.")
  })

  nodeTest("gives a message its last answer after a repetition or a denial, and a task none", () =>
    Effect.sync(() => {
      const ends = [
        { _tag: "Repeated", call },
        { _tag: "Denied", message: "No." },
        { _tag: "Unusable" },
        { _tag: "Limit", turns: 3 }
      ] as const
      const message = workOf({ kind: "message" })
      expect(ends.map((end) => getsLastAnswer(message, end))).toStrictEqual([true, true, false, false])
      expect(ends.some((end) => getsLastAnswer(workOf(), end))).toBe(false)
    })
  )
})
