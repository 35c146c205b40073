/**
 * Says again and again what a call of the model waits for, how long it has waited, and which limit ends it, so that a
 * person can tell a slow server from one that hangs; and every second how far it is.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import { type WaitedFor, lifeEvery, pieceEvery, progressEvery } from "../../domain/runs/RunEvent.ts"
import type { CallSettings } from "../providers/CallOptions.ts"
import type { CallTimers, Due } from "../providers/CallTimers.ts"
import { LoadedModels } from "../providers/LoadedModels.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import type { Phase } from "./AnswerWriting.ts"
import { CallProgress, makeServerView, type ServerView } from "./CallProgress.ts"

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

/** What is known of one call. `server` holds when the server last sent something to any call of the run. */
class Life implements CallLife {
  readonly progress: CallProgress
  readonly #limits: FollowedCall["limits"]
  readonly #server: ServerView
  readonly #now: () => number
  readonly #began: number
  #isConnected = false
  #heardAt: number | undefined
  #characters = 0
  #text = ""

  constructor({ charactersPerToken, limits, model }: FollowedCall, server: ServerView, now: () => number) {
    this.progress = new CallProgress(model, server, charactersPerToken, now)
    this.#limits = limits
    this.#server = server
    this.#now = now
    this.#began = now()
  }

  connected(): void {
    this.#isConnected = true
    this.progress.connected()
  }

  heard(characters: number): void {
    const now = this.#now()
    this.#server.heardAt = now
    this.#heardAt = now
    this.#characters = characters
    this.progress.heard(characters)
  }

  entered(phase: Phase): void {
    this.progress.entered(phase)
  }

  wrote(piece: string): void {
    this.#text += piece
  }

  /** What was written since it was last taken. */
  takeText(): string {
    const taken = this.#text
    this.#text = ""
    return taken
  }

  sign(): Sign {
    if (this.#heardAt === undefined) return this.#beforeFirst()
    const characters = this.#characters
    const silent = inSeconds(this.#now() - this.#heardAt)
    return silent >= inSeconds(lifeEvery)
      ? { phase: "next_word", seconds: silent, endsAtSeconds: this.#endOf(silent, this.#limits.nextWord), characters }
      : { phase: "writing", seconds: this.#whole(), endsAtSeconds: this.#limits.call, characters }
  }

  #beforeFirst(): Sign {
    const whole = this.#whole()
    if (!this.#isConnected && this.#server.heardAt < this.#began) {
      return { phase: "connecting", seconds: whole, endsAtSeconds: this.#endOf(whole, this.#limits.connect) }
    }
    const silent = inSeconds(this.#now() - Math.max(this.#began, this.#server.heardAt))
    if (silent < whole && silent < inSeconds(lifeEvery)) {
      return { phase: "turn", seconds: whole, endsAtSeconds: this.#limits.call }
    }
    return { phase: "first_word", seconds: silent, endsAtSeconds: this.#endOf(silent, this.#limits.firstWord) }
  }

  #whole(): number {
    return inSeconds(this.#now() - this.#began)
  }

  /** A phase also ends with the whole call. */
  #endOf(seconds: number, limit: number): number {
    return Math.min(limit, seconds + this.#limits.call - this.#whole())
  }
}

/** How often the server is asked whether it has loaded the model, in calls of `tell`. */
const askEvery = 3

/** Makes what watches the calls of a run; the server answers so many of them at once. */
export const makeSignsOfLife = Effect.fnUntraced(function* (
  events: RunEvents["Service"],
  slots: number,
  timers: CallTimers
) {
  const server = makeServerView(slots)
  const isLoaded = yield* LoadedModels
  /** Reads an answer, with `model.waiting` and `model.progress` as long as it takes. */
  const follow = <A, E, R>(
    followed: FollowedCall,
    read: (life: CallLife) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Clock.clockWith((clock) => {
      const { call, model, tellsText } = followed
      const life = new Life(followed, server, () => clock.currentTimeMillisUnsafe())
      const { progress } = life
      let asked = 0
      let isOver = false
      const step = tellsText ? pieceEvery : progressEvery
      let passed = 0
      /* Most calls end before it: what it tells is made in it. */
      const due: Due = Effect.suspend(() => {
        const tellWaiting = Effect.suspend(() => events.publish({ type: "model.waiting", call, ...life.sign() }))
        const tellProgress = Effect.suspend(() =>
          events.publish({ type: "model.progress", call, model, ...progress.told() })
        )
        const tellText = Effect.suspend(() => {
          const text = life.takeText()
          return text === "" ? Effect.void : events.publish({ type: "answer.piece", call, text })
        })
        /** The server may take long to say what it has loaded. */
        const askAndTell = Effect.suspend(() => {
          if (!progress.isWaiting || asked++ % askEvery !== 0) return tellProgress
          const isListed = Effect.map(isLoaded(model), (is) => progress.listed(is))
          const listed = Effect.andThen(isListed, () => (isOver ? Effect.void : tellProgress))
          return Effect.forkChild(listed, { startImmediately: true })
        })
        passed += step
        return (passed % lifeEvery === 0 ? tellWaiting : Effect.void).pipe(
          Effect.andThen(passed % progressEvery === 0 ? askAndTell : Effect.void),
          Effect.andThen(tellsText ? tellText : Effect.void),
          Effect.andThen(Effect.sync(() => clock.currentTimeMillisUnsafe() + step))
        )
      })
      const reading = Effect.ensuring(
        read(life),
        Effect.sync(() => {
          isOver = true
          progress.ended()
        })
      )
      return timers.during(clock.currentTimeMillisUnsafe() + step, due, reading)
    })
  return follow
})

/** Says that a call waits for a slot of the run, when it has waited for a moment. */
export const tellQueued = (events: RunEvents["Service"], call: ModelCallId): Effect.Effect<void> =>
  events.publish({ type: "model.progress", call, phase: "queued", seconds: progressEvery / 1000 })
