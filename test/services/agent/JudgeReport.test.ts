import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckedCalls } from "../../../src/domain/documents/CheckedCalls.ts"
import { noRetries } from "../../../src/domain/documents/Retries.ts"
import type { TurnContent } from "../../../src/domain/documents/TurnFormat.ts"
import { type AnswerReading, makeIssue, makeRepair } from "../../../src/domain/findings/Issue.ts"
import { judgeReport } from "../../../src/services/agent/JudgeReport.ts"
import type { Assignment, Session } from "../../../src/services/agent/Session.ts"
import type { TurnResults } from "../../../src/services/agent/Turn.ts"
import { checkEnding, noVerdict, turnOf, workOf } from "../../support/AgentWork.ts"
import { failed, gave } from "../../support/sampleTasks.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const wrongLink = makeIssue("reference-missing", {}, { what: "There is no such file." })
const valid: AnswerReading<string> = { value: Option.some("valid"), issues: [], repairs: [] }
const marked: AnswerReading<string> = {
  value: Option.none(),
  issues: [wrongLink],
  repairs: [],
  fallback: { value: "marked", repairs: [] }
}
const broken = checkEnding(1)

interface Judged {
  readonly kind?: Assignment["kind"]
  readonly reading?: AnswerReading<string>
  readonly isUnfounded?: boolean
  readonly left?: number
  readonly content?: Partial<TurnContent>
  readonly checked?: Partial<CheckedCalls>
  readonly session?: Partial<Session>
  readonly assignment?: Partial<Assignment>
  readonly retries?: Partial<typeof noRetries>
  readonly results?: Partial<TurnResults>
}

/** The whole verdict on a report behind one look at a file. */
const verdictOn = (judged: Judged = {}) => {
  const { isUnfounded = false, kind = "task", left = 5, reading = valid, results, retries } = judged
  const work = workOf(
    { kind, task: "Edit", request: "Edit.", tools: ["read_file", "edit_file"], ...judged.assignment },
    { judge: () => Effect.succeed(reading), isUnfounded: () => Effect.succeed(isUnfounded) }
  )
  const look = gave("read_file", { path: "a.ts" }, "text", "turn-1/call-1")
  const session = {
    outcomes: [look],
    checks: results?.checks ?? [],
    retries: { ...noRetries, ...retries },
    ...judged.session
  }
  const content = { report: "It is 5.", ...judged.content }
  const turn = turnOf({ work, content, left, session, results: results ?? {} })
  return judgeReport({ ...turn, checked: { ...turn.checked, ...judged.checked } })
}

const judge = (judged: Judged = {}) =>
  Effect.map(verdictOn(judged), ({ accepted, isSentBack, issues }) => ({
    accepted: Option.getOrUndefined(accepted),
    isSentBack,
    codes: issues.map(({ code }) => code)
  }))

const accepted = (value: string) => ({ accepted: value, isSentBack: false, codes: [] })
const sentBack = (...codes: ReadonlyArray<string>) => ({ accepted: undefined, isSentBack: true, codes })
const notJudged = { accepted: undefined, isSentBack: false, codes: [] }

const isOpen = (judged: Judged) => Effect.map(verdictOn(judged), (verdict) => verdict.isOpen)

const isUnfounded = (judged: Judged) =>
  Effect.map(verdictOn({ isUnfounded: true, ...judged }), (verdict) => verdict.isUnfounded)

const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }
const made = gave("read_file", { path: "b.ts" }, "text")
const lost = failed("read_file", { path: "b.ts" }, "not_found", "There is no file.")
const changed = (results: Partial<TurnResults> = {}) => ({ results: { hasChanged: true, ...results } })
const remaining = ["- `limit` is left."]
const unreadable = { ...valid, issues: [wrongLink] }
const insisting = { retries: { rejectedReports: 1 } }
const last: Judged = { left: 0, reading: marked, results: { checks: [broken] } }
const looked = { isUnfounded: true, retries: { unfoundedReports: 1 } }
const lastOfMessage = { left: 0, kind: "message", isUnfounded: true } as const
const claim: Judged = { content: { report: "The limit was changed to 5." }, session: { outcomes: [] } }

const claiming = (assignment: Partial<Assignment>): Judged => ({ ...claim, assignment })
const answers = new Set(["Before."])

