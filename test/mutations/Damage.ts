/**
 * What a damage is: a way in which the text of a model differs from the strict document. The files beside this one hold
 * tables of them, by what they touch; MutationScore applies them to every document that the reader accepts.
 */
import type { CheckOptions, DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { fieldLabels } from "../../src/domain/markdown/TaskFields.ts"

/** A document with what it belongs to. */
export interface Whole {
  readonly kind: DocumentKind
  readonly text: string
  readonly options: CheckOptions
}

/** A number from 0 up to 1, excluded. */
export type Random = () => number

/** One kind of damage; nothing when the document has no place for it. */
export interface Damage {
  readonly name: string
  readonly apply: (document: Whole, random: Random) => string | undefined
}

/** The same sequence for the same seed (mulberry32). */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One of several; nothing when there are none. */
export const pick = <A>(all: ReadonlyArray<A>, random: Random): A | undefined => all[Math.floor(random() * all.length)]

/** One of several that are known to be there. */
export const choose = <A>(random: Random, first: A, ...rest: ReadonlyArray<A>): A =>
  pick([first, ...rest], random) ?? first

export type Apply = Damage["apply"]

/** A table of damages by their names. */
export const damages = (table: Readonly<Record<string, Apply>>): ReadonlyArray<Damage> =>
  Object.entries(table).map(([name, apply]) => ({ name, apply }))

/** The forms that one damage has. */
export type Variants = readonly [string, ...ReadonlyArray<string>]

/** A damage that has one of these forms in a document. */
export const inVariants =
  (variants: Variants, apply: (document: Whole, variant: string, random: Random) => string | undefined): Apply =>
  (document, random) =>
    apply(document, variants.length === 1 ? variants[0] : choose(random, ...variants), random)

/** A damage of documents of one kind. */
export const onlyIn =
  (kind: DocumentKind, apply: Apply): Apply =>
  (document, random) =>
    document.kind === kind ? apply(document, random) : undefined

/** The text when it differs from what it was made of. */
export const changed = (document: Whole, text: string): string | undefined =>
  text === document.text ? undefined : text

/** A line with what it is; `free` is false in code blocks and in the copy of the prompt, which no damage may touch. */
export interface Line {
  readonly text: string
  readonly free: boolean
}

/** The lines of a document. */
export const linesOf = ({ kind, text }: Whole): ReadonlyArray<Line> => {
  let fence = ""
  let inPrompt = false
  return text.split("\n").map((line) => {
    const mark = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})([^`]*)$/.exec(line)
    const wasFenced = fence !== ""
    if (mark !== null && fence === "") fence = mark[1] ?? ""
    else if (mark !== null && mark[1]?.startsWith(fence) === true && mark[2]?.trim() === "") fence = ""
    const isFenced = wasFenced || fence !== ""
    if (!isFenced && kind === "task-list" && /^#+\s/.test(line)) inPrompt = /prompt/i.test(line)
    return { text: line, free: !isFenced && !inPrompt }
  })
}

/** True when every code block ends. */
export const isClosed = (document: Whole): boolean =>
  linesOf({ ...document, text: `${document.text}\nx` }).at(-1)?.free === true

/** Changes every line that is free. */
export const mapFree = (document: Whole, change: (line: string, index: number) => string): string =>
  linesOf(document)
    .map(({ free, text }, index) => (free ? change(text, index) : text))
    .join("\n")

const labels = Object.values(fieldLabels)
  .filter((label) => label !== fieldLabels.output)
  .join("|")

/** A field in the strict form: indentation and marker, label, value. */
export const strictField = new RegExp(`^(\\s*- )\\*\\*(${labels})\\*\\*(?: (.*))?$`)

export interface Field {
  readonly lead: string
  readonly label: string
  readonly value: string
}

/** Changes every strict field, or some of them when `share` is below 1. */
export const mapFields = (
  document: Whole,
  random: Random,
  change: (field: Field) => string,
  share = 1
): string | undefined =>
  changed(
    document,
    mapFree(document, (line) => {
      const [, lead = "", label = "", value = ""] = strictField.exec(line) ?? []
      return label === "" || random() >= share ? line : change({ lead, label, value }).trimEnd()
    })
  )

/** Positions of the lines that pass a test, of those that are free. */
export const freeLines = (document: Whole, test: (line: string) => boolean): ReadonlyArray<number> =>
  linesOf(document).flatMap(({ free, text }, index) => (free && test(text) ? [index] : []))

/** The text with other lines in the place of `count` lines. */
export const splice = ({ text }: Whole, at: number, count: number, ...inserted: ReadonlyArray<string>): string =>
  text
    .split("\n")
    .toSpliced(at, count, ...inserted)
    .join("\n")
