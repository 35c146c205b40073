/**
 * Random documents for the readers: a soup of what documents are made of, and valid documents with pieces of the soup
 * spliced in. The same seed gives the same documents.
 */
import type { DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { documentFixtures } from "./DocumentFixtures.ts"

// oxfmt-ignore
const pieces: ReadonlyArray<string> = [
  "## Original prompt\n", "## Goals / summary\n", "## Tasks\n", "### Task section 1\n", "### Task section 2: x\n",
  "## Task\n", "## Tool Calls\n", "## Result summary\n", "# ", "- ", "1. ", "> ", "  ", "\t", "\n", "\n\n",
  "- **Name** ", "- **Skill:** ", "- **What is needed** ", "- **References** ", "- **Expected output** ",
  "- **Requires user approval**\n", "- **Output** ", "Research 1", "search-code", "yes", "no",
  "```json\n", "```\n", "~~~~\n", "````", '{ "uid": "a", ', '"name": "read_file", ', '"arguments": { ', '"path": "x" ',
  "} }", "__proto__", "1e999", "//x\n", "'", ",", ":", "...", "<think>", "</think>", "<!--", "-->", "| a | b |\n",
  "[a](#a-results)", "[b](src/b.ts#L1-L2)", "[c](<a b>)", "[", "]", "(", ")", "**", "*", "_", "`", "\\", "&amp;",
  "\u0000", "\u2028", "\ufeff", "\ud800", "\u00a0", "\r\n", "\u00fc", "\u{1f389}"
]

/** Numbers from 0 up to a bound, which itself never comes. */
export type Random = (below: number) => number

export const makeRandom = (seed: number): Random => {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
}

const soup = (random: Random, length: number): string =>
  Array.from({ length }, () =>
    random(12) === 0 ? String.fromCodePoint(random(0x2fff)) : (pieces[random(pieces.length)] ?? "")
  ).join("")

/** The fixtures of a kind; those that test a limit of size are too large to try many times. */
export const fixturesOf = (kind: DocumentKind): ReadonlyArray<string> =>
  documentFixtures.filter((fixture) => fixture.kind === kind && fixture.text.length < 50_000).map(({ text }) => text)

/** Takes out a piece of a document and puts soup in its place, once or a few times. */
const splice = (random: Random, document: string): string => {
  let text = document
  for (let times = random(3); times >= 0; times -= 1) {
    const from = random(text.length + 1)
    const until = Math.min(text.length, from + random(40))
    text = text.slice(0, from) + soup(random, random(3)) + text.slice(until)
  }
  return text
}

/** A source of documents of one kind: half of them soup, half of them fixtures with soup. */
export const makeDocuments = (kind: DocumentKind, random: Random): (() => string) => {
  const fixtures = fixturesOf(kind)
  return () =>
    random(2) === 0
      ? soup(random, 1 + random(random(20) === 0 ? 400 : 60))
      : splice(random, fixtures[random(fixtures.length)] ?? "")
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