const verdicts: ReadonlyArray<readonly [what: string, judged: Judged, verdict: object]> = [
  ["with nothing wrong", {}, accepted("valid")],
  ["beside a change with remaining places", { ...changed({ remaining }), left: 1 }, notJudged],
  ["beside a change with new instructions", changed({ folderInstructions: "## Instructions" }), notJudged],
  ["beside a change whose check fails", changed({ checks: [checkEnding(0), broken] }), notJudged],
  ["beside a change in the last answer", { ...changed({ remaining }), left: 0 }, accepted("valid")],
  ["beside a change whose checks pass", changed({ checks: [checkEnding(0)] }), accepted("valid")],
  ["beside findings of earlier turns", { results: { remaining } }, accepted("valid")],
  ["beside a call that failed", { results: { outcomes: [lost] } }, notJudged],
  ["beside a call", { content: { calls: [call] } }, notJudged],
  ["with issues", { content: { issues: [wrongLink] } }, { ...notJudged, codes: ["reference-missing"] }],
  ["with wrong links", { reading: marked }, sentBack("reference-missing")],
  ["with wrong links again", { reading: marked, ...insisting }, accepted("marked")],
  ["that is wrong and cannot be marked", { reading: unreadable }, sentBack("reference-missing")],
  ["that stays wrong and cannot be marked", { reading: unreadable, ...insisting }, sentBack("reference-missing")],
  ["without a value", { reading: { ...valid, value: Option.none() } }, sentBack()],
  ["for which nothing was looked at", { isUnfounded: true }, sentBack("report-unfounded")],
  ["for which nothing was looked at again", looked, accepted("valid")],
  ["in the last answer to a message", { ...last, kind: "message" }, accepted("marked")],
  ["in the last answer to a message, unfounded", lastOfMessage, accepted("valid")],
  ["before the last answer to a message", { ...last, kind: "message", left: 1 }, sentBack("check-failed")],
  ["in the last answer of a task", last, sentBack("check-failed")],
  ["that claims a change", claim, sentBack("report-unfounded")],
  ["that claims a change with one tool", claiming({ tools: ["read_file"] }), sentBack("report-unfounded")],
  ["that claims a change without tools", claiming({ tools: [] }), accepted("valid")],
  ["that claims a change after earlier calls", claiming({ earlierOutcomes: [made] }), accepted("valid")],
  ["that claims a change after a call", { ...claim, session: { outcomes: [made] } }, accepted("valid")],
  ["that claims a change in a later answer", { ...claim, retries: { answers } }, accepted("valid")]
]

describe("a report", () => {
  for (const [what, judged, verdict] of verdicts) {
    nodeTest(`is judged ${what}`, function* () {
      assert.deepStrictEqual(yield* judge(judged), verdict)
    })
  }

  nodeTest("is not sent back when there is none", function* () {
    const { report: _, ...none } = turnOf({ content: {} }).answer.content
    assert.deepStrictEqual(yield* judgeReport(turnOf({ content: none })), noVerdict)
  })

  nodeTest("leaves an answer open that has issues, or of which one call failed", function* () {
    assert.isFalse(yield* isOpen({ results: { outcomes: [made] } }))
    assert.isTrue(yield* isOpen({ results: { outcomes: [made, lost] } }))
    assert.isTrue(yield* isOpen({ content: { issues: [wrongLink] } }))
    assert.isFalse(yield* isOpen({ reading: marked }))
  })

  nodeTest("is unfounded when it is accepted, also with its links marked, and when it is sent back", function* () {
    assert.isTrue(yield* isUnfounded({}))
    assert.isTrue(yield* isUnfounded({ retries: { unfoundedReports: 1 } }))
    assert.isTrue(yield* isUnfounded({ retries: { unfoundedReports: 1, rejectedReports: 1 }, reading: marked }))
    assert.isFalse(yield* isUnfounded({ retries: { unfoundedReports: 1 }, reading: marked }))
    assert.isFalse(yield* isUnfounded({ content: { issues: [wrongLink] } }))
    assert.isFalse(yield* isUnfounded({ isUnfounded: false }))
  })

  nodeTest("brings the repairs of the answer, of its calls and of its reading", function* () {
    const all = ["text", "calls", "call", "report"].map((name) => makeRepair("tool-call-known", {}, name))
    const { repairs } = yield* verdictOn({
      content: { repairs: all.slice(0, 1) },
      checked: { repairs: all.slice(1, 2), calls: [{ wanted: call, call, issues: [], repairs: all.slice(2, 3) }] },
      reading: { ...valid, repairs: all.slice(3) }
    })
    assert.deepStrictEqual(repairs, all)
    const fallback = { value: "marked", repairs: all.slice(3) }
    assert.deepStrictEqual((yield* verdictOn({ ...insisting, reading: { ...marked, fallback } })).repairs, all.slice(3))
  })
})
