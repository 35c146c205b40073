/**
 * Reports the progress of a model call, so that the user can tell a slow server from a hanging one: its phase, its
 * duration, the length of the answer, and the limit that ends it. Before the first word, only the server and other
 * calls hint at the phase.
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

/** The minimum time, in milliseconds, after which a measured speed is reliable enough to show. */
const measurable = 1000

/** Every third report asks whether the server has loaded the model. */
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

/** The facts about the server that all calls of a run share. */
interface ServerView {
  /** When the server last sent data to any call, in milliseconds since 1970. */
  lastReceivedAt: number
  /** The models that have answered. They count as loaded, unless the server denies it. */
  readonly answered: Set<string>
  /** How many calls receive an answer now. `slots` is the number of calls that the server answers at once. */
  writing: number
  readonly slots: number
}

/**
 * When a limit ends a phase, in seconds since the phase began: the limit of the phase or of the whole call, whichever
 * comes first.
 */
const endOf = (limits: CallSeconds, limit: keyof CallSeconds, seconds: number, whole: number): number =>
  Math.min(limits[limit], seconds + limits.call - whole)

/**
 * What a call waits for before its first word: its turn in the server, or the word itself. `silent` is how long the
 * server sent nothing to any call.
 */
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
  let receivedAt = began
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
    /** Called for each part of the answer. `sum` is the number of characters of all thoughts and text so far. */
    onPart: (sum: number): void => {
      receivedAt = server.lastReceivedAt = now()
      characters = sum
      if (firstAt !== undefined) return
      firstAt = receivedAt
      server.writing += 1
      server.answered.add(model)
      enter("writing")
    },
    /** Called when the model begins to think, and when it begins to write. */
    entered: enter,
    /** Called for each piece of text, if the text is reported. */
    wrote: (piece: string): void => {
      text += piece
    },
    isWaiting: (): boolean => firstAt === undefined,
    /** Notes whether the server says that the model is in memory. */
    listed: (is: boolean | undefined): void => {
      isListed = is
    },
    /** Called when the call has ended and released its slot. */
    ended: (): void => {
      if (firstAt !== undefined) server.writing -= 1
    },
    /** The text since the last call of this function. */
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
        if (!isConnected && server.lastReceivedAt < began)
          return { phase: "connecting", seconds: whole, endsAtSeconds: endOf(limits, "connect", whole, whole) }
        return waitingForFirst(limits, inSeconds(now() - Math.max(began, server.lastReceivedAt)), whole)
      }
      const silent = inSeconds(now() - receivedAt)
      return silent >= inSeconds(heartbeatEvery)
        ? { phase: "next_word", seconds: silent, endsAtSeconds: endOf(limits, "nextWord", silent, whole), characters }
        : { phase: "writing", seconds: whole, endsAtSeconds: limits.call, characters }
    }
  }
}
export type CallLife = ReturnType<typeof followCall>

/** Runs `beside` until `effect` ends. */
const meanwhile = <A, E, R, R2>(
  beside: Effect.Effect<unknown, never, R2>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | R2> =>
  Effect.acquireUseRelease(
    Effect.forkChild(beside, { startImmediately: true }),
    () => effect,
    (fiber) => Fiber.interrupt(fiber)
  )

/** Watches the calls of a run. The server answers `slots` of them at once. */
export const makeHeartbeat = Effect.fnUntraced(function* (events: RunEvents["Service"], slots: number) {
  const server: ServerView = { lastReceivedAt: -Infinity, answered: new Set(), writing: 0, slots }
  const { isLoaded = () => Effect.undefined } = yield* CurrentServer
  const clock = yield* Clock.Clock

  /** Reports the state of a call repeatedly. */
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
            /** Does not wait for the list of loaded models, which may take long. */
            const listed = Effect.map(isLoaded(model), life.listed)
            yield* Effect.forkChild(Effect.andThen(listed, reportProgress), { startImmediately: true })
          } else yield* reportProgress
        }
        const text = reportsText ? life.takeText() : ""
        if (text !== "") yield* events.publish({ type: "answer.piece", call, text })
      }
    })
  }

  /** Reads an answer, and meanwhile emits `model.waiting` and `model.progress`. */
  return <A, E, R>(followed: FollowedCall, read: (life: CallLife) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const life = followCall(followed, server, () => clock.currentTimeMillisUnsafe())
      return meanwhile(report(followed, life), Effect.ensuring(read(life), Effect.sync(life.ended)))
    })
})
