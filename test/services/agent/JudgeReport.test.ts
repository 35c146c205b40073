import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckOutcome } from "../../../src/domain/checks/CheckOutcome.ts"
import type { CheckedCalls } from "../../../src/domain/documents/CheckedCalls.ts"
import { noRetries } from "../../../src/domain/documents/Retries.ts"
import type { TurnContent } from "../../../src/domain/documents/TurnFormat.ts"
import { type AnswerReading, makeIssue, makeRepair } from "../../../src/domain/findings/Issue.ts"
import { judgeReport } from "../../../src/services/agent/JudgeReport.ts"
import type { Assignment, Session } from "../../../src/services/agent/Session.ts"
import type { TurnResults } from "../../../src/services/agent/Turn.ts"
import { turnOf, workOf } from "../../support/AgentWork.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const wrongLink = makeIssue("reference-missing", {}, { what: "There is no such file." })
const valid: AnswerReading<string> = { value: Option.some("valid"), issues: [], repairs: [] }
const marked: AnswerReading<string> = {
  value: Option.none(),
  issues: [wrongLink],
  repairs: [],
  fallback: { value: "marked", repairs: [] }
}
const broken: CheckOutcome = {
  command: "npm test",
  exitCode: 1,
  seconds: 1,
  text: "",
  failures: ["slug"],
  newFailures: ["slug"]
}

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
const sentBack = (code: string) => ({ accepted: undefined, isSentBack: true, codes: [code] })
const notJudged = { accepted: undefined, isSentBack: false, codes: [] }

const isOpen = (judged: Judged) => Effect.map(verdictOn(judged), (verdict) => verdict.isOpen)

const isUnfounded = (judged: Judged) =>
  Effect.map(verdictOn({ isUnfounded: true, ...judged }), (verdict) => verdict.isUnfounded)

