/** Which report ends the work, when a hook questions it first, and what becomes of a questioned one. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckOutcome } from "../../../src/domain/checks/CheckOutcome.ts"
import { fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import { makeAcceptance } from "../../../src/services/agent/AcceptReport.ts"
import type { AgentHook } from "../../../src/services/agent/AgentHook.ts"
import { newSession, type Session } from "../../../src/services/agent/Session.ts"
import type { JudgedTurn } from "../../../src/services/agent/Turn.ts"
import { makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { turnOf, workOf } from "../../support/AgentWork.ts"
import { openStages } from "../../support/OpenStages.ts"

const check = (exitCode: number): CheckOutcome => ({
  command: "npm test",
  exitCode,
  seconds: 1,
  text: "",
  failures: [],
  newFailures: exitCode === 0 ? [] : ["slug"]
})
const verdict = {
  accepted: Option.none<string>(),
  issues: [],
  repairs: [],
  isSentBack: false,
  isUnfounded: false,
  isOpen: false
}
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

layer(NodeServices.layer)("a report", (it) => {
  it.effect("ends the work when it is accepted, and no hook has a question", () =>
    Effect.gen(function* () {
      const { acceptance } = yield* open()
      const saved: Array<Session> = []
      const work = workOf({}, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
      const judged: JudgedTurn<string> = {
        ...turnOf({ work }),
        verdict: { ...verdict, accepted: Option.some("It is 5.") }
      }
      assert.deepStrictEqual(acceptance.acceptedReport(judged), Option.some("It is 5."))
      assert.deepStrictEqual(acceptance.acceptedReport({ ...judged, verdict }), Option.none())
      const outcome = yield* acceptance.accept(judged, "It is 5.")
      assert.deepStrictEqual(outcome.end, Option.some({ _tag: "Accepted", value: "It is 5." }))
      assert.deepStrictEqual(
        [outcome.session, outcome.candidate, saved],
        [judged.session, Option.none(), [judged.session]]
      )
    })
  )

  it.effect("waits for the first question of a hook, and is questioned once", () =>
    Effect.gen(function* () {
      const { acceptance } = yield* open(questions)
      const saved: Array<Session> = []
      const work = workOf({}, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
      const session = { messages: [fromHost("Begin.")], checks: [check(0)] }
      const judged: JudgedTurn<string> = { ...turnOf({ work, session }), verdict }
      const outcome = yield* acceptance.accept(judged, "It is 5.")
      assert.deepStrictEqual(outcome.session.messages, [fromHost("Begin."), fromHost("Which case is missing?")])
      assert.deepStrictEqual([outcome.end, saved], [Option.none(), [outcome.session]])
      const candidate = { value: "It is 5.", files: [], version: 0, checks: [check(0)] }
      assert.deepStrictEqual(outcome.candidate, Option.some(candidate))
      const again = yield* acceptance.accept({ ...judged, candidate: outcome.candidate }, "It is 6.")
      assert.deepStrictEqual(again.end, Option.some({ _tag: "Accepted", value: "It is 6." }))
    })
  )

  it.effect("is not questioned where the next compaction would drop the question", () =>
    Effect.gen(function* () {
      const { acceptance } = yield* open(questions)
      const messages = [fromHost("Begin."), fromHost("r".repeat(40_000))]
      const outcome = yield* acceptance.accept({ ...turnOf({ session: { messages } }), verdict }, "It is 5.")
      assert.deepStrictEqual(outcome.session.messages, messages)
      assert.isTrue(Option.isSome(outcome.end))
    })
  )

  it.effect(
    "that was questioned ends the work when the answer leaves it as it is, or only adds a test that passes",
    () =>
      Effect.gen(function* () {
        const { acceptance, fileAt } = yield* open()
        const copy = makeWorkingCopy()
        copy.propose({ ...source, path: fileAt(source.path) })
        const candidate = Option.some({
          value: "It is 5.",
          files: copy.files(),
          version: copy.version(),
          checks: [check(0)]
        })
        const judged = (
          text: string,
          results: Parameters<typeof turnOf>[0] = {},
          isOpen = false
        ): JudgedTurn<string> => ({
          ...turnOf({ work: workOf({ copy }), text, ...results }),
          candidate,
          verdict: { ...verdict, isOpen }
        })
        assert.deepStrictEqual(acceptance.acceptedReport(judged("No such line.")), Option.some("It is 5."))
        const report = judged("## Result summary\n\nIt is 6.")
        assert.deepStrictEqual(acceptance.acceptedReport(report), Option.none())
        const accepted = { ...report, verdict: { ...verdict, accepted: Option.some("It is 6.") } }
        assert.deepStrictEqual(acceptance.acceptedReport(accepted), Option.some("It is 6."))
        copy.propose({ path: fileAt("test/slug.test.ts"), base: null, text: "t\n" })
        const tested = { results: { hasChanged: true, checks: [check(0)] } }
        assert.deepStrictEqual(acceptance.acceptedReport(judged("Tested.", tested)), Option.some("It is 5."))
        assert.deepStrictEqual(acceptance.acceptedReport(judged("Tested.", tested, true)), Option.none())
        const failing = { results: { hasChanged: true, checks: [check(1)] } }
        assert.deepStrictEqual(acceptance.acceptedReport(judged("Tested.", failing)), Option.none())
        const untouched = { results: { hasChanged: false, checks: [check(0)] } }
        assert.deepStrictEqual(acceptance.acceptedReport(judged("Tested.", untouched)), Option.none())
      })
  )

  it.effect("that was questioned stands in the end, without later changes that fail the checks", () =>
    Effect.gen(function* () {
      const { acceptance } = yield* open()
      const copy = makeWorkingCopy()
      copy.propose(source)
      const candidate = { value: "It is 5.", files: copy.files(), version: copy.version(), checks: [check(0)] }
      copy.propose({ ...source, text: "c\n" })
      const saved: Array<Session> = []
      const work = workOf({ copy }, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
      const endWith = (exitCode: number) =>
        acceptance.resolveCandidate(work, { ...newSession([]), checks: [check(exitCode)] }, candidate)
      assert.strictEqual(yield* endWith(0), "It is 5.")
      assert.deepStrictEqual([copy.files()[0]?.text, saved], ["c\n", []])
      assert.strictEqual(yield* endWith(1), "It is 5.")
      assert.strictEqual(copy.files()[0]?.text, "b\n")
      assert.deepStrictEqual(
        saved.map(({ checks }) => checks),
        [[check(0)]]
      )
    })
  )
})
