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
export const makeCallProgress = (model: string, server: ServerView, charactersPerToken: number, now: () => number) => {
  let phase: CallPhase = "connecting"
  let since = now()
  let isConnected = false
  let isListed: boolean | undefined
  let first: number | undefined
  let characters = 0

  const enter = (next: CallPhase): void => {
    if (next !== phase) since = now()
    phase = next
  }

  const beforeFirst = (): CallPhase => {
    if (!isConnected) return "connecting"
    if (isListed === false) return "loading"
    if (server.writing >= server.slots) return "turn"
    return server.answered.has(model) ? "reading" : "loading_or_reading"
  }

  return {
    connected: (): void => {
      isConnected = true
    },
    /** What the server says: whether it has the model in memory. */
    listed: (is: boolean | undefined): void => {
      isListed = is
    },
    heard: (so: number): void => {
      if (first === undefined) {
        first = now()
        server.writing += 1
        server.answered.add(model)
        enter("writing")
      }
      characters = so
    },
    entered: (next: Phase): void => enter(next),
    /** The call has ended: its slot at the server is free. */
    ended: (): void => {
      if (first !== undefined) server.writing -= 1
    },
    isWaiting: (): boolean => first === undefined,
    told: (): Told => {
      if (first === undefined) enter(beforeFirst())
      const seconds = Math.floor((now() - since) / 1000)
      if (first === undefined) return { phase, seconds }
      const tokens = Math.round(characters / charactersPerToken)
      const time = now() - first
      const speed = time < measurable ? {} : { tokensPerSecond: Math.round((tokens * 10_000) / time) / 10 }
      return { phase, seconds, tokens, ...speed }
    }
  }
}
