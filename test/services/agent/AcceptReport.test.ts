/** Which report ends the work, when a hook questions it first, and what becomes of a questioned one. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import { makeAcceptance } from "../../../src/services/agent/AcceptReport.ts"
import type { AgentHook } from "../../../src/services/agent/AgentHook.ts"
import { newSession, type Session } from "../../../src/services/agent/Session.ts"
import type { JudgedTurn } from "../../../src/services/agent/Turn.ts"
import { makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { checkEnding, noVerdict, turnOf, workOf } from "../../support/AgentWork.ts"
import { openStages } from "../../support/OpenStages.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const questions: ReadonlyArray<AgentHook> = [
  {},
  { beforeEnd: () => Effect.succeed("Which case is missing?") },
  { beforeEnd: () => Effect.succeed("And another?") }
]

const open = Effect.fnUntraced(function* (hooks: ReadonlyArray<AgentHook> = []) {
  const stages = yield* openStages({ settings: { contextWindow: 8000 } })
  const fileAt = (path: string): string => `${stages.project}/${path}`
  return { fileAt, acceptance: yield* stages.within(makeAcceptance(hooks, stages.compaction)) }
})

const source = { path: "src/slug.ts", base: "a\n", text: "b\n" }

describe("a report", () => {
  nodeTest("ends the work when it is accepted, and no hook has a question", function* () {
    const { acceptance } = yield* open()
    const saved: Array<Session> = []
    const work = workOf({}, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
    const judged: JudgedTurn<string> = {
      ...turnOf({ work }),
      verdict: { ...noVerdict, accepted: Option.some("It is 5.") }
    }
    expect(acceptance.acceptedReport(judged)).toStrictEqual(Option.some("It is 5."))
    expect(acceptance.acceptedReport({ ...judged, verdict: noVerdict })).toStrictEqual(Option.none())
    const outcome = yield* acceptance.accept(judged, "It is 5.")
    expect(outcome.end).toStrictEqual(Option.some({ _tag: "Accepted", value: "It is 5." }))
    expect([outcome.session, outcome.candidate, saved]).toStrictEqual([judged.session, Option.none(), [judged.session]])
  })

  nodeTest("waits for the first question of a hook, and is questioned once", function* () {
    const { acceptance } = yield* open(questions)
    const saved: Array<Session> = []
    const work = workOf({}, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
    const session = { messages: [fromHost("Begin.")], checks: [checkEnding(0)] }
    const judged: JudgedTurn<string> = { ...turnOf({ work, session }), verdict: noVerdict }
    const outcome = yield* acceptance.accept(judged, "It is 5.")
    expect(outcome.session.messages).toStrictEqual([fromHost("Begin."), fromHost("Which case is missing?")])
    expect([outcome.end, saved]).toStrictEqual([Option.none(), [outcome.session]])
    const candidate = { value: "It is 5.", files: [], version: 0, checks: [checkEnding(0)] }
    expect(outcome.candidate).toStrictEqual(Option.some(candidate))
    const again = yield* acceptance.accept({ ...judged, candidate: outcome.candidate }, "It is 6.")
    expect(again.end).toStrictEqual(Option.some({ _tag: "Accepted", value: "It is 6." }))
  })

  nodeTest("is not questioned where the next compaction would drop the question", function* () {
    const { acceptance } = yield* open(questions)
    const messages = [fromHost("Begin."), fromHost("r".repeat(40_000))]
    const outcome = yield* acceptance.accept({ ...turnOf({ session: { messages } }), verdict: noVerdict }, "It is 5.")
    expect(outcome.session.messages).toStrictEqual(messages)
    expect(Option.isSome(outcome.end)).toBe(true)
  })

  nodeTest("that was questioned ends the work with an answer that leaves it, or adds a passing test", function* () {
    const { acceptance, fileAt } = yield* open()
    const copy = makeWorkingCopy()
    copy.propose({ ...source, path: fileAt(source.path) })
    const candidate = Option.some({
      value: "It is 5.",
      files: copy.files(),
      version: copy.version(),
      checks: [checkEnding(0)]
    })
    const judged = (text: string, results: Parameters<typeof turnOf>[0] = {}, isOpen = false): JudgedTurn<string> => ({
      ...turnOf({ work: workOf({ copy }), text, ...results }),
      candidate,
      verdict: { ...noVerdict, isOpen }
    })
    expect(acceptance.acceptedReport(judged("No such line."))).toStrictEqual(Option.some("It is 5."))
    const report = judged("## Result summary\n\nIt is 6.")
    expect(acceptance.acceptedReport(report)).toStrictEqual(Option.none())
    const accepted = { ...report, verdict: { ...noVerdict, accepted: Option.some("It is 6.") } }
    expect(acceptance.acceptedReport(accepted)).toStrictEqual(Option.some("It is 6."))
    copy.propose({ path: fileAt("test/slug.test.ts"), base: null, text: "t\n" })
    const tested = { results: { hasChanged: true, checks: [checkEnding(0)] } }
    expect(acceptance.acceptedReport(judged("Tested.", tested))).toStrictEqual(Option.some("It is 5."))
    expect(acceptance.acceptedReport(judged("Tested.", tested, true))).toStrictEqual(Option.none())
    const failing = { results: { hasChanged: true, checks: [checkEnding(1)] } }
    expect(acceptance.acceptedReport(judged("Tested.", failing))).toStrictEqual(Option.none())
    const untouched = { results: { hasChanged: false, checks: [checkEnding(0)] } }
    expect(acceptance.acceptedReport(judged("Tested.", untouched))).toStrictEqual(Option.none())
  })

  nodeTest("that was questioned stands in the end, without later changes that fail the checks", function* () {
    const { acceptance } = yield* open()
    const copy = makeWorkingCopy()
    copy.propose(source)
    const candidate = { value: "It is 5.", files: copy.files(), version: copy.version(), checks: [checkEnding(0)] }
    copy.propose({ ...source, text: "c\n" })
    const saved: Array<Session> = []
    const work = workOf({ copy }, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
    const endWith = (exitCode: number) =>
      acceptance.resolveCandidate(work, { ...newSession([]), checks: [checkEnding(exitCode)] }, candidate)
    expect(yield* endWith(0)).toBe("It is 5.")
    expect([copy.files()[0]?.text, saved]).toStrictEqual(["c\n", []])
    expect(yield* endWith(1)).toBe("It is 5.")
    expect(copy.files()[0]?.text).toBe("b\n")
    expect(saved.map(({ checks }) => checks)).toStrictEqual([[checkEnding(0)]])
  })
})
