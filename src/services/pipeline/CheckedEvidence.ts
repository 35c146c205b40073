/**
 * Reads results and answers whose links are held against the world: a wrong link is an issue for the next attempt, and is
 * marked in the text when there is none.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readConclusion } from "../../domain/documents/ConclusionFormat.ts"
import { readResult } from "../../domain/documents/ResultFormat.ts"
import type { Where } from "../../domain/findings/Issue.ts"
import { placeInAnswer } from "../../domain/findings/ShownLines.ts"
import { readMarkdown } from "../../domain/markdown/Markdown.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import type { EvidenceCount, ResultDocument, TaskResult } from "../../domain/plan/TaskResult.ts"
import type { CallOutcome } from "../../domain/tools/ToolCall.ts"
import { type CheckedText, Evidence, type EvidenceWorld } from "../references/Evidence.ts"
import type { Attempted } from "./Attempts.ts"
import { changeKinds } from "./ChangeKinds.ts"

/** What a text was written from. */
export interface EvidenceSources {
  readonly task?: string
  readonly briefing: Briefing
  readonly finished: ReadonlyArray<TaskResult>
  readonly calls: ReadonlyArray<CallOutcome>
  /** Anything else that its author was shown. */
  readonly material: ReadonlyArray<string>
}

/** The answer of a run with the count of its links. */
export interface CheckedAnswer {
  readonly text: string
  readonly evidence: EvidenceCount
}

const callText = (outcome: CallOutcome): string => `${JSON.stringify(outcome.call.arguments)}\n${outcomeText(outcome)}`

const anchorsOf = (text: string): ReadonlyArray<string> => readMarkdown(text).sections.map(({ anchor }) => anchor)

/** What the text of a reading becomes: the value with corrected links, or as the last resort with marks. */
const attempted = <A>(
  { count, issues, marked, marks, repairs, text }: CheckedText,
  before: Attempted<unknown>,
  valueOf: (text: string, evidence: EvidenceCount) => A
): Attempted<A> => {
  const all = [...before.repairs, ...repairs]
  const reading = { value: Option.some(valueOf(text, count)), issues, repairs: all }
  return issues.length === 0
    ? reading
    : { ...reading, spare: { value: valueOf(marked, count), repairs: [...all, ...marks] } }
}

/** The findings with the lines of the answer, which may have thoughts before its document. */
const inAnswer = (checked: CheckedText, document: string, answer: string): CheckedText => {
  if (checked.issues.length + checked.repairs.length + checked.marks.length === 0) return checked
  const place = placeInAnswer(document, answer)
  const placed = <A extends { readonly where: Where }>(found: A): A => ({ ...found, where: place(found.where) })
  return {
    ...checked,
    issues: checked.issues.map(placed),
    repairs: checked.repairs.map(placed),
    marks: checked.marks.map(placed)
  }
}

/**
 * The result with another document, which is the one of `read` but for its links. An answer that is its own document, but
 * for blanks at its end, is not read again.
 */
const resultOf = (document: string, evidence: EvidenceCount, read: ReadResult): ResultDocument => {
  const isSame = document === read.answer.trimEnd() && read.isAsWritten
  return {
    ...(isSame ? read.result : Option.getOrElse(readResult(document).value, () => read.result)),
    ...(evidence.checked === 0 ? {} : { evidence })
  }
}

/** A result with the answer that it was read from; `isAsWritten` says that nothing was repaired. */
interface ReadResult {
  readonly result: ResultDocument
  readonly answer: string
  readonly isAsWritten: boolean
}

/** A value that is made when it is needed for the first time. */
const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

export const makeEvidenceReaders = Effect.gen(function* () {
  const evidence = yield* Evidence
  const { changeOf } = yield* changeKinds

  /** The request document stays the same in a run. */
  const briefed = new WeakMap<Briefing, ReadonlyArray<string>>()

  const anchorsOfBriefing = (briefing: Briefing): ReadonlyArray<string> => {
    const anchors = briefed.get(briefing) ?? anchorsOf(briefing.requestDocument)
    briefed.set(briefing, anchors)
    return anchors
  }

  /** The work grows with the tasks that have finished, so each part waits for a link that needs it; most texts have none. */
  const worldOf = (text: string, { briefing, calls, finished, material, task }: EvidenceSources): EvidenceWorld => {
    const all = lazily(() => [...finished.flatMap((one) => one.calls), ...calls])
    const names = lazily(() => finished.map(({ name }) => name).filter((name) => name !== task))
    const anchors = lazily(() => new Set([...anchorsOf(text), ...anchorsOfBriefing(briefing)]))
    const texts = lazily(() => [
      briefing.prompt,
      briefing.requestDocument,
      ...material,
      ...all().map(callText),
      ...finished.map(({ result }) => result.document)
    ])
    const changed = lazily(
      () =>
        new Set(
          all().flatMap(({ call, result }) => {
            const change = result.success ? changeOf(call) : undefined
            return change?.isFile === true ? [change.target.slice(1)] : []
          })
        )
    )
    return {
      ...(task === undefined ? {} : { task }),
      get finished() {
        return names()
      },
      get anchors() {
        return anchors()
      },
      get material() {
        return texts()
      },
      get changed() {
        return changed()
      }
    }
  }

  return {
    /** Reads the result of a task. */
    readResult: Effect.fnUntraced(function* (answer: string, sources: EvidenceSources) {
      const reading: Attempted<ResultDocument> = readResult(answer)
      if (Option.isNone(reading.value) || reading.issues.length > 0) return reading
      const result = reading.value.value
      const found = yield* evidence.check(result.document, worldOf(result.document, sources))
      const checked = inAnswer(found, result.document, answer)
      const read = { result, answer, isAsWritten: reading.repairs.length === 0 }
      return attempted(checked, reading, (document, count) => resultOf(document, count, read))
    }),
    /** Reads the answer of the run. */
    readAnswer: Effect.fnUntraced(function* (answer: string, sources: EvidenceSources) {
      const reading = readConclusion(answer, { hasResults: sources.finished.length > 0 })
      if (Option.isNone(reading.value) || reading.issues.length > 0) {
        return { ...reading, value: Option.none() } satisfies Attempted<CheckedAnswer>
      }
      const text = reading.value.value
      const checked = inAnswer(yield* evidence.check(text, worldOf(text, sources)), text, answer)
      const before = { value: Option.none(), issues: [], repairs: reading.repairs }
      return attempted(checked, before, (final, count): CheckedAnswer => ({ text: final, evidence: count }))
    })
  }
})
