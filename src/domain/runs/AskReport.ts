/**
 * How one message of a conversation was answered: the value of the library, and what the event `ask.finished` holds.
 */
import * as Schema from "effect/Schema"
import { RunStatus } from "./RunReport.ts"

export const AskReport = Schema.Struct({
  /** The number of the message in its conversation, from 1. */
  message: Schema.Int,
  status: RunStatus,
  /** Markdown. When a limit ended the work, its last paragraph says so. */
  answer: Schema.String,
  /** Why it ended as it did; empty when it is done. */
  reason: Schema.String,
  /** How often the model was asked. */
  iterations: Schema.Int,
  toolCalls: Schema.Int,
  durationMs: Schema.Finite
})
export type AskReport = typeof AskReport.Type

/** How a message ends, before it is counted. */
export interface AskEnding {
  readonly status: RunStatus
  readonly answer: string
  readonly reason: string
}

/** An answer with a last paragraph that says why it may not be whole. */
export const withReason = (answer: string, reason: string): string =>
  [answer.trimEnd(), `*${reason}*`].filter((part) => part !== "").join("\n\n")
