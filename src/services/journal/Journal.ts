/**
 * The journal of the current run: the records of earlier sessions, read once, and the records of this session, written
 * as they arise. The stages use it through Activities and the tool runner. What a record holds is said by its schema
 * (domain/journal/JournalRecord) alone.
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

/** Records that a run reads again: the outcome of a call, the result of a stage, and the answer to an approval. */
export type SavedType = "outcome" | "settled" | "answer"

/** True for what calls come from. */
export const holdsModelCalls = (key: string): boolean => ["refined", "turn"].includes(parseKey(key)?.kind ?? "")

/** What of the outcome of a task is not executed: what calls returned, and the texts that changes begin with. */
const notExecuted: ReadonlySet<string> = new Set(["looks", "bases"])

/** True when a secret was taken out of what is executed. */
const lacksSecret = (value: Schema.Json): boolean =>
  JSON.stringify(value, (key, part: unknown) => (notExecuted.has(key) ? undefined : part)).includes(redacted)

/** The value that a line holds. Calls come from the outcomes of tasks: one from which a secret was redacted must not be executed. */
const valueOf = (line: JournalLine | undefined): Option.Option<Schema.Json> => {
  const record = line === undefined ? undefined : readRecord(line)
  if (record === undefined || !("value" in record)) return Option.none()
  return holdsModelCalls(record.key) && lacksSecret(record.value) ? Option.none() : Option.some(record.value)
}

/** The intent of a call that was begun, with the number of its record. */
const uncertainCall = (line: JournalLine | undefined): UncertainCall | undefined => {
  const record = line === undefined ? undefined : readRecord(line)
  return line !== undefined && record?.type === "intent" ? { ...record, seq: line.seq } : undefined
}

/**
 * The call that an answer made in the place of another one, when nobody knows whether it happened, or the answer was asked for again
 * since it held a secret; `answers` are all to its prompts. After an answer to another prompt, another call is meant.
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

/** What is known of earlier work; nothing at first. Answers count from the record with this number on. */
export const makeKnownWork = (provenFrom = 1) => {
  const last = new Map<string, JournalLine>()
  const byPlace = new Map<string, Array<JournalLine>>()
  return {
    /** Takes more lines of the journal, in their order. */
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
    /** The last record of a type with a key, whatever it holds. */
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

/** The work of earlier sessions, by these lines of a journal. */
export const knownBy = (lines: ReadonlyArray<JournalLine>, provenFrom = 1) => {
  const known = makeKnownWork(provenFrom)
  known.add(lines)
  return known
}

export class Journal extends Context.Service<
  Journal,
  {
    /** The encoded value of the last record of this type with this key. */
    saved(type: SavedType, key: string): Effect.Effect<Option.Option<Schema.Json>>
    /** A call that was started and whose outcome is unknown; or one in the place of this call, as `replacedCall` says. */
    uncertain(key: string): Effect.Effect<UncertainCall | undefined>
    /** Persists a record; returns when it is on the disk. */
    append(record: JournalRecord): Effect.Effect<void>
    /** Persists a record that nothing has to wait for, such as an event, in the order in which they come. */
    enqueue(record: JournalRecord): Effect.Effect<void>
    /** Ends the run, because this version cannot read what is saved under this key. Never returns. */
    unreadable(key: string): Effect.Effect<never>
    /** Fails as soon as the journal cannot be written; never succeeds. */
    readonly failed: Effect.Effect<never, JournalError>
  }
>()("task-conductor/services/journal/Journal") {
  /** Records nothing. */
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
   * `lines` hold the earlier sessions; the records of this session go to `writer`. Answers count from the record on with
   * this number: from there the journal is proven to be the person's own.
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
