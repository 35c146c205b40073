/**
 * The journal of the current run: the records of earlier sessions, read once, and the records of this session, written
 * as they arise. The stages use it through Activities and the tool runner.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { InDoubtCall, CallIntent, JournalRecord } from "../../domain/history/JournalRecord.ts"
import { type KeptPrompt, makePromptRecords } from "../../domain/history/SharedSystem.ts"
import { redacted } from "../../domain/text/Redaction.ts"
import { parseKey } from "../../domain/runs/ActivityKey.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { JournalError } from "./JournalError.ts"
import { type JournalLine, readRecord } from "./JournalLine.ts"
import { unknownRecord } from "./UnknownRecords.ts"
import type { JournalWriter } from "./JournalWriter.ts"

/** The last line of each key. */
const byKey = (lines: ReadonlyArray<JournalLine>, type: JournalRecord["type"]): ReadonlyMap<string, JournalLine> =>
  new Map(lines.filter((line) => line.type === type).map((line) => [line.key, line]))

/** The value that a line holds. */
export const valueOf = (line: JournalLine | undefined): Option.Option<Schema.Json> => {
  const record = line === undefined ? undefined : readRecord(line)
  return record !== undefined && "value" in record ? Option.some(record.value) : Option.none()
}

/** True for what calls come from. */
export const isRefinement = (key: string): boolean => {
  const parsed = parseKey(key)
  return parsed?.kind === "refined" || (parsed?.kind === "model" && parsed.stage === "refine")
}

/** What a refinement looked at is material for the model; nothing of it is executed. */
const withoutLooks = (value: Schema.Json): string =>
  JSON.stringify(value, (key, part: unknown) => (key === "looks" ? undefined : part))

/** Calls come from refinements: a refinement from which a secret was redacted must not be executed. */
export const wholeValueOf = (line: JournalLine | undefined): Option.Option<Schema.Json> => {
  const value = valueOf(line)
  if (line === undefined || !isRefinement(line.key) || !line.json.includes(redacted)) return value
  return Option.filter(value, (one) => !withoutLooks(one).includes(redacted))
}

/** The work of earlier sessions, by these lines of a journal. */
export const knownBy = (lines: ReadonlyArray<JournalLine>) => {
  const outcomes = byKey(lines, "outcome")
  const stages = byKey(lines, "settled")
  const intents = byKey(lines, "intent")
  return {
    outcome: (key: string): Option.Option<Schema.Json> => wholeValueOf(outcomes.get(key)),
    stageResult: (key: string): Option.Option<Schema.Json> => wholeValueOf(stages.get(key)),
    doubt: (key: string): InDoubtCall | undefined => {
      const line = outcomes.has(key) ? undefined : intents.get(key)
      const record = line === undefined ? undefined : readRecord(line)
      return line !== undefined && record?.type === "intent" ? { ...record, seq: line.seq } : undefined
    }
  }
}

export class Journal extends Context.Service<
  Journal,
  {
    /** The encoded outcome of a call that has succeeded. */
    outcome(key: string): Effect.Effect<Option.Option<Schema.Json>>
    /** The encoded outcome of a stage that has finished. */
    stageResult(key: string): Effect.Effect<Option.Option<Schema.Json>>
    /** The saved answer to a question about an approval. */
    answer(key: string): Effect.Effect<Option.Option<Schema.Json>>
    /** A call that was started and whose outcome is unknown. */
    doubt(key: string): Effect.Effect<InDoubtCall | undefined>
    /** Persists the outcome of a call; returns when it is on the disk. */
    saveOutcome(key: string, value: Schema.Json): Effect.Effect<void>
    /** Persists why a call failed, as evidence. */
    saveFailure(key: string, error: Schema.Json): Effect.Effect<void>
    /** Persists the outcome of a stage; returns when it is on the disk. */
    saveStageResult(key: string, value: Schema.Json): Effect.Effect<void>
    /** Persists the answer to a question about an approval; returns when it is on the disk. */
    saveAnswer(key: string, value: Schema.Json): Effect.Effect<void>
    /** Persists state that a stage read from outside, for the replay. */
    saveSeen(key: string, value: Schema.Json): Effect.Effect<void>
    /** Persists what a tool is about to do; returns when it is on the disk. */
    intend(intent: Omit<CallIntent, "type">): Effect.Effect<void>
    /** Persists a prompt that is sent. */
    sent(prompt: KeptPrompt): Effect.Effect<void>
    /** Persists an event. */
    tell(event: RunEvent): Effect.Effect<void>
    /** Ends the run, because this version cannot read what is saved under this key. Never returns. */
    unreadable(key: string): Effect.Effect<never>
    /** Returns when everything is on the disk. */
    readonly flush: Effect.Effect<void>
    /** Fails as soon as the journal cannot be written; never succeeds. */
    readonly failed: Effect.Effect<never, JournalError>
  }
>()("task-conductor/services/journal/Journal") {
  /** Records nothing. */
  static readonly layerNone: Layer.Layer<Journal> = Layer.succeed(Journal)(
    Journal.of({
      outcome: () => Effect.succeedNone,
      stageResult: () => Effect.succeedNone,
      answer: () => Effect.succeedNone,
      doubt: () => Effect.undefined,
      saveOutcome: () => Effect.void,
      saveFailure: () => Effect.void,
      saveStageResult: () => Effect.void,
      saveAnswer: () => Effect.void,
      saveSeen: () => Effect.void,
      intend: () => Effect.void,
      sent: () => Effect.void,
      tell: () => Effect.void,
      unreadable: () => Effect.never,
      flush: Effect.void,
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
      const known = knownBy(lines)
      const answers = byKey(lines.slice(provenFrom - 1), "answer")
      const { append, failed, flush, tell } = writer
      const promptRecord = makePromptRecords()
      const rejected = Deferred.makeUnsafe<never, JournalError>()
      return Journal.of({
        outcome: (key) => Effect.sync(() => known.outcome(key)),
        stageResult: (key) => Effect.sync(() => known.stageResult(key)),
        answer: (key) => Effect.sync(() => valueOf(answers.get(key))),
        doubt: (key) => Effect.sync(() => known.doubt(key)),
        saveOutcome: (key, value) => append({ type: "outcome", key, value }),
        saveFailure: (key, error) => tell({ type: "failure", key, error }),
        saveStageResult: (key, value) => append({ type: "settled", key, value }),
        saveAnswer: (key, value) => append({ type: "answer", key, value }),
        saveSeen: (key, value) => tell({ type: "seen", key, value }),
        intend: (intent) => append({ type: "intent", ...intent }),
        sent: (prompt) => Effect.suspend(() => tell(promptRecord(prompt))),
        tell: (event) => tell({ type: "event", event }),
        unreadable: (key) => Effect.andThen(Deferred.fail(rejected, unknownRecord(lines, key)), Effect.never),
        flush,
        failed: Effect.raceFirst(failed, Deferred.await(rejected))
      })
    })
}
