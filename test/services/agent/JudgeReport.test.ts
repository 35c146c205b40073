import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckOutcome } from "../../../src/domain/checks/CheckOutcome.ts"
import { noRetries } from "../../../src/domain/documents/Retries.ts"
import { type AnswerReading, makeIssue } from "../../../src/domain/findings/Issue.ts"
import { judgeReport } from "../../../src/services/agent/JudgeReport.ts"
import type { Assignment } from "../../../src/services/agent/Session.ts"
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
  readonly retries?: Partial<typeof noRetries>
  readonly results?: Partial<TurnResults>
}

/** The verdict on a report behind one look at a file. */
const judge = ({ isUnfounded = false, kind = "task", left = 5, reading = valid, results, retries }: Judged = {}) => {
  const work = workOf(
    { kind, task: "Edit", request: "Edit.", tools: ["read_file", "edit_file"] },
    { judge: () => Effect.succeed(reading), isUnfounded: () => Effect.succeed(isUnfounded) }
  )
  const look = gave("read_file", { path: "a.ts" }, "text", "turn-1/call-1")
  const session = { outcomes: [look], checks: results?.checks ?? [], retries: { ...noRetries, ...retries } }
  const turn = turnOf({ work, content: { report: "It is 5." }, left, session, results: results ?? {} })
  return Effect.map(judgeReport(turn), ({ accepted, isSentBack, issues }) => ({
    accepted: Option.getOrUndefined(accepted),
    isSentBack,
    codes: issues.map(({ code }) => code)
  }))
}

const accepted = (value: string) => ({ accepted: value, isSentBack: false, codes: [] })
const sentBack = (code: string) => ({ accepted: undefined, isSentBack: true, codes: [code] })
const notJudged = { accepted: undefined, isSentBack: false, codes: [] }

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
})
