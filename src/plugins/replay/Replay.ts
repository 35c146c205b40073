/**
 * Replays one session of a saved run from its journal: without a model, tools or a user. It uses the recorded answers,
 * results and decisions, and compares prompts. Calls end in the journal's order: each fiber is parked at its call. When
 * no fiber runs, the parked fiber with the earliest call continues.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { MixedScheduler, Scheduler } from "effect/Scheduler"
import {
  Activities,
  type Activity,
  activityName,
  eventsOf,
  hasEnded,
  type JournalError,
  type JournalLine,
  keyOfActivity,
  knownBy,
  publishedEvents,
  readRecords,
  type RunStage,
  stageKey,
  unknownRecord
} from "../../kit/runs.ts"
import { withoutBudgets } from "../../kit/documents.ts"
import { redacted } from "../../kit/text.ts"
import { type RecordedEvent, type RunEvent, Workspace } from "../../plugin-kit.ts"
import type { PlacedDifference } from "./RunDifference.ts"
import type { ReplaySession } from "./ReplaySessions.ts"
import { layerReplayDecisions } from "./ReplayDecisions.ts"

interface Parked {
  readonly key: string
  readonly position: number
  readonly resume: () => void
}

/** The default scheduler. It reports the beginning and the end of each fiber's steps. */
const watchedScheduler = (begin: () => void, end: () => void): Scheduler => {
  const scheduler = new MixedScheduler()
  return {
    executionMode: scheduler.executionMode,
    shouldYield: (fiber) => scheduler.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = scheduler.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          begin()
          dispatcher.scheduleTask(() => {
            try {
              task()
            } finally {
              end()
            }
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }
}

export const makeReplayOrder = Effect.map(Deferred.make<ReadonlyArray<string>>(), (stopped) => {
  const parked = new Set<Parked>()
  let running = 0
  let isCheckDue = false

  const check = (): void => {
    isCheckDue = false
    if (running > 0 || parked.size === 0) return
    const next = [...parked].reduce((first, one) => (one.position < first.position ? one : first))
    if (next.position === Infinity) {
      const keys = [...parked].map(({ key }) => key)
      Deferred.doneUnsafe(stopped, Effect.succeed(keys))
      return
    }
    parked.delete(next)
    next.resume()
    checkSoon()
  }

  /** Checks soon whether all fibers are parked. Called when a fiber is parked, ends, or schedules a step. */
  const checkSoon = (): void => {
    if (isCheckDue) return
    isCheckDue = true
    setImmediate(check)
  }

  const begin = (): void => {
    running += 1
  }
  const end = (): void => {
    running -= 1
    if (running === 0) checkSoon()
  }
  const scheduler = watchedScheduler(begin, end)

  return {
    /**
     * Parks the fiber until this position is next. Without a position, the journal lacks the call, and the fiber never
     * continues.
     */
    turn: (key: string, position = Infinity) =>
      Effect.callback<void>((resume) => {
        const parkedCall: Parked = { key, position, resume: () => resume(Effect.void) }
        parked.add(parkedCall)
        checkSoon()
        return Effect.sync(() => {
          parked.delete(parkedCall)
        })
      }),
    /** Does work outside of the replay, such as reading a file. Its fiber counts as running. */
    outside: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(begin),
        () => work,
        () => Effect.sync(end)
      ),
    /** Runs the replay until it ends, or until no parked call can continue. Returns the keys of the parked calls. */
    conduct: <E, R>(replay: Effect.Effect<unknown, E, R>): Effect.Effect<ReadonlyArray<string>, E, R> =>
      Effect.raceFirst(Effect.as(Effect.provideService(replay, Scheduler, scheduler), []), Deferred.await(stopped))
  }
})

/** Replaces the model, the tools, the project and the user by data from the journal. */
export type Replay = Effect.Success<ReturnType<typeof makeReplay>>

type Ended = { readonly value: Schema.Json } | { readonly error: Schema.Json }
type Prompt = NonNullable<Activity<unknown, unknown, unknown>["prompt"]>

/** Entries of the journal. Each entry is stored under its full name and under its key. */
type Named<A> = Map<string, A>

const setNamed = <A>(named: Named<A>, name: string, value: A) => named.set(keyOfActivity(name), value).set(name, value)

/**
 * The entry with this full name, or else with the key of the name. The key finds a call even if its prompt or arguments
 * have changed.
 */
const similar = <A>(named: Named<A>, name: string): A | undefined => named.get(name) ?? named.get(keyOfActivity(name))

const readLines = (lines: ReadonlyArray<JournalLine>, firstOwn: number) => {
  const ownActivities: Named<Ended & { readonly position: number }> = new Map()
  const untaken = new Set<number>()
  const before: Named<Ended> = new Map()
  const prompts: Named<Prompt> = new Map()
  const sightings = new Map<string, Array<{ readonly value: Schema.Json; readonly position: number }>>()
  const ends = new Map<string, number>()
  for (const [position, record] of readRecords(lines).entries()) {
    if (record.type === "prompt") setNamed(prompts, record.key, { system: record.system ?? "", user: record.user })
    else if (record.type === "settled" && position >= firstOwn) ends.set(record.key, position)
    else if (record.type === "event" && record.event.type === "task.finished" && position >= firstOwn) {
      ends.set(stageKey.task(record.event.round, record.event.task), position)
    } else if (record.type === "seen" && position >= firstOwn) {
      sightings.set(record.key, [...(sightings.get(record.key) ?? []), { value: record.value, position }])
    } else if (record.type === "outcome" || (record.type === "failure" && position >= firstOwn)) {
      const ending: Ended = record.type === "outcome" ? { value: record.value } : { error: record.error }
      if (position >= firstOwn) {
        setNamed(ownActivities, record.key, { ...ending, position })
        untaken.add(position)
      } else setNamed(before, record.key, ending)
    }
  }
  return { own: ownActivities, untaken, before, prompts, seen: sightings, ends }
}

const promptText = ({ system, user }: Prompt): string => `${system}\n\n${user}`

/** How a call differs from the journal. */
const differencesOf = (
  { before, own: ownActivities, prompts }: ReturnType<typeof readLines>,
  { key, prompt }: Pick<Activity<unknown, unknown, unknown>, "key" | "prompt">,
  name: string
): ReadonlyArray<PlacedDifference["difference"]> => {
  const then = similar(prompts, name)
  if (prompt === undefined || then === undefined) {
    const isSame = ownActivities.get(name) !== undefined || before.get(name) !== undefined
    return isSame ? [] : [{ about: `${key} was asked with another text or other arguments` }]
  }
  const [was, is] = [promptText(then), promptText(prompt)]
  const isSame = was === is || (was.includes(redacted) && withoutBudgets(was) === withoutBudgets(is))
  return isSame ? [] : [{ about: `the prompt of ${key}`, before: was, now: is }]
}

/**
 * Makes the services that replay a session. They replace the model, the tools, the project and the user by data from
 * the journal. `lines` is the journal up to the end of the session.
 */
export const makeReplay = Effect.fn("makeReplay")(function* (
  lines: ReadonlyArray<JournalLine>,
  session: ReplaySession
) {
  const unreadable = yield* Deferred.make<never, JournalError>()
  /** Decodes a recorded value. If another version recorded it, it may be unreadable. Then the replay ends. */
  const decode = <A>(key: string, success: Schema.Codec<A, unknown>, value: unknown): Effect.Effect<A> =>
    Schema.decodeUnknownEffect(Schema.toCodecJson(success))(value).pipe(
      Effect.catchTag("SchemaError", () =>
        Effect.andThen(Deferred.fail(unreadable, unknownRecord(lines, key)), Effect.never)
      )
    )
  const recorded = readLines(lines, session.known)
  const { before, ends, own: ownActivities, seen: sightings, untaken } = recorded
  const priorRecords = knownBy(lines.slice(0, session.known))
  const order = yield* makeReplayOrder
  const published: Array<RunEvent> = []
  const changed: Array<PlacedDifference> = []
  /**
   * Differences of the last prompts of a session that was cut off. The session may not have sent these prompts. So the
   * differences count only if the replay stops while the journal has further outcomes.
   */
  const perhaps: Array<PlacedDifference> = []
  const isWhole = hasEnded(publishedEvents(session.own))
  const endless = Effect.andThen(order.turn("an answer that was never given", undefined), Effect.never)

  const stageResult = <A>({ key, success }: RunStage<A>): Effect.Effect<Option.Option<A>> =>
    Option.match(priorRecords.saved("settled", key), {
      onNone: () => Effect.succeedNone,
      onSome: (value) => Effect.asSome(decode(key, success, value))
    })

  /**
   * Waits until the replay reaches the end of a task or stage, so that results come in the journal's order. The end is
   * the event `task.finished`, or the saved outcome of the stage.
   */
  const end = (key: string): Effect.Effect<void> => {
    const position = ends.get(key)
    return position === undefined ? Effect.void : order.turn(key, position)
  }

  const run = Effect.fnUntraced(function* <A, E, R>(activity: Activity<A, E, R>): Effect.fn.Return<A, E, R> {
    const name = activityName(activity)
    const mine = ownActivities.get(name) ?? (before.get(name) === undefined ? similar(ownActivities, name) : undefined)
    const earlier = similar(before, name)
    /*
     * A session that was cut off may have ended before it made this call. A similar call in an earlier session may have
     * had another prompt. So differences from that call are reported only as possible ones.
     */
    const isLast = mine === undefined && !isWhole && before.get(name) === undefined
    const ending: Ended | undefined = isLast ? undefined : (mine ?? earlier)
    const isRecorded = mine !== undefined || earlier !== undefined
    for (const difference of isRecorded ? differencesOf(recorded, activity, name) : [])
      (isLast ? perhaps : changed).push({ at: published.length - 0.5, difference })
    if (mine !== undefined || ending === undefined) yield* order.turn(activity.key, mine?.position)
    if (ending === undefined) return yield* Effect.never
    if (mine !== undefined) untaken.delete(mine.position)
    if ("error" in ending) return yield* Effect.flatMap(decode(name, activity.error, ending.error), Effect.fail)
    const outcome = yield* decode(name, activity.success, ending.value)
    if (mine !== undefined && activity.emit !== undefined) yield* activity.emit(outcome)
    return outcome
  })

  return {
    activities: Layer.succeed(Activities)(
      Activities.of({
        run,
        stageResult,
        runStage: (stage, execute) =>
          Effect.flatMap(
            stageResult(stage),
            Option.match({
              onNone: () => Effect.tap(execute, () => end(stage.key)),
              onSome: (value) => Effect.succeed(value)
            })
          ),
        record: ({ key, success }, probe) =>
          Effect.suspend(() => {
            const found = sightings.get(key)?.shift()
            if (found === undefined) return order.outside(probe)
            return Effect.andThen(order.turn(key, found.position), decode(key, success, found.value))
          })
      })
    ),
    /** Provides only the project's path. No file is read. */
    workspace: Workspace.layerNamed(eventsOf(session.own, "run.started")[0]?.project ?? ""),
    /** The layer of the recorded decisions. */
    decisions: layerReplayDecisions(publishedEvents(readRecords(lines)), session.own, endless),
    listen: ({ event }: RecordedEvent) => Effect.sync(() => void published.push(event)),
    published: published as ReadonlyArray<RunEvent>,
    /** The changed prompts and arguments. */
    changed: changed as ReadonlyArray<PlacedDifference>,
    /** Replays the run. Returns the keys of calls that the journal lacks and that stop the replay. */
    play: <E, R>(run: Effect.Effect<unknown, E, R>): Effect.Effect<ReadonlyArray<string>, E | JournalError, R> =>
      Effect.map(Effect.raceFirst(order.conduct(run), Deferred.await(unreadable)), (missing) => {
        if (missing.length > 0 && untaken.size > 0) changed.push(...perhaps)
        return missing
      })
  }
})
