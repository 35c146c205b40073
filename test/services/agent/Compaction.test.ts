/** When turns are compacted, and how long the summary is that takes their place. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import {
  type ConversationMessage,
  fromHost,
  measuredPrompt,
  messageText
} from "../../../src/domain/models/ConversationMessage.ts"
import { charactersLeft, neededTokens } from "../../../src/domain/models/PromptSize.ts"
import { newSession, type Session } from "../../../src/services/agent/Session.ts"
import { makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { workOf } from "../../support/AgentWork.ts"
import { openStages } from "../../support/OpenStages.ts"
import { gave } from "../../support/sampleTasks.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const contextWindow = 8000

const work = workOf()

const sessionOf = (characters: number, outcomes: Session["outcomes"] = []): Session => ({
  ...newSession([fromHost("Begin."), { role: "assistant", content: "I read.", thinking: "", calls: [] }]),
  messages: [
    fromHost("Begin."),
    { role: "assistant", content: "I read.", thinking: "", calls: [] },
    fromHost("r".repeat(characters))
  ],
  outcomes,
  turn: 3
})

const open = Effect.map(openStages({ settings: { contextWindow } }), ({ compaction }) => compaction)

const outputs = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) =>
    gave("read_file", { path: `${index}.ts` }, "o".repeat(size), `turn-${index < count - 1 ? 1 : 2}/call-${index}`)
  )

const lastOf = (all: ReadonlyArray<ConversationMessage>): string => JSON.stringify(all.at(-1))

describe("the turns of a conversation", () => {
  nodeTest("are compacted when they need more than 72 % of the window", function* () {
    const { compacted, conversationOf } = yield* open
    const tokensOf = (messages: ReadonlyArray<ConversationMessage>): number =>
      neededTokens(measuredPrompt(conversationOf(work, messages)))
    const sizes = Array.from({ length: 800 }, (_, index) => 12_000 + index * 16)
    const whole = sizes.filter((size) => compacted(work, sessionOf(size), 9).isCompacted === false)
    const [largest = 0] = whole.slice(-1)
    expect(tokensOf(sessionOf(largest).messages)).toBeLessThanOrEqual(0.72 * contextWindow)
    expect(tokensOf(sessionOf(largest + 16).messages)).toBeGreaterThan(0.72 * contextWindow)
    expect(sizes.slice(0, whole.length)).toEqual(whole)
  })

  nodeTest("are compacted in a large window only when little but the answer has room", function* () {
    const { compaction } = yield* openStages({ settings: { contextWindow: 32_768 } })
    const { compacted, conversationOf } = compaction
    const tokensOf = ({ messages }: Session): number => neededTokens(measuredPrompt(conversationOf(work, messages)))
    const sessions = Array.from({ length: 300 }, (_, index) => sessionOf(80_000 + index * 100))
    const whole = sessions.filter((session) => !compacted(work, session, 9).isCompacted).map(tokensOf)
    expect(Math.max(...whole)).toBeLessThanOrEqual(0.96 * (32_768 - 2048))
    expect(Math.max(...whole)).toBeGreaterThan(0.89 * 32_768)
  })

  nodeTest("become at most half of the window, of which earlier outputs take what is left", function* () {
    const { compactedMessages, conversationOf } = yield* open
    const session = sessionOf(20_000, [...outputs(30, 1000), gave("read_file", { path: "z.ts" }, "z", "turn-2/call-9")])
    const messages = compactedMessages(work, session, "Go on.")
    const tokens = neededTokens(measuredPrompt(conversationOf(work, messages)))
    expect(tokens).toBeLessThanOrEqual(0.5 * contextWindow)
    expect(tokens).toBeGreaterThan(0.42 * contextWindow)
  })

  nodeTest("leave a reply seven tenths of what is free", function* () {
    const { conversationOf, replyBudget } = yield* open
    const { messages } = sessionOf(5000)
    const free = charactersLeft(contextWindow, measuredPrompt(conversationOf(work, messages)))
    expect(replyBudget(work, messages)).toBe(Math.floor(free * 0.7))
  })

  nodeTest("end with how much can be shown next, where the model may look and two answers are left", function* () {
    const { compacted, withBudgetNote } = yield* open
    const note =
      /There is room for about \d+ lines of output with \d+ characters each, shared by the calls of one answer\./
    const session = sessionOf(100)
    const { messages } = session
    expect(lastOf(withBudgetNote(work, session))).toMatch(note)
    const asked = messages.slice(0, 2)
    expect(withBudgetNote(work, { ...session, messages: asked })).toEqual(asked)
    const assignment = { ...work.assignment, tools: ["edit_file"] }
    expect(withBudgetNote({ ...work, assignment }, session)).toEqual(messages)
    const long = sessionOf(30_000, outputs(2, 100))
    expect(lastOf(compacted(work, long, 2).messages)).toMatch(note)
    expect(lastOf(compacted(work, long, 1).messages)).not.toMatch(note)
  })

  nodeTest("end with what to do now, and how many answers are left before the last ones", function* () {
    const { compacted } = yield* open
    const long = sessionOf(30_000, outputs(2, 100))
    const endAt = (left: number) => JSON.stringify(compacted(work, long, left).messages.at(-1))
    expect(endAt(4)).toContain("Go on with it.")
    expect(endAt(3)).toContain("Go on. 3 answers are left.")
    expect(endAt(1)).toContain("Report.")
  })

  nodeTest("keep their first messages alone when nothing is known of them, and nothing else is to do", function* () {
    const { compactedMessages } = yield* open
    const looked = outputs(1, 100)
    const issue = makeIssue("answer-shape", {}, { what: "This is no answer." })
    const summaryOf = (session: Partial<Session>, instruction = "Go on with it.", given = work): string =>
      compactedMessages(given, { ...sessionOf(100), ...session }, instruction)
        .slice(1)
        .map(messageText)
        .join("")
    expect(summaryOf({})).toBe("")
    expect(summaryOf({}, "Report.")).toContain("Report.")
    expect(summaryOf({ outcomes: looked })).toContain("Tool call read_file")
    const shown = "## Issues with your last answer\n\n1. This is no answer."
    expect(summaryOf({ issues: [issue] })).toContain(shown)
    expect(summaryOf({ outcomes: looked, issues: [issue] })).toContain(shown)
    expect(summaryOf({}, "Go on with it.", workOf({ earlierOutcomes: looked }))).toContain("Tool call read_file")
    const copy = makeWorkingCopy()
    copy.propose({ path: "/a.ts", base: "a\n", text: "b\n" })
    expect(summaryOf({}, "Go on with it.", workOf({ copy }))).toContain("## Changes so far")
  })

  nodeTest("are sent with the tools of the work, where those are offered through the interface", function* () {
    const inText = yield* open
    expect(inText.conversationOf(work, []).tools).toEqual([])
    const { compaction } = yield* openStages({ settings: { toolCalls: "native" } })
    expect(compaction.conversationOf(work, []).tools.map(({ name }) => name)).toEqual(["read_file"])
  })
})
