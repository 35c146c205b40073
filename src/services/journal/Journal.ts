/**
 * The journal of the current run. Reads the records of earlier sessions once, and writes those of this session as they
 * arise. Stages use it through Activities and the tool runner. domain/journal/JournalRecord defines the records.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { type UncertainCall, type JournalRecord, makeSharedPrompts } from "../../domain/journal/JournalRecord.ts"
import { redacted } from "../../domain/text/Redaction.ts"
import { answerOf, keyOfActivity, parseKey } from "../../domain/runs/ActivityKey.ts"
import { JournalError } from "./JournalError.ts"
import { type JournalLine, readRecord } from "./JournalLine.ts"
import { unknownRecord } from "./UnknownRecords.ts"
import type { JournalWriter } from "./JournalWriter.ts"

/** The types of records that a run reads again: outcomes of calls, results of stages, answers of the user. */
export type SavedType = "outcome" | "settled" | "answer"

/** True if the outcome with this key contains calls for the program to execute. */
export const holdsModelCalls = (key: string): boolean => ["refined", "turn"].includes(parseKey(key)?.kind ?? "")

/** The parts of a task outcome that are never executed. */
const notExecuted: ReadonlySet<string> = new Set(["looks", "bases"])

/** True if a secret was redacted in a part of the value that would be executed. */
const lacksSecret = (value: Schema.Json): boolean =>
  JSON.stringify(value, (key, part: unknown) => (notExecuted.has(key) ? undefined : part)).includes(redacted)

/** The value of a record. None if it contains a call with a redacted secret, which must not be executed. */
const valueOf = (line: JournalLine | undefined): Option.Option<Schema.Json> => {
  const record = line === undefined ? undefined : readRecord(line)
  if (record === undefined || !("value" in record)) return Option.none()
  return holdsModelCalls(record.key) && lacksSecret(record.value) ? Option.none() : Option.some(record.value)
}

/** The intent of a call with the number of its record; undefined for another line. */
const uncertainCall = (line: JournalLine | undefined): UncertainCall | undefined => {
  const record = line === undefined ? undefined : readRecord(line)
  return line !== undefined && record?.type === "intent" ? { ...record, seq: line.seq } : undefined
}

/**
 * Returns the call that an earlier answer had in the place of this call. If the model answers the same prompts again,
 * its new answer may have a different call there. Undefined except in two cases:
 *
 * - Nobody knows whether the earlier call happened.
 *
 * - The journal lacks the earlier answer because it contained a secret. The result then includes the outcome of the
 *   call.
 *
 * `answers` contains only answers to the same prompts. An answer to another prompt may well ask for another call.
 */
const replacedCall = (
  intent: JournalLine | undefined,
  outcome: JournalLine | undefined,
  answers: ReadonlyArray<JournalLine>
): UncertainCall | undefined => {
  const call = uncertainCall(intent)
  if (call === undefined || outcome === undefined) return call
  const isLost = answers.some((line) => Option.isNone(valueOf(line)))
  return isLost ? { ...call, outcome: Option.getOrNull(valueOf(outcome)) } : undefined
}

/**
 * Makes an index of the records of earlier sessions, in which a resumed run looks up finished work. The index is empty
 * at first. Answers of the user in records before `provenFrom` are not used.
 */
export const makeKnownWork = (provenFrom = 1) => {
  const last = new Map<string, JournalLine>()
  const byPlace = new Map<string, Array<JournalLine>>()
  return {
    /** Adds lines of the journal in order. */
    add: (lines: ReadonlyArray<JournalLine>): void => {
      for (const line of lines) {
        last.set(`${line.type}/${line.key}`, line)
        const place = `${line.type}/${keyOfActivity(line.key)}`
        const before = byPlace.get(place)
        if (before === undefined) byPlace.set(place, [line])
        else before.push(line)
      }
    },
    saved: (type: SavedType, key: string): Option.Option<Schema.Json> => {
      const line = last.get(`${type}/${key}`)
      return type === "answer" && line !== undefined && line.seq < provenFrom ? Option.none() : valueOf(line)
    },
    /** The last record with this type and key, whatever its content. */
    line: (type: SavedType, key: string): JournalLine | undefined => last.get(`${type}/${key}`),
    uncertain: (key: string): UncertainCall | undefined => {
      if (last.has(`outcome/${key}`)) return undefined
      const answer = answerOf(key)
      if (answer === undefined || last.has(`intent/${key}`)) return uncertainCall(last.get(`intent/${key}`))
      const intent = byPlace.get(`intent/${keyOfActivity(key)}`)?.at(-1)
      return replacedCall(intent, last.get(`outcome/${intent?.key}`), byPlace.get(`outcome/${answer}`) ?? [])
    }
  }
}

export const knownBy = (lines: ReadonlyArray<JournalLine>, provenFrom = 1) => {
  const known = makeKnownWork(provenFrom)
  known.add(lines)
  return known
}

export class Journal extends Context.Service<
  Journal,
  {
    /** The encoded value of the last record with this type and key. */
    saved(type: SavedType, key: string): Effect.Effect<Option.Option<Schema.Json>>
    /**
     * Finds the call with this key, if it began and its outcome is unknown. If it never began, does the same with the
     * call that it replaces (see `replacedCall`).
     */
    uncertain(key: string): Effect.Effect<UncertainCall | undefined>
    /** Writes a record, and returns when it is on disk. */
    append(record: JournalRecord): Effect.Effect<void>
    /** Writes a record, such as an event, without waiting for the disk. The order of the calls is kept. */
    enqueue(record: JournalRecord): Effect.Effect<void>
    /** Ends the run, because this version cannot read the record with this key. Never returns. */
    unreadable(key: string): Effect.Effect<never>
    /** Fails as soon as the journal cannot be written. Never succeeds. */
    readonly failed: Effect.Effect<never, JournalError>
  }
>()("task-conductor/services/journal/Journal") {
  /** A journal that records nothing. */
  static readonly layerNone: Layer.Layer<Journal> = Layer.succeed(Journal)(
    Journal.of({
      saved: () => Effect.succeedNone,
      uncertain: () => Effect.undefined,
      append: () => Effect.void,
      enqueue: () => Effect.void,
      unreadable: () => Effect.never,
      failed: Effect.never
    })
  )

  /**
   * The journal of a run, with the lines of earlier sessions, and a writer for this session. The user's key proves the
   * records from `provenFrom` on. Answers of the user in earlier records are not used.
   */
  static readonly layer = (
    lines: ReadonlyArray<JournalLine>,
    provenFrom: number,
    writer: JournalWriter
  ): Layer.Layer<Journal> =>
    Layer.sync(Journal, () => {
      const knownRecords = knownBy(lines, provenFrom)
      const share = makeSharedPrompts()
      const rejected = Deferred.makeUnsafe<never, JournalError>()
      return Journal.of({
        saved: (type, key) => Effect.sync(() => knownRecords.saved(type, key)),
        uncertain: (key) => Effect.sync(() => knownRecords.uncertain(key)),
        append: (record) => Effect.suspend(() => writer.append(share(record))),
        enqueue: (record) => Effect.suspend(() => writer.enqueue(share(record))),
        unreadable: (key) => Effect.andThen(Deferred.fail(rejected, unknownRecord(lines, key)), Effect.never),
        failed: Effect.raceFirst(writer.failed, Deferred.await(rejected))
      })
    })
}
