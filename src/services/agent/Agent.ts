/**
 * The agent: a model works in turns on a task, on one of its items, or on a message of a conversation. `takeTurn` is one turn, in eight
 * phases: 1 in Compaction.ts, 2 and 3 in ModelExchange.ts, 4 in CheckCalls.ts, 5 and 6 in RunCalls.ts, 7 in JudgeReport.ts, 8 in Reply.ts.
 * Mechanisms that a turn works without are hooks.
 */
import { isAbsolute } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isFine } from "../../domain/checks/CheckOutcome.ts"
import {
  type CandidateReport,
  isTested,
  isUnchanged,
  mayStay,
  takenBack
} from "../../domain/documents/CandidateReport.ts"
import { type CheckedCalls, isFaultless } from "../../domain/documents/CheckedCalls.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { type ConversationMessage, fromHost } from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { unmadeOutcome } from "../../domain/tools/OpenChanges.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { SkillFiles } from "../files/SkillFiles.ts"
import { CurrentCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { TooManyDenials } from "../tools/CallRecords.ts"
import type { AgentHook } from "./AgentHook.ts"
import { makeCallChecker } from "./CheckCalls.ts"
import { makeCompaction } from "./Compaction.ts"
import { lastTurn } from "./hooks/LastTurn.ts"
import { makePrefetch } from "./hooks/Prefetch.ts"
import { makeRemainingOccurrences } from "./hooks/RemainingOccurrences.ts"
import { repeats } from "./hooks/Repeats.ts"
import { makeSelfReview } from "./hooks/SelfReview.ts"
import { judgeReport } from "./JudgeReport.ts"
import { makeModelExchange } from "./ModelExchange.ts"
import { makeReply } from "./Reply.ts"
import { makeCallRunner, ofTurn } from "./RunCalls.ts"
import type { AgentEnd, AgentWork, AnyWork, Session } from "./Session.ts"
import type { AgentTurn, CallRun, FinishedTurn, JudgedTurn, TurnOutcome, TurnPlace, TurnResults } from "./Turn.ts"

/** The hooks in use, in their order. */
const makeHooks = Effect.gen(function* () {
  const { limits } = yield* RunSettings
  const hooks: ReadonlyArray<AgentHook> = [
    yield* makePrefetch,
    lastTurn,
    yield* makeRemainingOccurrences,
    yield* makeSelfReview,
    repeats(limits.identicalCalls)
  ]
  return hooks
})

/** The session with what came of a turn. */
const withResults = (session: Session, results: TurnResults, { unmade }: CheckedCalls): Session => ({
  ...session,
  outcomes: [...session.outcomes, ...results.outcomes, ...unmade.map((change) => unmadeOutcome(change, session.turn))],
  files: [...session.files, ...results.files],
  checks: results.checks
})

const stateOf = (copy: WorkingCopy) => ({ files: copy.files(), version: copy.version() })

const endOf = <A>(session: Session, { candidate }: TurnPlace<A>, end: AgentEnd<A>): TurnOutcome<A> => ({
  session,
  candidate,
  end: Option.some(end),
  getsLastAnswer: false
})

export class Agent extends Context.Service<
  Agent,
  {
    /** Takes turns until the work ends. */
    run<A, E>(work: AgentWork<A, E>, begun: Session): Effect.Effect<AgentEnd<A>, ModelError | TooManyDenials | E>
    /** Makes calls that stand for the first answer. */
    runCalls<A, E>(work: AgentWork<A, E>, calls: ReadonlyArray<ToolCall>): Effect.Effect<CallRun, TooManyDenials | E>
    /** Material from the hooks for the first message of a task. */
    opening(round: number, task: Task, briefing: Briefing): Effect.Effect<string>
    /** The messages, with the room for the next reply said at their end. */
    withBudgetNote(work: AnyWork, messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage>
    /** The messages with a summary in the place of the turns so far. */
    compactedMessages(work: AnyWork, session: Session, instruction: string): ReadonlyArray<ConversationMessage>
    /** The characters that the reply to these messages may have. */
    replyBudget(work: AnyWork, messages: ReadonlyArray<ConversationMessage>): number
  }
>()("task-conductor/services/agent/Agent") {
  static readonly layer = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const changes = yield* makeTaskChanges
      const checkCalls = yield* makeCallChecker
      const compaction = yield* makeCompaction
      const events = yield* RunEvents
      const { askModel, readReply } = yield* makeModelExchange(compaction)
      const hooks = yield* makeHooks
      const goOn = yield* makeReply(hooks, compaction)
      const tools = yield* makeCallRunner(hooks, compaction)

      /**
       * One turn: an exchange with the model. The program asks, reads the reply, makes the calls and changes that it asks for, runs
       * the checks of the project on them, and replies.
       *
       * The work ends when a report is accepted, or, where only calls are wanted, with the first faultless ones. It also ends, without
       * a report, when the model makes the same call again and again, when its calls were denied too often, when its replies cannot be
       * used, or when no turn is left; a report that a hook had questioned is accepted then after all.
       *
       * From turn to turn three things are kept, beside such a report. The session, of which a turn makes a new one: its conversation only
       * grows, so that a server reads each part of it once, and is compacted when it becomes too long; `AgentWork.keep` gets it as soon
       * as something changed. The working copy: its changes reach the project after the work, when they were approved. And what the
       * kind of work keeps by itself, such as the fields of a task and what its references showed.
       */
      const takeTurn = Effect.fn("Agent.turn")(function* <A, E>(
        work: AgentWork<A, E>,
        before: Session,
        place: TurnPlace<A>
      ): Effect.fn.Return<TurnOutcome<A>, ModelError | TooManyDenials | E> {
        const { assignment } = work
        const { left, turn } = place
        // 1. Context: compact the conversation when it has become too long.
        const context = (): Session => ({ ...compaction.compacted(work, before, left + 1), turn })
        // 2. Ask the model for its next answer.
        const { reply, session: asked } = yield* askModel(work, context)
        // 3. Read the reply: its text, and its calls of the interface.
        const parsed = yield* readReply(work, reply)
        const answered: Session = { ...asked, messages: [...asked.messages, parsed.message] }
        // 4. Check its calls and changes.
        const checked = yield* checkCalls(assignment, parsed.turn)
        yield* work.keep(answered)
        const possible = checked.calls.flatMap(({ call, issues }) => (issues.length === 0 ? [call] : []))
        if (assignment.kind === "calls" && isFaultless(parsed, checked)) {
          return endOf(answered, place, { _tag: "Calls", calls: possible })
        }
        // 5. Run the calls, and apply the changes to the working copy.
        const read: AgentTurn = { work, session: answered, reply, parsed, turn, left }
        const calls = chosenCalls(read, possible)
        const run = yield* tools.run(work, read, calls)
        // 6. Run the checks of the project on what has changed.
        const results = yield* tools.inspect(read, calls, run)
        const worked = withResults(answered, results, checked)
        // 7. Judge the report.
        const finished: FinishedTurn = { ...read, session: worked, checked, results }
        const verdict = yield* judgeReport(work, finished)
        const session = { ...worked, isUnfounded: verdict.isUnfounded && Option.isSome(verdict.accepted) }
        const priorCalls = [...assignment.priorCalls, ...before.outcomes]
        const judged: JudgedTurn<A> = { ...finished, ...place, session, priorCalls, verdict }
        yield* reportRepairs(judged)
        // 8. End with an accepted report, or reply and go on.
        const accepted = acceptedReport(judged)
        return Option.isSome(accepted) ? yield* accept(work, judged, accepted.value) : yield* goOn(work, judged)
      })

      const chosenCalls = (read: AgentTurn, possible: ReadonlyArray<ToolCall>): ReadonlyArray<ToolCall> => {
        let calls = possible
        for (const { beforeTools } of hooks) calls = beforeTools?.(read, calls) ?? calls
        return calls
      }

      const reportRepairs = ({ turn, verdict: { issues, repairs }, work }: JudgedTurn<unknown>) => {
        if (repairs.length === 0 || issues.length > 0) return Effect.void
        return events.publish({ type: "answer.repaired", call: { ...work.assignment.id, attempt: turn }, repairs })
      }

      /** The report that may end the work: that of this turn, or a candidate that the turn leaves as it is or only tests. */
      const acceptedReport = <A>(judged: JudgedTurn<A>): Option.Option<A> => {
        const { candidate, parsed, reply, results, verdict, work } = judged
        const value = Option.map(candidate, (report) => report.value)
        const state = stateOf(work.assignment.copy)
        const isKept = Option.exists(candidate, (report) => isUnchanged(report, state, reply.answer, parsed))
        if (isKept) return value
        const isProven =
          results.hasChanged &&
          !verdict.isOpen &&
          Option.exists(candidate, (report) => isTested(report, state, results.checks, changes.nameOf))
        return Option.orElse(verdict.accepted, () => (isProven ? value : Option.none()))
      }

      /** Ends the work with a report, unless a hook has a question first; a report is questioned once. */
      const accept = Effect.fnUntraced(function* <A, E>(
        work: AgentWork<A, E>,
        judged: JudgedTurn<A>,
        value: A
      ): Effect.fn.Return<TurnOutcome<A>> {
        const { candidate, left, session } = judged
        const ask = Effect.forEach(hooks, ({ beforeEnd }) => beforeEnd?.(judged) ?? Effect.undefined)
        const question = Option.isSome(candidate) ? undefined : (yield* ask).find((text) => text !== undefined)
        const questioned =
          question === undefined ? session : { ...session, messages: [...session.messages, fromHost(question)] }
        // A question that the next compaction would drop is not worth a call.
        const isAsked = questioned !== session && compaction.compacted(work, questioned, left) === questioned
        yield* work.keep(isAsked ? questioned : session)
        if (!isAsked) return endOf(session, judged, { _tag: "Accepted", value })
        const waiting = { ...stateOf(work.assignment.copy), value, checks: session.checks }
        return { session: questioned, candidate: Option.some(waiting), end: Option.none(), getsLastAnswer: false }
      })

      /** Takes turns until the work ends. */
      const run = Effect.fnUntraced(function* <A, E>(
        work: AgentWork<A, E>,
        begun: Session
      ): Effect.fn.Return<AgentEnd<A>, ModelError | TooManyDenials | E> {
        let session = begun
        let candidate: Option.Option<CandidateReport<A>> = Option.none()
        let most = work.assignment.mostTurns
        let end: AgentEnd<A> = { _tag: "Limit", turns: most }
        for (let turn = begun.turn + 1; turn <= most; turn += 1) {
          const outcome: TurnOutcome<A> = yield* takeTurn(work, session, { turn, left: most - turn, candidate })
          session = outcome.session
          candidate = outcome.candidate
          if (Option.isNone(outcome.end)) continue
          if (end._tag === "Limit" || outcome.end.value._tag === "Accepted") end = outcome.end.value
          if (!outcome.getsLastAnswer || turn === most) break
          most = turn + 1
        }
        if (Option.isNone(candidate) || (end._tag === "Accepted" && session.checks.every(isFine))) return end
        return { _tag: "Accepted", value: yield* settle(work, session, candidate.value) }
      })

      /** Ends with a candidate after all: later changes that do not pass the checks are taken back. */
      const settle = Effect.fnUntraced(function* <A, E>(
        { assignment: { copy }, keep }: AgentWork<A, E>,
        session: Session,
        candidate: CandidateReport<A>
      ) {
        const state = stateOf(copy)
        if (mayStay(candidate, state, session.checks)) return candidate.value
        for (const file of takenBack(candidate, state)) copy.propose(file)
        yield* keep({ ...session, checks: candidate.checks })
        return candidate.value
      })

      /** The work sees the project as its calls leave it, and the files of its skill. */
      const within =
        ({ assignment }: Pick<AnyWork, "assignment">) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
          const target = tools.targetOf(assignment)
          return effect.pipe(
            Effect.provideService(CurrentCopy, target === "project" ? undefined : target),
            Effect.provideService(SkillFiles, new Set(assignment.skill?.files?.filter((file) => isAbsolute(file))))
          )
        }

      return Agent.of({
        run: (work, begun) => within(work)(run(work, begun)),
        runCalls: (work, calls) => within(work)(tools.make(work, ofTurn(0, calls))),
        opening: (round, task, briefing) =>
          Effect.map(
            Effect.forEach(hooks, ({ opening }) => opening?.(round, task, briefing) ?? Effect.succeed("")),
            (texts) => texts.join("")
          ),
        withBudgetNote: compaction.withBudgetNote,
        compactedMessages: compaction.compactedMessages,
        replyBudget: compaction.replyBudget
      })
    })
  )
}
