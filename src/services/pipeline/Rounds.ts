/**
 * The rounds of a run: work on the open tasks and revise the list, until no task remains or a limit is reached. Rounds
 * that an earlier session finished come from the journal.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { DeclinedFact } from "../../domain/checks/Facts.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { TaskList } from "../../domain/plan/TaskList.ts"
import { stepText } from "../../domain/plan/TaskName.ts"
import { endingFailure, isFinal, openFailures, TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { RequestedChange } from "../../domain/permissions/ApprovalItem.ts"
import { seenKey, stageKey } from "../../domain/runs/ActivityKey.ts"
import { type RequestedInRound, unfollowed } from "../../domain/runs/Followed.ts"
import type { RoundsEnd, Shortfall } from "../../domain/runs/RunOutcome.ts"
import { deniedTasks, endedClean, missingChanges, type RoundWork } from "../../domain/runs/NotDone.ts"
import { Checks } from "../checks/Checks.ts"
import { Activities } from "../journal/Activities.ts"
import { RunAnswers } from "../permissions/RunAnswers.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import type { RunState } from "../runs/RunState.ts"
import { changeKinds } from "./CheckedEvidence.ts"
import { Reviser } from "./Reviser.ts"
import { Scheduler } from "./Scheduler.ts"

const FinishedRound = Schema.Struct({
  results: Schema.Array(TaskResult),
  failures: Schema.Array(TaskFailure),
  revised: TaskList,
  /** What the user declined in this round, and what the user wants instead. */
  requested: Schema.optionalKey(Schema.NonEmptyArray(RequestedChange))
})

const stageOf = (round: number) => ({ key: stageKey.round(round), success: FinishedRound })

/** The result of one round: the end of all rounds, or the tasks of the next one. */
type RoundResult = { readonly end: RoundsEnd; readonly requested?: undefined } | typeof FinishedRound.Type

interface NextRound {
  readonly briefing: Briefing
  readonly list: TaskList
  readonly state: RunState
  readonly round: number
}

/** A failure of the last round with the same message as a failure of an earlier round. */
const repeatedFailure = (rounds: ReadonlyArray<RoundWork>): TaskFailure | undefined => {
  const before = new Set(rounds.slice(0, -1).flatMap(({ failures }) => failures.map(({ message }) => message)))
  return rounds.at(-1)?.failures.find(({ message, skipped }) => !skipped && before.has(message))
}

const declinedFact = ({ declined, instead }: RequestedChange): DeclinedFact => ({
  declined: stepText(declined),
  instead
})

/** How the rounds ended, and what they left undone. */
export interface RoundsOutcome extends Pick<Shortfall, "deniedTasks" | "missing" | "notRun" | "unfollowed"> {
  readonly end: RoundsEnd
  /** True if the only task met the goals without failures. Its report is the answer. */
  readonly isClean: boolean
}

const whyNotRun = (end: RoundsEnd): string | undefined => {
  if (end._tag === "MaxRounds") return "The maximum of rounds was reached before it."
  if (end._tag === "ModelUnable") return "The model could not do the tasks before it."
  if (end._tag !== "Declined") return undefined
  return end.by === "person" ? `The user declined "${end.step}".` : `Nobody could approve "${end.step}".`
}

/** Restores a round that an earlier session finished. */
const restored = ({ failures, requested, results }: typeof FinishedRound.Type, state: RunState) =>
  Effect.andThen(
    Effect.forEach([...results, ...failures], state.add, { discard: true }),
    state.addDeclined((requested ?? []).map(declinedFact))
  )

/** Checks the changes of several tasks together, because each task was checked alone. */
const checkTogether = Effect.fnUntraced(function* (checks: Checks["Service"], state: RunState) {
  const { checks: earlier, isStale, results, rounds: round } = yield* state.get
  if (!isStale) return
  const paths = new Set(results.flatMap(({ files = [] }) => files.map(({ path }) => path)))
  yield* state.setChecks(yield* checks.run({ task: "all changes", round, turn: 0 }, [...paths], earlier))
})

