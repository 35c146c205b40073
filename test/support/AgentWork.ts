/**
 * Work for an agent and its turns as values, for tests of one phase or of the loop: whatever a test does not name is the simplest.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckOutcome } from "../../src/domain/checks/CheckOutcome.ts"
import { nothingAsked, type TurnContent } from "../../src/domain/documents/TurnFormat.ts"
import { fromHost } from "../../src/domain/models/ConversationMessage.ts"
import { parsedAnswer } from "../../src/domain/documents/TurnAnswer.ts"
import { plainAnswer } from "../../src/domain/documents/UnusableAnswer.ts"
import type { CheckedCalls } from "../../src/domain/documents/CheckedCalls.ts"
import {
  type AgentPrompt,
  type AgentWork,
  type Assignment,
  newSession,
  type Session
} from "../../src/services/agent/Session.ts"
import type { FinishedTurn, ReportVerdict, TurnResults } from "../../src/services/agent/Turn.ts"
import { makeWorkingCopy } from "../../src/services/files/WorkingCopy.ts"

export const assignmentOf = (more: Partial<Assignment> = {}): Assignment => ({
  kind: "task",
  id: { stage: "task", round: 1, task: "Look" },
  task: "Look",
  request: "Look.",
  step: 0,
  tools: ["read_file"],
  copy: makeWorkingCopy(),
  mostTurns: 9,
  earlierOutcomes: [],
  ...more
})

export const agentPrompt: AgentPrompt = {
  system: "You look.",
  instruction: (left) => (left === 1 ? "Report." : "Go on."),
  continuation: () => "Go on with it.",
  compact: (messages, summary) => [...messages.slice(0, 1), ...(summary === "" ? [] : [fromHost(summary)])],
  folderInstructions: () => Effect.succeed("")
}

/** Work whose every report is accepted as it is. */
export const workOf = (
  assignment: Partial<Assignment> = {},
  more: Partial<AgentWork<string>> = {}
): AgentWork<string> => ({
  assignment: assignmentOf(assignment),
  prompt: agentPrompt,
  saveSession: () => Effect.void,
  read: (answer) => Effect.succeed({ ...nothingAsked, report: answer }),
  approve: () => Effect.void,
  judge: (report) => Effect.succeed({ value: Option.some(report), issues: [], repairs: [] }),
  isUnfounded: () => Effect.succeed(false),
  announce: () => Effect.void,
  ...more
})

export const nothingChecked: CheckedCalls = {
  calls: [],
  issues: [],
  unmade: [],
  tooMany: [],
  replaced: [],
  repairs: []
}

export const noResults: TurnResults = {
  outcomes: [],
  files: [],
  denied: undefined,
  hasChanged: false,
  changedFiles: [],
  remaining: [],
  checks: [],
  folderInstructions: ""
}

/** What `npm test` came to: a code other than 0 is a new failure. */
export const checkEnding = (exitCode: number): CheckOutcome => ({
  command: "npm test",
  exitCode,
  seconds: 1,
  text: "",
  failures: [],
  newFailures: exitCode === 0 ? [] : ["slug"]
})

/** The verdict on an answer that holds no report. */
export const noVerdict: ReportVerdict<string> = {
  accepted: Option.none(),
  issues: [],
  repairs: [],
  isSentBack: false,
  isUnfounded: false,
  isOpen: false
}

interface TurnParts {
  readonly work?: AgentWork<string>
  readonly text?: string
  readonly content?: Partial<TurnContent>
  readonly session?: Partial<Session>
  readonly left?: number
  readonly results?: Partial<TurnResults>
}

/** A turn whose answer has this text and content, and whose calls came to these results. */
export const turnOf = ({
  content,
  left = 5,
  results,
  session,
  text = "",
  work = workOf()
}: TurnParts = {}): FinishedTurn<string> => ({
  work,
  session: { ...newSession([]), turn: 2, ...session },
  answer: parsedAnswer({ ...plainAnswer(text), thinking: "", askedCalls: [] }, { ...nothingAsked, ...content }, false),
  answersLeft: left,
  candidate: Option.none(),
  checked: nothingChecked,
  results: { ...noResults, ...results }
})