describe("a report", () => {
  it.effect("is accepted when nothing is wrong with it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judge(), accepted("valid"))
    })
  )

  it.effect("is not judged beside a change whose findings the model has not seen, while an answer is left", () =>
    Effect.gen(function* () {
      const findings: ReadonlyArray<Partial<TurnResults>> = [
        { remaining: ["- `limit` is left."] },
        { folderInstructions: "## Instructions of the project" },
        { checks: [broken] }
      ]
      for (const finding of findings) {
        assert.deepStrictEqual(yield* judge({ results: { hasChanged: true, ...finding } }), notJudged)
      }
      const last = { hasChanged: true, remaining: ["- `limit` is left."] }
      assert.deepStrictEqual(yield* judge({ left: 0, results: last }), accepted("valid"))
    })
  )

  it.effect("is not judged beside a call that failed", () =>
    Effect.gen(function* () {
      const outcomes = [failed("read_file", { path: "b.ts" }, "not_found", "There is no file.")]
      assert.deepStrictEqual(yield* judge({ results: { outcomes } }), notJudged)
    })
  )

  it.effect("is sent back once for its wrong links, and accepted with them marked after that", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judge({ reading: marked }), sentBack("reference-missing"))
      assert.deepStrictEqual(yield* judge({ reading: marked, retries: { rejectedReports: 1 } }), accepted("marked"))
    })
  )

  it.effect("is sent back once when nothing was looked at for it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judge({ isUnfounded: true }), sentBack("report-unfounded"))
      assert.deepStrictEqual(yield* judge({ isUnfounded: true, retries: { unfoundedReports: 1 } }), accepted("valid"))
    })
  )

  it.effect("is accepted in the last answer to a message, with what is wrong marked, but not in that of a task", () =>
    Effect.gen(function* () {
      const last = { left: 0, reading: marked, results: { checks: [broken] } }
      assert.deepStrictEqual(yield* judge({ ...last, kind: "message" }), accepted("marked"))
      assert.deepStrictEqual(yield* judge(last), sentBack("check-failed"))
    })
  )

  it.effect("is judged beside a change of which nothing is left to tell, and beside findings of earlier turns", () =>
    Effect.gen(function* () {
      const fine: CheckOutcome = { ...broken, exitCode: 0, newFailures: [] }
      assert.deepStrictEqual(yield* judge({ results: { hasChanged: true, checks: [fine] } }), accepted("valid"))
      assert.deepStrictEqual(yield* judge({ results: { hasChanged: true, checks: [fine, broken] } }), notJudged)
      const one = { hasChanged: true, remaining: ["- `limit` is left."] }
      assert.deepStrictEqual(yield* judge({ left: 1, results: one }), notJudged)
      assert.deepStrictEqual(yield* judge({ results: { ...one, hasChanged: false } }), accepted("valid"))
    })
  )

  it.effect("is not judged beside calls, or beside issues; an answer without a report is not sent back", () =>
    Effect.gen(function* () {
      const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }
      assert.deepStrictEqual(yield* judge({ content: { calls: [call] } }), notJudged)
      assert.deepStrictEqual(yield* judge({ content: { issues: [wrongLink] } }), {
        ...notJudged,
        codes: ["reference-missing"]
      })
      const { report: _, ...none } = turnOf({ content: {} }).answer.content
      const verdict = yield* judgeReport(turnOf({ content: none }))
      assert.deepStrictEqual(verdict, {
        accepted: Option.none(),
        issues: [],
        repairs: [],
        isSentBack: false,
        isUnfounded: false,
        isOpen: false
      })
    })
  )

  it.effect("leaves an answer open that has issues, or of which one call failed", () =>
    Effect.gen(function* () {
      const call = gave("read_file", { path: "b.ts" }, "text")
      const lost = failed("read_file", { path: "b.ts" }, "not_found", "There is no file.")
      assert.isFalse(yield* isOpen({ results: { outcomes: [call] } }))
      assert.isTrue(yield* isOpen({ results: { outcomes: [call, lost] } }))
      assert.isTrue(yield* isOpen({ content: { issues: [wrongLink] } }))
      assert.isFalse(yield* isOpen({ reading: marked }))
    })
  )

  it.effect(
    "that claims a change is sent back in the first answer of work with tools, before anything was called",
    () =>
      Effect.gen(function* () {
        const claim: Judged = { content: { report: "The limit was changed to 5." }, session: { outcomes: [] } }
        const look = gave("read_file", { path: "a.ts" }, "text")
        assert.deepStrictEqual(yield* judge(claim), sentBack("report-unfounded"))
        const others: ReadonlyArray<Judged> = [
          { ...claim, session: { outcomes: [look] } },
          { ...claim, session: { outcomes: [look] }, assignment: { earlierOutcomes: [look] } },
          { ...claim, assignment: { earlierOutcomes: [look] } },
          { ...claim, assignment: { tools: [] } },
          { ...claim, retries: { answers: new Set(["Before."]) } }
        ]
        for (const other of others) assert.deepStrictEqual(yield* judge(other), accepted("valid"))
        const single = { ...claim, assignment: { tools: ["read_file"] } }
        assert.deepStrictEqual(yield* judge(single), sentBack("report-unfounded"))
      })
  )

  it.effect(
    "says whether it is unfounded when it is accepted, with its links marked too, and when it is sent back",
    () =>
      Effect.gen(function* () {
        assert.isTrue(yield* isUnfounded({}))
        assert.isTrue(yield* isUnfounded({ retries: { unfoundedReports: 1 } }))
        assert.isTrue(yield* isUnfounded({ retries: { unfoundedReports: 1, rejectedReports: 1 }, reading: marked }))
        assert.isFalse(yield* isUnfounded({ retries: { unfoundedReports: 1 }, reading: marked }))
        assert.isFalse(yield* isUnfounded({ content: { issues: [wrongLink] } }))
        assert.isFalse(yield* isUnfounded({ isUnfounded: false }))
      })
  )

  it.effect("is not accepted while its reading has issues or no value, and nothing can be marked", () =>
    Effect.gen(function* () {
      const reading = { ...valid, issues: [wrongLink] }
      assert.deepStrictEqual(yield* judge({ reading }), sentBack("reference-missing"))
      assert.deepStrictEqual(yield* judge({ reading, retries: { rejectedReports: 1 } }), sentBack("reference-missing"))
      const nothing = { ...valid, value: Option.none() }
      assert.deepStrictEqual(yield* judge({ reading: nothing }), { accepted: undefined, isSentBack: true, codes: [] })
    })
  )

  it.effect("of a message is sent back before the last answer", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judge({ kind: "message", left: 1, reading: marked }), sentBack("reference-missing"))
      assert.deepStrictEqual(yield* judge({ kind: "message", left: 0, isUnfounded: true }), accepted("valid"))
    })
  )

  it.effect("brings the repairs of the answer, of its calls and of its reading", () =>
    Effect.gen(function* () {
      const [inText, inCalls, inCall, inReport] = ["text", "calls", "call", "report"].map((name) =>
        makeRepair("tool-call-known", {}, name)
      )
      const call = { uid: "call-1", name: "read_file", arguments: { path: "a.ts" } }
      const all = [inText, inCalls, inCall, inReport].flatMap((repair) => repair ?? [])
      const { repairs } = yield* verdictOn({
        content: { repairs: all.slice(0, 1) },
        checked: { repairs: all.slice(1, 2), calls: [{ wanted: call, call, issues: [], repairs: all.slice(2, 3) }] },
        reading: { ...valid, repairs: all.slice(3) }
      })
      assert.deepStrictEqual(repairs, all)
      const fallback = { value: "marked", repairs: all.slice(3) }
      const insisting = { retries: { rejectedReports: 1 }, reading: { ...marked, fallback } }
      assert.deepStrictEqual((yield* verdictOn(insisting)).repairs, all.slice(3))
    })
  )
})
