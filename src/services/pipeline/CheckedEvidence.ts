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

const anchorsOf = (...texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => readMarkdown(text).sections.map(({ anchor }) => anchor)))

/** What the text of a reading becomes: the value with corrected links, or as the last resort with marks. */
const attempted = <A>(
  { count, issues, marked, marks, repairs, text }: CheckedText,
  before: Attempted<unknown>,
  valueOf: (text: string, evidence: EvidenceCount) => A
): Attempted<A> => {
  const all = [...before.repairs, ...repairs]
  const spare = { value: valueOf(marked, count), repairs: [...all, ...marks] }
  const reading = { value: Option.some(valueOf(text, count)), issues, repairs: all }
  return issues.length === 0 ? reading : { ...reading, spare }
}

/** The findings with the lines of the answer, which may have thoughts before its document. */
const inAnswer = (checked: CheckedText, document: string, answer: string): CheckedText => {
  const place = placeInAnswer(document, answer)
  const placed = <A extends { readonly where: Where }>(found: A): A => ({ ...found, where: place(found.where) })
  return {
    ...checked,
    issues: checked.issues.map(placed),
    repairs: checked.repairs.map(placed),
    marks: checked.marks.map(placed)
  }
}

/** The result with another document, which is the one of `fallback` but for its links. */
const resultOf = (document: string, evidence: EvidenceCount, fallback: ResultDocument): ResultDocument => ({
  ...Option.getOrElse(readResult(document).value, () => fallback),
  ...(evidence.checked === 0 ? {} : { evidence })
})

export const makeEvidenceReaders = Effect.gen(function* () {
  const evidence = yield* Evidence
  const { changeOf } = yield* changeKinds

  const worldOf = (text: string, { briefing, calls, finished, material, task }: EvidenceSources): EvidenceWorld => {
    const all = [...finished.flatMap((one) => one.calls), ...calls]
    const changed = all.flatMap(({ call, result }) => {
      const change = result.success ? changeOf(call) : undefined
      return change?.isFile === true ? [change.target.slice(1)] : []
    })
    return {
      ...(task === undefined ? {} : { task }),
      finished: finished.map(({ name }) => name).filter((name) => name !== task),
      anchors: anchorsOf(text, briefing.requestDocument),
      material: [
        briefing.prompt,
        briefing.requestDocument,
        ...material,
        ...all.map(callText),
        ...finished.map(({ result }) => result.document)
      ],
      changed: new Set(changed)
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
      return attempted(checked, reading, (document, count) => resultOf(document, count, result))
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
