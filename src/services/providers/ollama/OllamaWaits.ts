/**
 * How long a call of a model server may take in each phase: connecting, the first object, each further one, and as a
 * whole. A server that answers another call meanwhile is at work, and so the wait for a first object begins anew.
 */
import { defaultLimits } from "../../../domain/configuration/Limits.ts"
import type { CallSettings } from "../CallOptions.ts"
import type { OllamaErrorReason } from "./OllamaErrors.ts"

/** The longest times of one call, in milliseconds. */
export interface CallTimes {
  readonly connect: number
  readonly firstToken: number
  readonly idle: number
  readonly total: number
}

const defaultTimes: CallTimes = {
  connect: defaultLimits.connectSeconds * 1000,
  firstToken: defaultLimits.firstWordSeconds * 1000,
  idle: defaultLimits.nextWordSeconds * 1000,
  total: defaultLimits.callSeconds * 1000
}

/** The times of a call: its own, those that the model was made with, or the defaults. */
export const timesOf = (given: Partial<CallTimes> | undefined, own: CallSettings["seconds"]): CallTimes => ({
  ...defaultTimes,
  ...given,
  ...(own === undefined
    ? {}
    : {
        connect: own.connect * 1000,
        firstToken: own.firstWord * 1000,
        idle: own.nextWord * 1000,
        total: own.call * 1000
      })
})

/** How far a call is; times in milliseconds. */
export interface CallState {
  readonly began: number
  readonly isConnected: boolean
  /** When its last object came; absent before the first. */
  readonly heardAt: number | undefined
  /** When the server last sent an object to any call. */
  readonly heardAny: number
}

/** A moment at which a call ends, and what it ends with. */
export interface End {
  readonly at: number
  readonly reason: OllamaErrorReason
}

const earlier = (one: End, other: End): End => (other.at < one.at ? other : one)

const endOfWait = ({ connect, firstToken, idle }: CallTimes, state: CallState): End => {
  const { began, heardAny, heardAt, isConnected } = state
  if (heardAt !== undefined) return { at: heardAt + idle, reason: { _tag: "Stalled", millis: idle } }
  const silent: End = {
    at: Math.max(began, heardAny) + firstToken,
    reason: { _tag: "NoFirstToken", millis: firstToken }
  }
  return isConnected
    ? silent
    : earlier({ at: began + connect, reason: { _tag: "NotConnected", millis: connect } }, silent)
}

/** When a call ends that makes no further progress. */
export const endOfCall = (times: CallTimes, state: CallState): End =>
  earlier({ at: state.began + times.total, reason: { _tag: "TooLong", millis: times.total } }, endOfWait(times, state))
