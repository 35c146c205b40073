/**
 * How far the model calls of a worker are. It is saved with what the worker says of itself every two seconds, and nowhere
 * else, so that it costs no query of its own and is gone when a call has ended.
 */
import * as Schema from "effect/Schema"
import { modelCallKey } from "../../domain/runs/ActivityKey.ts"
import { ModelProgress, type RecordedEvent } from "../../domain/runs/RunEvent.ts"

/** A model call of a run, and when it was so far; ISO 8601. */
export const CallProgress = Schema.Struct({ runId: Schema.String, at: Schema.String, event: ModelProgress })
export type CallProgress = typeof CallProgress.Type

/** Calls say every second how far they are; one that has said nothing for this time has ended, in milliseconds. */
const quietTime = 4000

/** More calls than this are not shown anywhere. */
const mostCalls = 40

export interface CallProgressBoard {
  /** Takes what is told of a run. */
  readonly take: (runId: string, recorded: RecordedEvent) => void
  /** The calls that go on at this time, in milliseconds. */
  readonly shown: (now: number) => ReadonlyArray<CallProgress>
}

/** There are no calls at first. */
export const makeCallProgressBoard = (): CallProgressBoard => {
  const calls = new Map<string, CallProgress>()
  return {
    take: (runId, { at, event }) => {
      if (event.type !== "model.progress" && event.type !== "model.finished" && event.type !== "model.failed") return
      const key = JSON.stringify([runId, modelCallKey(event.call)])
      if (event.type === "model.progress") calls.set(key, { runId, at, event })
      else calls.delete(key)
    },
    shown: (now) => {
      for (const [key, { at }] of calls) if (now - Date.parse(at) > quietTime) calls.delete(key)
      return [...calls.values()].slice(0, mostCalls)
    }
  }
}
