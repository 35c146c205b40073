/**
 * How far a call of the model is: which phase it is in, since when, and how much the model has written. Before the first
 * word only what the server tells and what other calls have shown counts, so a phase may remain unknown.
 */
import type { CallPhase } from "../../domain/runs/RunEvent.ts"
import type { Phase } from "./AnswerWriting.ts"

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
