/**
 * Says again and again what a call of the model waits for, how long it has waited, and which limit ends it, so that a
 * person can tell a slow server from one that hangs.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import type { WaitedFor } from "../../domain/runs/RunEvent.ts"
import { lifeEvery } from "../../domain/runs/SignOfLife.ts"
import type { CallSettings } from "../providers/CallOptions.ts"
import type { RunEvents } from "../runs/RunEvents.ts"

/** What the reader of a call reports. */
export interface CallLife {
  /** The server has accepted the connection. */
  readonly connected: () => void
  /** A part of the answer came; `characters` are those of thoughts and text so far. */
  readonly heard: (characters: number) => void
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
const makeLife = (limits: NonNullable<CallSettings["seconds"]>, server: { heardAt: number }, now: () => number) => {
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

  const life: CallLife = {
    connected: () => {
      isConnected = true
    },
    heard: (characters) => {
      server.heardAt = now()
      mine = { at: server.heardAt, characters }
    }
  }
  return { life, sign }
}

/** Makes what watches the calls of a run. */
export const makeSignsOfLife = (events: RunEvents["Service"]) => {
  const server = { heardAt: -Infinity }
  /** Reads an answer, with `model.waiting` as long as it takes. */
  return <A, E, R>(
    call: ModelCallId,
    limits: NonNullable<CallSettings["seconds"]>,
    read: (life: CallLife) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { life, sign } = makeLife(limits, server, () => clock.currentTimeMillisUnsafe())
      const tell = Effect.suspend(() => events.publish({ type: "model.waiting", call, ...sign() }))
      const signs = Effect.forever(Effect.andThen(Effect.sleep(Duration.millis(lifeEvery)), tell))
      return yield* Effect.raceFirst(read(life), signs)
    })
}
