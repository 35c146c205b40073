/**
 * How far a call of the model is: which phase it is in, since when, how much the model has written, and which limit ends it.
 * It is published again and again, so that a person can tell a slow server from one that hangs. Before the first word only
 * what the server says and what other calls have shown counts, so a phase may remain unknown.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type CallPhase, type WaitedFor, lifeEvery, pieceEvery, progressEvery } from "../../domain/runs/RunEvent.ts"
import type { Phase } from "./AnswerStream.ts"
import type { ModelCallId } from "../../domain/runs/ActivityKey.ts"
import type { CallSettings } from "../providers/CallOptions.ts"
import { CurrentServer } from "../providers/Provider.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import { meanwhile } from "./PrioritySemaphore.ts"

/** What the calls of a run share. */
export interface ServerView {
  /** When the server last sent something to any call. */
  heardAt: number
  /** Models that have answered: they are loaded, unless the server says that they are not any more. */
  readonly answered: Set<string>
  /** How many calls get an answer now, and how many the server answers at once. */
  writing: number
  readonly slots: number
}

export const makeServerView = (slots: number): ServerView => ({
  heardAt: -Infinity,
  answered: new Set(),
  writing: 0,
  slots
})

/** What is told of a call. */
export interface Told {
  readonly phase: CallPhase
  readonly seconds: number
  readonly tokens?: number
  readonly tokensPerSecond?: number
}

/** A speed over less than this is chance, in milliseconds. */
const measurable = 1000

/** The progress of one call. `charactersPerToken` turns what was heard into tokens. */
export class CallProgress {
  readonly #model: string
  readonly #server: ServerView
  readonly #charactersPerToken: number
  readonly #now: () => number
  #phase: CallPhase = "connecting"
  #since: number
  #isConnected = false
  #isListed: boolean | undefined
  #first: number | undefined
  #characters = 0

  constructor(model: string, server: ServerView, charactersPerToken: number, now: () => number) {
    this.#model = model
    this.#server = server
    this.#charactersPerToken = charactersPerToken
    this.#now = now
    this.#since = now()
  }

  get isWaiting(): boolean {
    return this.#first === undefined
  }

  connected(): void {
    this.#isConnected = true
  }

  /** What the server says: whether it has the model in memory. */
  listed(is: boolean | undefined): void {
    this.#isListed = is
  }

  heard(so: number): void {
    if (this.#first === undefined) {
      this.#first = this.#now()
      this.#server.writing += 1
      this.#server.answered.add(this.#model)
      this.#enter("writing")
    }
    this.#characters = so
  }

  entered(next: Phase): void {
    this.#enter(next)
  }

  /** The call has ended: its slot at the server is free. */
  ended(): void {
    if (this.#first !== undefined) this.#server.writing -= 1
  }

  told(): Told {
    const first = this.#first
    if (first === undefined) this.#enter(this.#beforeFirst())
    const phase = this.#phase
    const seconds = Math.floor((this.#now() - this.#since) / 1000)
    if (first === undefined) return { phase, seconds }
    const tokens = Math.round(this.#characters / this.#charactersPerToken)
    const time = this.#now() - first
    const speed = time < measurable ? {} : { tokensPerSecond: Math.round((tokens * 10_000) / time) / 10 }
    return { phase, seconds, tokens, ...speed }
  }

  #enter(next: CallPhase): void {
    if (next !== this.#phase) this.#since = this.#now()
    this.#phase = next
  }

  #beforeFirst(): CallPhase {
    if (!this.#isConnected) return "connecting"
    if (this.#isListed === false) return "loading"
    if (this.#server.writing >= this.#server.slots) return "turn"
    return this.#server.answered.has(this.#model) ? "reading" : "loading_or_reading"
  }
}

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

/** How often the server is asked whether it has loaded the model, in reports of its progress. */
const askEvery = 3

/** Makes what watches the calls of a run; the server answers so many of them at once. */
export const makeSignsOfLife = Effect.fnUntraced(function* (events: RunEvents["Service"], slots: number) {
  const server = makeServerView(slots)
  const { isLoaded = () => Effect.undefined } = yield* CurrentServer
  const clock = yield* Clock.Clock

  /** Publishes what is known of a call again and again. */
  const report = ({ call, model, tellsText }: FollowedCall, life: Life) => {
    const { progress } = life
    const reportProgress = Effect.suspend(() =>
      events.publish({ type: "model.progress", call, model, ...progress.told() })
    )
    return Effect.gen(function* () {
      const step = tellsText ? pieceEvery : progressEvery
      let asked = 0
      for (let passed = step; ; passed += step) {
        yield* Effect.sleep(Duration.millis(step))
        if (passed % lifeEvery === 0) yield* events.publish({ type: "model.waiting", call, ...life.sign() })
        if (passed % progressEvery === 0) {
          if (progress.isWaiting && asked++ % askEvery === 0) {
            /* The server may take long to say what it has loaded. */
            const listed = Effect.map(isLoaded(model), (is) => progress.listed(is))
            yield* Effect.forkChild(Effect.andThen(listed, reportProgress), { startImmediately: true })
          } else yield* reportProgress
        }
        const text = tellsText ? life.takeText() : ""
        if (text !== "") yield* events.publish({ type: "answer.piece", call, text })
      }
    })
  }

  /** Reads an answer, with `model.waiting` and `model.progress` as long as it takes. */
  return <A, E, R>(followed: FollowedCall, read: (life: CallLife) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const life = new Life(followed, server, () => clock.currentTimeMillisUnsafe())
      return meanwhile(
        report(followed, life),
        Effect.ensuring(
          read(life),
          Effect.sync(() => life.progress.ended())
        )
      )
    })
})

/** Says that a call waits for a slot of the run, when it has waited for a moment. */
export const tellQueued = (events: RunEvents["Service"], call: ModelCallId): Effect.Effect<void> =>
  events.publish({ type: "model.progress", call, phase: "queued", seconds: progressEvery / 1000 })