const makeRoundRunner = Effect.gen(function* () {
  const activities = yield* Activities
  const answers = yield* RunAnswers
  const events = yield* RunEvents
  const kinds = yield* changeKinds
  const reviser = yield* Reviser
  const scheduler = yield* Scheduler

  return Effect.fnUntraced(function* (next: NextRound): Effect.fn.Return<RoundResult, ModelError> {
    const { briefing, list, round, state } = next
    yield* events.publish({ type: "round.started", round })
    const before = (yield* answers.requestedChanges).length
    const declined = yield* scheduler.runRound(next)
    const rounds = yield* state.rounds
    const { failures, results } = rounds.at(-1) ?? { failures: [], results: [] }
    yield* events.publish({ type: "round.finished", round, finished: results.length, failed: failures.length })
    const requestedChanges = yield* activities.record(
      { key: seenKey.requestedChanges(round), success: Schema.Array(RequestedChange) },
      Effect.map(answers.requestedChanges, (all) => all.slice(before))
    )
    yield* state.addDeclined(requestedChanges.map(declinedFact))
    const isRequested = requestedChanges.length > 0
    if (!isRequested && declined !== undefined) return { end: { _tag: "Declined", ...declined } }
    const repeated = isRequested ? undefined : repeatedFailure(rounds)
    if (repeated !== undefined) return { end: { _tag: "FailedTwice", failure: repeated } }
    const soFar = yield* state.get
    const unable = endingFailure(openFailures(soFar.failures, soFar.results), soFar.results)
    if (unable !== undefined) return { end: { _tag: "ModelUnable", message: unable.message } }
    const missing = missingChanges(rounds, kinds)
    if (!isRequested && missing.length === 0 && endedClean(rounds, kinds)) return { end: { _tag: "GoalsMet" } }
    const revised = yield* Effect.result(
      reviser.revise({
        briefing,
        round,
        outstanding: list.outstanding(yield* state.finishedNames),
        finished: soFar.results,
        failures,
        missing,
        requestedChanges
      })
    )
    if (Result.isFailure(revised)) {
      if (revised.failure._tag === "ModelError") return yield* revised.failure
      return { end: { _tag: "ModelUnable", message: `Task list iteration: ${revised.failure.unable}` } }
    }
    const requested = Arr.isReadonlyArrayNonEmpty(requestedChanges) ? { requested: requestedChanges } : {}
    const finished = { results, failures, revised: revised.success, ...requested }
    return yield* activities.runStage(stageOf(round), Effect.succeed(finished), () => results.every(isFinal))
  })
})

export const makeRounds = Effect.gen(function* () {
  const activities = yield* Activities
  const checks = yield* Checks
  const { limits } = yield* RunSettings
  const kinds = yield* changeKinds
  const runRound = yield* makeRoundRunner

  const runAll = Effect.fnUntraced(function* ({ briefing, list, state }: Omit<NextRound, "round">) {
    let pending = list
    let unresolved: ReadonlyArray<TaskFailure> = []
    const requested: Array<RequestedInRound> = []
    const ended = (end: RoundsEnd) => ({ end, pending, requested })
    for (let round = 1; pending.hasPending(yield* state.finishedNames); round += 1) {
      if (round > limits.rounds) return ended({ _tag: "MaxRounds", rounds: limits.rounds })
      yield* state.startRound(pending.tasks)
      const before = yield* activities.stageResult(stageOf(round))
      if (Option.isSome(before)) yield* restored(before.value, state)
      const result: RoundResult = Option.isSome(before)
        ? before.value
        : yield* runRound({ briefing, list: pending, state, round })
      requested.push(...(result.requested ?? []).map((change) => Object.assign({ round }, change)))
      if ("end" in result) return ended(result.end)
      pending = result.revised
      unresolved = result.failures
    }
    return ended(unresolved.length === 0 ? { _tag: "GoalsMet" } : { _tag: "Unresolved", failures: unresolved })
  })

  /** Works on the list until the rounds end. Adds each result to the state at once. */
  return Effect.fn("Rounds.run")(function* (briefing: Briefing, list: TaskList, state: RunState) {
    const { pending, requested, ...ended } = yield* runAll({ briefing, list, state })
    /* A user who declined a step is not asked about further checks. */
    if (ended.end._tag !== "Declined") yield* checkTogether(checks, state)
    const why = whyNotRun(ended.end)
    const failed = new Set((yield* state.get).failures.map(({ task }) => task))
    const left = pending.outstanding(yield* state.finishedNames).tasks.filter(({ name }) => !failed.has(name))
    const notRun = why === undefined ? [] : left.map(({ name }) => ({ task: name, why }))
    const rounds = yield* state.rounds
    const missing = missingChanges(rounds, kinds)
    const isClean = ended.end._tag === "GoalsMet" && missing.length === 0 && endedClean(rounds, kinds)
    const open = unfollowed(requested, rounds, kinds)
    return { ...ended, missing, notRun, isClean, deniedTasks: deniedTasks(rounds), unfollowed: open }
  })
})
