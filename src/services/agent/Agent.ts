/**
 * The agent: a model works in turns on a task, on one of its items, or on a message of a conversation. Optional
 * mechanisms are hooks. `takeTurn` is one turn. It has eight phases:
 * - 1: Compaction.ts
 * - 2 and 3: ModelExchange.ts
 * - 4: CheckCalls.ts
 * - 5 and 6: RunCalls.ts
 * - 7: JudgeReport.ts
 * - 8: AcceptReport.ts and Reply.ts
 */
import { isAbsolute } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isFine } from "../../domain/checks/CheckOutcome.ts"
import type { CandidateReport } from "../../domain/documents/CandidateReport.ts"
import { isFaultless } from "../../domain/documents/CheckedCalls.ts"
import { turnLimit } from "../../domain/documents/TurnBudgets.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { unmadeOutcome } from "../../domain/tools/OpenChanges.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { SkillFiles } from "../files/SkillFiles.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { TooManyDenials } from "../tools/CallRecords.ts"
import { makeAcceptance } from "./AcceptReport.ts"
import type { AgentHook } from "./AgentHook.ts"
import { callsToMake, makeCallChecker } from "./CheckCalls.ts"
import { makeCompaction } from "./Compaction.ts"
import { makeRemainingOccurrences } from "./hooks/RemainingOccurrences.ts"
import { repeats } from "./hooks/Repeats.ts"
import { makeSelfReview } from "./hooks/SelfReview.ts"
import { judgeReport } from "./JudgeReport.ts"
import { makeModelExchange } from "./ModelExchange.ts"
import { makeReply } from "./Reply.ts"
import { makeCallRunner, ofTurn } from "./RunCalls.ts"
import { type AgentEnd, type AgentWork, type Assignment, getsLastAnswer, type Session } from "./Session.ts"
import type { AgentTurn, CallRun, FinishedTurn, JudgedTurn, TurnOutcome } from "./Turn.ts"

/** The current limit of turns. It grows with the number of files that a task changed. */
const limitOf = ({ copy, kind, mostTurns, skill }: Assignment): number =>
  kind === "message" || skill?.turns !== undefined ? mostTurns : turnLimit(mostTurns, copy.own().length)

/** The session at the end of a turn, with the results of the turn's calls. */
const sessionAfter = ({ checked, results, session }: FinishedTurn): Session => {
  const unmade = checked.unmade.map((change) => unmadeOutcome(change, session.turn))
  return {
    ...session,
    outcomes: [...session.outcomes, ...results.outcomes, ...unmade],
    files: [...session.files, ...results.files],
    checks: results.checks
  }
}

const makeTurn = Effect.gen(function* () {
  const compaction = yield* makeCompaction
  const events = yield* RunEvents
  const { limits } = yield* RunSettings
  const hooks: ReadonlyArray<AgentHook> = [
    yield* makeRemainingOccurrences,
    yield* makeSelfReview,
    repeats(limits.identicalCalls)
  ]
  const { accept, acceptedReport, resolveCandidate } = yield* makeAcceptance(hooks, compaction)
  const { askModel, readAnswer } = yield* makeModelExchange(compaction)
  const checkCalls = yield* makeCallChecker
  const reply = yield* makeReply(hooks, compaction)
  const { makeCalls, runCalls, targetOf } = yield* makeCallRunner(hooks, compaction)

  const reportRepairs = ({ session, verdict: { issues, repairs }, work }: JudgedTurn) => {
    if (repairs.length === 0 || issues.length > 0) return Effect.void
    return events.publish({
      type: "answer.repaired",
      call: { ...work.assignment.id, attempt: session.turn },
      repairs
    })
  }

  /**
   * Takes one turn. The work ends with an accepted report, or, for the kind `calls`, with the first faultless calls. It
   * ends early if the model repeats a call, calls are denied too often, answers are unusable, or no turn is left. In
   * these cases, it ends with the report that a hook has questioned. If no hook has questioned one, it ends without a
   * report.
   *
   * Besides the questioned report, three things persist from turn to turn:
   * - The session. Each turn makes a new session. Its conversation only grows, so that a server reads each part once. It
   * is compacted only when it is too long. `AgentWork.saveSession` receives each change.
   * - The working copy. Its changes reach the project after the work, once they are approved.
   * - The state of the kind of work, such as the fields of a task and the content of its references.
   */
  const takeTurn = Effect.fn("Agent.turn")(function* <A, E>(
    work: AgentWork<A, E>,
    before: Session,
    { candidate, answersLeft }: Pick<AgentTurn<A, E>, "candidate" | "answersLeft">
  ): Effect.fn.Return<TurnOutcome<A>, ModelError | TooManyDenials | E> {
    const { assignment } = work
    const limit = limitOf(assignment)
    // 1. Context: compact the conversation if it is too long.
    const context = (): Session => ({ ...compaction.compacted(work, before, answersLeft + 1), turn: before.turn + 1 })
    // 2. Ask the model for its next answer.
    const modelReply = yield* askModel(work, context)
    // 3. Read the answer: its text, and its native tool calls.
    const answer = yield* readAnswer(work, modelReply.answer)
    const session: Session = { ...modelReply.session, messages: [...modelReply.session.messages, answer.message] }
    const turn: AgentTurn<A, E> = { work, session, answer, answersLeft, candidate }
    // 4. Check the calls and changes of the answer.
    const checked = yield* checkCalls(assignment, answer.content)
    yield* work.saveSession(session)
    const possible = checked.calls.flatMap(({ call, issues }) => (issues.length === 0 ? [call] : []))
    if (assignment.kind === "calls" && isFaultless(answer, checked)) {
      return { session, candidate, end: Option.some({ _tag: "Calls", calls: possible }) }
    }
    // 5. Run the calls, and apply their changes to the working copy. 6. Run the project's checks on the changes.
    const results = yield* runCalls(turn, callsToMake(turn, possible))
    const finished: FinishedTurn<A, E> = {
      ...turn,
      answersLeft: answersLeft + limitOf(assignment) - limit,
      checked,
      results
    }
    const worked = sessionAfter(finished)
    // 7. Judge the report.
    const verdict = yield* judgeReport({ ...finished, session: worked })
    const isUnfounded = verdict.isUnfounded && Option.isSome(verdict.accepted)
    const judged: JudgedTurn<A, E> = { ...finished, session: { ...worked, isUnfounded }, verdict }
    yield* reportRepairs(judged)
    // 8. End the work with an accepted report, or reply and continue.
    const report = acceptedReport(judged)
    return Option.isSome(report) ? yield* accept(judged, report.value) : yield* reply(judged)
  })

  return { makeCalls, resolveCandidate, takeTurn, targetOf }
})

