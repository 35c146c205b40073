/**
 * Applies damage to the documents that the reader accepts and counts what becomes of it. Called by a test with few seeds
 * and by bench/mutation-score.ts with many.
 */
import * as Option from "effect/Option"
import { checkDocument } from "../../src/domain/documents/CheckReport.ts"
import { readTaskReport } from "../../src/domain/documents/RefinementFormat.ts"
import { readTaskList } from "../../src/domain/documents/TaskListFormat.ts"
import { renderTaskReport, renderTaskList } from "../../src/domain/documents/TaskRendering.ts"
import { documentFixtures } from "../support/DocumentFixtures.ts"
import { calls } from "./calls.ts"
import { changedCalls } from "./changedCalls.ts"
import { changedTasks } from "./changedTasks.ts"
import { type Damage, pick, randomFrom, type Whole } from "./Damage.ts"
import { headings } from "./headings.ts"
import { labels } from "./labels.ts"
import { layout } from "./layout.ts"
import { quotedCalls } from "./quotedCalls.ts"
import { references } from "./references.ts"
import { severalLists } from "./severalLists.ts"
import { surroundings } from "./surroundings.ts"

/** Kinds of damage that keep the meaning. */
export const harmless: ReadonlyArray<Damage> = [
  ...surroundings,
  ...headings,
  ...labels,
  ...layout,
  ...references,
  ...calls
]

/** Kinds of damage that change the meaning. */
export const meaningful: ReadonlyArray<Damage> = [...changedTasks, ...severalLists, ...changedCalls, ...quotedCalls]

/** What became of one kind of damage. `failed` holds examples: the document, the seed, the damaged text. */
export interface Score {
  readonly name: string
  readonly applied: number
  readonly passed: number
  readonly failed: ReadonlyArray<{ readonly document: string; readonly seed: number; readonly text: string }>
}

interface Named extends Whole {
  readonly name: string
}

/** It holds the same list twice: damage to one of them makes two different lists, which are rejected. */
const twice = "task-lists/repaired-glued-answers"

const accepted: ReadonlyArray<Named> = documentFixtures.filter(
  ({ expected, name }) => expected.verdict !== "rejected" && name !== twice
)

/** The strict form of an accepted document. */
const strictForm = ({ kind, name, options, text }: Named): ReadonlyArray<Named> => {
  if (kind === "result") return /\/ok-/.test(name) ? [{ kind, name, options, text }] : []
  const { finished = [], planned } = options
  const strict =
    kind === "task-list"
      ? Option.map(readTaskList(text, { finished, headings: [] }).value, (list) =>
          renderTaskList(list, { prompt: "Why?" })
        )
      : Option.map(readTaskReport(text, planned === undefined ? {} : { task: planned }).value, ({ calls, task }) =>
          renderTaskReport({ task, calls })
        )
  return Option.toArray(strict).map((one) => ({ kind, name, options, text: one }))
}

const check = ({ kind, options, text }: Whole) => checkDocument(kind, text, options)

const score = (
  name: string,
  documents: ReadonlyArray<Named>,
  seeds: number,
  damage: Damage["apply"],
  passes: (before: Named, after: Whole) => boolean
): Score => {
  const failed: Array<Score["failed"][number]> = []
  let applied = 0
  for (const [position, document] of documents.entries()) {
    const seen = new Set<string>()
    for (let seed = 1; seed <= seeds; seed += 1) {
      const text = damage(document, randomFrom(seed * 1000 + position))
      if (text === undefined || text === document.text || seen.has(text)) continue
      seen.add(text)
      applied += 1
      if (!passes(document, { ...document, text })) failed.push({ document: document.name, seed, text })
    }
  }
  return { name, applied, passed: applied - failed.length, failed }
}

/** What must stay: of a result its summary, since the document around it is kept as it came. */
const valueOf = (document: Whole): string => {
  const { value } = check(document)
  return JSON.stringify(value !== null && "summary" in value ? value.summary.replace(/[ \t]+$/gm, "") : value)
}

const reads = (before: Named, after: Whole): boolean => valueOf(after) === valueOf(before)

/** Both damages, one after the other; nothing when either finds no place. */
const both =
  (first: Damage["apply"], second: Damage["apply"]): Damage["apply"] =>
  (document, random) => {
    const text = first(document, random)
    return text === undefined ? undefined : second({ ...document, text }, random)
  }

const any =
  (all: ReadonlyArray<Damage>): Damage["apply"] =>
  (document, random) => {
    for (let trial = 0; trial < 5; trial += 1) {
      const text = pick(all, random)?.apply(document, random)
      if (text !== undefined) return text
    }
    return undefined
  }

/** How often a document with harmless damage still reads to the same value, per kind. */
export const scoreHarmless = (seeds: number): ReadonlyArray<Score> =>
  harmless.map(({ apply, name }) => score(name, accepted, seeds, apply, reads))

/** The same with two kinds at once. */
export const scorePairs = (seeds: number): Score =>
  score("any two kinds at once", accepted, seeds, both(any(harmless), any(harmless)), reads)

const strict = accepted.flatMap(strictForm)

const isReported = (_: Named, after: Whole): boolean => check(after).issues.length > 0

/** How often damage that changes the meaning is reported, per kind. */
export const scoreMeaningful = (seeds: number): ReadonlyArray<Score> =>
  meaningful.map(({ apply, name }) => score(name, strict, seeds, apply, isReported))

/** The same below harmless damage. */
export const scoreHidden = (seeds: number): Score =>
  score("any kind below a harmless one", strict, seeds, both(any(meaningful), any(harmless)), isReported)
