/**
 * How far a call of the model is: which phase it is in, since when, how much the model has written, and which limit ends it.
 * It is published again and again, so that a person can tell a slow server from one that hangs. Before the first word only
 * what the server says and what other calls have shown counts, so a phase may remain unknown.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type CallPhase, type RunEvent, heartbeatEvery, pieceEvery, progressEvery } from "../../domain/runs/RunEvent.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import type { CallSeconds } from "../providers/CallOptions.ts"
import { CurrentServer } from "../providers/Provider.ts"
import type { RunEvents } from "../runs/RunEvents.ts"

/** A speed over less than this is chance, in milliseconds. */
const measurable = 1000

/** How often the server is asked whether it has loaded the model, in reports of its progress. */
const askEvery = 3

type WaitingReport = Omit<Extract<RunEvent, { readonly type: "model.waiting" }>, "type" | "call">

interface FollowedCall {
  readonly call: ModelCallId
  readonly model: string
  readonly limits: CallSeconds
  readonly charactersPerToken: number
  readonly reportsText: boolean
}

const inSeconds = (millis: number): number => Math.round(millis / 1000)

/** What the calls of a run share. */
interface ServerView {
  /** When the server last sent something to any call. */
  heardAt: number
  /** Models that have answered: they are loaded, unless the server says that they are not any more. */
  readonly answered: Set<string>
  /** How many calls get an answer now, and how many the server answers at once. */
  writing: number
  readonly slots: number
}

/** When a phase ends by its limit, or with the whole call; in seconds since the phase began. */
const endOf = (limits: CallSeconds, limit: keyof CallSeconds, seconds: number, whole: number): number =>
  Math.min(limits[limit], seconds + limits.call - whole)

/** What a call of a server that answers waits for before its first word, after so many seconds without a sign of life. */
const waitingForFirst = (limits: CallSeconds, silent: number, whole: number): WaitingReport =>
  silent < whole && silent < inSeconds(heartbeatEvery)
    ? { phase: "turn", seconds: whole, endsAtSeconds: limits.call }
    : { phase: "first_word", seconds: silent, endsAtSeconds: endOf(limits, "firstWord", silent, whole) }

const followCall = ({ charactersPerToken, limits, model }: FollowedCall, server: ServerView, now: () => number) => {
  const began = now()
  let phase: CallPhase = "connecting"
  let phaseSince = began
  let isConnected = false
  let isListed: boolean | undefined
  let firstAt: number | undefined
  let heardAt = began
  let characters = 0
  let text = ""

  const enter = (next: CallPhase): void => {
    if (next !== phase) phaseSince = now()
    phase = next
  }
  const phaseBeforeFirst = (): CallPhase => {
    if (!isConnected) return "connecting"
    if (isListed === false) return "loading"
    if (server.writing >= server.slots) return "turn"
    return server.answered.has(model) ? "reading" : "loading_or_reading"
  }
  return {
    connected: (): void => {
      isConnected = true
    },
    /** A part of the answer came; `sum` are the characters of thoughts and text so far. */
    heard: (sum: number): void => {
      heardAt = server.heardAt = now()
      characters = sum
      if (firstAt !== undefined) return
      firstAt = heardAt
      server.writing += 1
      server.answered.add(model)
      enter("writing")
    },
    /** The model begins to think, or to write after that. */
    entered: enter,
    /** A piece of the text of an answer that is reported while it is written. */
    wrote: (piece: string): void => {
      text += piece
    },
    isWaiting: (): boolean => firstAt === undefined,
    /** The server says whether it has the model in memory. */
    listed: (is: boolean | undefined): void => {
      isListed = is
    },
    /** The call has ended: its slot at the server is free. */
    ended: (): void => {
      if (firstAt !== undefined) server.writing -= 1
    },
    /** What was written since it was last taken. */
    takeText: (): string => {
      const piece = text
      text = ""
      return piece
    },
    progress: () => {
      if (firstAt === undefined) enter(phaseBeforeFirst())
      const seconds = Math.floor((now() - phaseSince) / 1000)
      if (firstAt === undefined) return { phase, seconds }
      const tokens = Math.round(characters / charactersPerToken)
      const time = now() - firstAt
      const speed = time < measurable ? {} : { tokensPerSecond: Math.round((tokens * 10_000) / time) / 10 }
      return { phase, seconds, tokens, ...speed }
    },
    waiting: (): WaitingReport => {
      const whole = inSeconds(now() - began)
      if (firstAt === undefined) {
        if (!isConnected && server.heardAt < began)
          return { phase: "connecting", seconds: whole, endsAtSeconds: endOf(limits, "connect", whole, whole) }
        return waitingForFirst(limits, inSeconds(now() - Math.max(began, server.heardAt)), whole)
      }
      const silent = inSeconds(now() - heardAt)
      return silent >= inSeconds(heartbeatEvery)
        ? { phase: "next_word", seconds: silent, endsAtSeconds: endOf(limits, "nextWord", silent, whole), characters }
        : { phase: "writing", seconds: whole, endsAtSeconds: limits.call, characters }
    }
  }
}
export type CallLife = ReturnType<typeof followCall>

/** Runs an effect, and beside it what ends with it. */
const meanwhile = <A, E, R, R2>(
  beside: Effect.Effect<unknown, never, R2>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | R2> =>
  Effect.acquireUseRelease(
    Effect.forkChild(beside, { startImmediately: true }),
    () => effect,
    (fiber) => Fiber.interrupt(fiber)
  )

/** Makes what watches the calls of a run; the server answers `slots` of them at once. */
export const makeHeartbeat = Effect.fnUntraced(function* (events: RunEvents["Service"], slots: number) {
  const server: ServerView = { heardAt: -Infinity, answered: new Set(), writing: 0, slots }
  const { isLoaded = () => Effect.undefined } = yield* CurrentServer
  const clock = yield* Clock.Clock

  /** Publishes what is known of a call again and again. */
  const report = ({ call, model, reportsText }: FollowedCall, life: CallLife) => {
    const reportProgress = Effect.suspend(() =>
      events.publish({ type: "model.progress", call, model, ...life.progress() })
    )
    return Effect.gen(function* () {
      const step = reportsText ? pieceEvery : progressEvery
      let questions = 0
      for (let passed = step; ; passed += step) {
        yield* Effect.sleep(Duration.millis(step))
        if (passed % heartbeatEvery === 0) yield* events.publish({ type: "model.waiting", call, ...life.waiting() })
        if (passed % progressEvery === 0) {
          if (life.isWaiting() && questions++ % askEvery === 0) {
            /* The server may take long to say what it has loaded. */
            const listed = Effect.map(isLoaded(model), life.listed)
            yield* Effect.forkChild(Effect.andThen(listed, reportProgress), { startImmediately: true })
          } else yield* reportProgress
        }
        const text = reportsText ? life.takeText() : ""
        if (text !== "") yield* events.publish({ type: "answer.piece", call, text })
      }
    })
  }

  /** Reads an answer, with `model.waiting` and `model.progress` as long as it takes. */
  return <A, E, R>(followed: FollowedCall, read: (life: CallLife) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const life = followCall(followed, server, () => clock.currentTimeMillisUnsafe())
      return meanwhile(report(followed, life), Effect.ensuring(read(life), Effect.sync(life.ended)))
    })
})
