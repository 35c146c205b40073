/**
 * Random documents for the readers, and texts that are hard for them. The same seed gives the same documents.
 */
import type { DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { parserInput } from "../fuzz/ParserInput.ts"
import { documentFixtures } from "./DocumentFixtures.ts"
import { documentTokens } from "./documentTokens.ts"

/** Numbers from 0 up to a bound, which itself never comes. */
export type Random = (below: number) => number

export const makeRandom = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
}

/** The fixtures of a kind; those that test a limit of size are too large to try many times. */
export const fixturesOf = (kind: DocumentKind): ReadonlyArray<string> =>
  documentFixtures.filter((fixture) => fixture.kind === kind && fixture.text.length < 50_000).map(({ text }) => text)

/** A source of documents of one kind: fixtures that were cut and changed, and what documents are made of. */
export const makeDocuments = (kind: DocumentKind, random: Random): (() => string) => {
  const ingredients = { valid: fixturesOf(kind), tokens: documentTokens }
  return () => parserInput(ingredients, () => random(2 ** 32) / 2 ** 32, 4000).text
}

const inTask = (text: string): string =>
  `## Original prompt\n\nx\n\n## Goals / summary\n\nx\n\n## Tasks\n\n### Task section 1\n\n- **References** ${text}\n`

/** Texts of about this many characters that are known to be hard for markdown parsers. */
export const hostileTexts = (size: number): Readonly<Record<string, string>> => {
  const filled = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
  return {
    brackets: inTask(filled("[")),
    "open links": inTask(filled("[a](")),
    quotes: filled("> "),
    stars: inTask(filled("*a_ ")),
    backticks: Array.from({ length: Math.floor(Math.sqrt(2 * size)) }, (_, n) => "`".repeat(n)).join(" "),
    "nested lists": Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, n) => `${" ".repeat(n)}- x`).join("\n"),
    headings: filled("## Tasks\n"),
    fences: filled("```\n~~~\n"),
    fields: filled("- **Name** x\n"),
    braces: `## Tool Calls\n\n\`\`\`json\n${filled('{"a":')}\n\`\`\`\n`
  }
}