export class Agent extends Context.Service<
  Agent,
  {
    run<A, E>(work: AgentWork<A, E>, begun: Session): Effect.Effect<AgentEnd<A>, ModelError | TooManyDenials | E>
    /** Makes calls that the program chose in place of the model's first answer. */
    runCalls<A, E>(work: AgentWork<A, E>, calls: ReadonlyArray<ToolCall>): Effect.Effect<CallRun, TooManyDenials | E>
  }
>()("task-conductor/services/agent/Agent") {
  static readonly layer = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const { makeCalls, resolveCandidate, takeTurn, targetOf } = yield* makeTurn

      const run = Effect.fnUntraced(function* <A, E>(
        work: AgentWork<A, E>,
        begun: Session
      ): Effect.fn.Return<AgentEnd<A>, ModelError | TooManyDenials | E> {
        const leftAfter = ({ turn }: Session): number => limitOf(work.assignment) - turn - 1
        let session = begun
        let candidate: Option.Option<CandidateReport<A>> = Option.none()
        let end: AgentEnd<A> | undefined
        let atMost = Infinity
        for (let left = leftAfter(begun); left >= 0; left = Math.min(atMost, leftAfter(session))) {
          const outcome: TurnOutcome<A> = yield* takeTurn(work, session, { candidate, answersLeft: left })
          session = outcome.session
          candidate = outcome.candidate
          atMost -= 1
          if (Option.isNone(outcome.end)) continue
          if (end === undefined || outcome.end.value._tag === "Accepted") end = outcome.end.value
          if (!getsLastAnswer(work, outcome.end.value)) break
          atMost = Math.min(atMost, 0)
        }
        end ??= { _tag: "Limit", turns: limitOf(work.assignment) }
        if (Option.isNone(candidate) || (end._tag === "Accepted" && session.checks.every(isFine))) return end
        return { _tag: "Accepted", value: yield* resolveCandidate(work, session, candidate.value) }
      })

      /**
       * Lets an effect read the project files as the work has changed them. The effect may also read the files of the
       * skill.
       */
      const within =
        ({ assignment }: Pick<AgentWork<unknown>, "assignment">) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
          const target = targetOf(assignment)
          return effect.pipe(
            Effect.provideService(CurrentCopy, target === "project" ? undefined : target),
            Effect.provideService(SkillFiles, new Set(assignment.skill?.files?.filter((file) => isAbsolute(file))))
          )
        }

      return Agent.of({
        run: (work, begun) => within(work)(run(work, begun)),
        runCalls: (work, calls) => within(work)(makeCalls(work, ofTurn(0, calls)))
      })
    })
  )
}
