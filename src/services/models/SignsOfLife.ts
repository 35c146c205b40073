/**
 * Says again and again what a call of the model waits for, how long it has waited, and which limit ends it, so that a
 * person can tell a slow server from one that hangs; and every second how far it is.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import type { WaitedFor } from "../../domain/runs/RunEvent.ts"
import { lifeEvery, pieceEvery, progressEvery } from "../../domain/runs/SignOfLife.ts"
import type { CallSettings } from "../providers/CallOptions.ts"
import { LoadedModels } from "../providers/LoadedModels.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import type { Phase } from "./AnswerWriting.ts"
import { makeCallProgress, makeServerView, type ServerView } from "./CallProgress.ts"

/** What the reader of a call reports. */
export interface CallLife {
  /** The server has accepted the connection. */
  readonly connected: () => void
  /** A part of the answer came; `characters` are those of thoughts and text so far. */
  readonly heard: (characters: number) => void
  /** The model begins to think, or to write after that. */
  readonly entered: (phase: Phase) => void
  /** A piece of the text of an answer that is told while it is written. */
  readonly wrote: (piece: string) => void
}

/** A call that is followed. */
export interface FollowedCall {
  readonly call: ModelCallId
  readonly model: string
  readonly limits: NonNullable<CallSettings["seconds"]>
  readonly charactersPerToken: number
  /** Its text is told while it is written. */
  readonly tellsText: boolean
}

/** What a sign of life says about its call. */
interface Sign {
  readonly phase: WaitedFor
  readonly seconds: number
  readonly endsAtSeconds: number
  readonly characters?: number
}

const inSeconds = (millis: number): number => Math.round(millis / 1000)

/** `server` holds when the server last sent something to any call; it is shared by the calls of a run. */
const makeLife = ({ charactersPerToken, limits, model }: FollowedCall, server: ServerView, now: () => number) => {
  const progress = makeCallProgress(model, server, charactersPerToken, now)
  const began = now()
  let isConnected = false
  let mine: { readonly at: number; readonly characters: number } | undefined

  const whole = (): number => inSeconds(now() - began)
  /** A phase also ends with the whole call. */
  const endOf = (seconds: number, limit: number): number => Math.min(limit, seconds + limits.call - whole())

  const beforeFirst = (): Sign => {
    if (!isConnected && server.heardAt < began) {
      return { phase: "connecting", seconds: whole(), endsAtSeconds: endOf(whole(), limits.connect) }
    }
    const silent = inSeconds(now() - Math.max(began, server.heardAt))
    if (silent < whole() && silent < inSeconds(lifeEvery)) {
      return { phase: "turn", seconds: whole(), endsAtSeconds: limits.call }
    }
    return { phase: "first_word", seconds: silent, endsAtSeconds: endOf(silent, limits.firstWord) }
  }

  const sign = (): Sign => {
    if (mine === undefined) return beforeFirst()
    const { at, characters } = mine
    const silent = inSeconds(now() - at)
    return silent >= inSeconds(lifeEvery)
      ? { phase: "next_word", seconds: silent, endsAtSeconds: endOf(silent, limits.nextWord), characters }
      : { phase: "writing", seconds: whole(), endsAtSeconds: limits.call, characters }
  }

  let text = ""
  const life: CallLife = {
    connected: () => {
      isConnected = true
      progress.connected()
    },
    heard: (characters) => {
      server.heardAt = now()
      mine = { at: server.heardAt, characters }
      progress.heard(characters)
    },
    entered: progress.entered,
    wrote: (piece) => {
      text += piece
    }
  }
  const takeText = (): string => {
    const taken = text
    text = ""
    return taken
  }
  return { life, progress, sign, takeText }
}

/** How often the server is asked whether it has loaded the model, in calls of `tell`. */
const askEvery = 3

/** Something that is told again and again, and how often in milliseconds: multiples of the smallest. */
type Repeated = readonly [every: number, tell: Effect.Effect<void>]

/** One fiber for all that is told of a call. */
const repeat = Effect.fnUntraced(function* (all: ReadonlyArray<Repeated>) {
  const step = Math.min(...all.map(([every]) => every))
  for (let passed = step; ; passed += step) {
    yield* Effect.sleep(step)
    for (const [every, tell] of all) if (passed % every === 0) yield* tell
  }
})

/** Makes what watches the calls of a run; the server answers so many of them at once. */
export const makeSignsOfLife = Effect.fnUntraced(function* (events: RunEvents["Service"], slots: number) {
  const server = makeServerView(slots)
  const isLoaded = yield* LoadedModels
  /** Reads an answer, with `model.waiting` and `model.progress` as long as it takes. */
  const follow = <A, E, R>(
    followed: FollowedCall,
    read: (life: CallLife) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const { call, model, tellsText } = followed
      const clock = yield* Clock.Clock
      const { life, progress, sign, takeText } = makeLife(followed, server, () => clock.currentTimeMillisUnsafe())
      const tell = Effect.suspend(() => events.publish({ type: "model.waiting", call, ...sign() }))
      let asked = 0
      const ask = Effect.suspend(() =>
        progress.isWaiting() && asked++ % askEvery === 0
          ? Effect.map(isLoaded(model), (is) => progress.listed(is))
          : Effect.void
      )
      const tellProgress = Effect.suspend(() =>
        events.publish({ type: "model.progress", call, model, ...progress.told() })
      )
      const tellText = Effect.suspend(() => {
        const text = takeText()
        return text === "" ? Effect.void : events.publish({ type: "answer.piece", call, text })
      })
      const signs = yield* Effect.forkChild(
        repeat([
          [lifeEvery, tell],
          [progressEvery, Effect.andThen(ask, tellProgress)],
          ...(tellsText ? [[pieceEvery, tellText] as const] : [])
        ])
      )
      return yield* Effect.ensuring(
        read(life),
        Effect.suspend(() => {
          progress.ended()
          return Fiber.interrupt(signs)
        })
      )
    })
  return follow
})

/** Says once that a call waits for a slot of the run, if it waits for longer than a moment. */
export const tellQueued = (events: RunEvents["Service"], call: ModelCallId): Effect.Effect<void> =>
  Effect.andThen(
    Effect.sleep(Duration.millis(progressEvery)),
    events.publish({ type: "model.progress", call, phase: "queued", seconds: progressEvery / 1000 })
  )
