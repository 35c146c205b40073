/**
 * Texts that no model would write, and texts that it nearly would: noise, soup of the tokens that documents are made of, one token
 * repeated, fixtures cut and glued. The same seed gives the same text.
 */
import type { DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { choose, pick, type Random } from "../mutations/Damage.ts"
import { documentFixtures } from "../support/DocumentFixtures.ts"

const common: ReadonlyArray<string> = [
  ..."\n \t#*_-+>`~|[](){}<>:;,.!?\\/\"'&=@0aZ".split(""),
  "\n\n",
  "\n\n\n",
  "    ",
  "\r\n",
  "\r",
  "\u00a0",
  "\u200b",
  "\u2028",
  "\ufeff",
  "\0",
  "\u001b[31m",
  "é",
  "日本",
  "🎯",
  "\ud800",
  "word",
  "Find the loader.",
  "```",
  "```json\n",
  "```ts\n",
  "````\n",
  "~~~\n",
  "\n```\n",
  "- ",
  "* ",
  "1. ",
  "2) ",
  "- [ ] ",
  "> ",
  "\n> ",
  "---",
  "***",
  "===",
  "\n---\n",
  "<think>",
  "</think>",
  "\n<think>\n",
  "\n</think>\n",
  "<!--",
  "-->",
  "<!-- x -->\n",
  "<br>",
  "\\#",
  "\\-",
  "...",
  "…",
  "{user_prompt}",
  "https://e.x/?a=b",
  "src/main.ts",
  "[a](b)",
  "[a](#b)",
  "[a](<b c>)",
  "![a](b)",
  "**",
  "__",
  "***",
  "constructor",
  "__proto__"
]

const fields: ReadonlyArray<string> = [
  "Name",
  "What is needed",
  "Skill",
  "References",
  "Expected output",
  "Requires user approval",
  "Output",
  "Other",
  "skill",
  "What is",
  "Expected ouput"
].flatMap((label) => [
  `\n- **${label}** `,
  `\n- **${label}:** x`,
  `\n  - **${label}** y`,
  `\n${label}: z`,
  `\n1. **${label}**: `,
  `\n- **${label} w`,
  `\n**${label}**`
])

const headings: ReadonlyArray<string> = [
  "Original prompt",
  "Goals / summary",
  "Tasks",
  "Task section 1",
  "Task section 2",
  "Task",
  "Tool Calls",
  "Result summary",
  "Notes",
  "Summary",
  "Task list"
].flatMap((text) => [
  `\n## ${text}\n`,
  `\n### ${text}\n`,
  `\n# ${text}\n`,
  `\n**${text}**\n`,
  `\n${text}\n---\n`,
  `\n##${text}\n`
])

const links: ReadonlyArray<string> = [
  "#a-results",
  "#A 1-results",
  "output:a",
  "task://a.md",
  "src/a.ts#L1-L2",
  "src/",
  "*.ts",
  "",
  "ftp://a",
  "https://",
  "a b.md",
  "%zz",
  "#",
  "file:///a",
  "a:1"
].flatMap((target) => [
  `[x](${target})`,
  `**[x]**(${target})`,
  `\`[x](${target})\``,
  `[x] (${target})`,
  `[](${target})`
])

const json: ReadonlyArray<string> = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "'",
  "“",
  "”",
  "//",
  "/* */",
  "\\",
  "\\u12",
  "\\ud800",
  "null",
  "True",
  "1e400",
  "9007199254740993",
  "-0",
  "01",
  "...",
  '"uid": "a"',
  '"name": "read_file"',
  '"arguments": {',
  '"arguments": {}',
  '"args": "x"',
  '"__proto__": {}',
  '"path": "a.ts"',
  '{"name":"read_file","arguments":{"path":"a"}}',
  "\n<tool_call>\n",
  "\n</tool_call>\n",
  "[TOOL_CALLS]",
  "<function=a>",
  "\n```json\n{",
  "}\n```\n",
  "read_file(a)"
]

const soupOf: Readonly<Record<DocumentKind, ReadonlyArray<ReadonlyArray<string>>>> = {
  "task-list": [common, fields, fields, headings, links],
  refinement: [common, fields, headings, json, json, links],
  result: [common, headings, headings, links]
}

const token = (kind: DocumentKind, random: Random): string => pick(pick(soupOf[kind], random) ?? common, random) ?? ""

/** Mostly short, now and then up to `limit` characters. */
const lengthOf = (random: Random, limit: number): number =>
  Math.floor(random() < 0.97 ? random() ** 2 * Math.min(3000, limit) : random() * limit)

const gather = (length: number, next: () => string): string => {
  const parts: Array<string> = []
  for (let size = 0; size < length;) {
    const part = next()
    parts.push(part)
    size += Math.max(1, part.length)
  }
  return parts.join("").slice(0, length)
}

const noise = (random: Random, length: number): string => {
  const range = choose(random, 128, 256, 0x3000, 0x10000)
  return gather(length, () => String.fromCharCode(Math.floor(random() * range)))
}

const bytes = (random: Random, length: number): string =>
  new TextDecoder().decode(Uint8Array.from({ length }, () => Math.floor(random() * 256)))

const repeated = (kind: DocumentKind, random: Random, length: number): string => {
  const some = Array.from({ length: 1 + Math.floor(random() * 3) }, () => token(kind, random)).join("") || "x"
  return some.repeat(Math.ceil(length / some.length)).slice(0, length)
}

const edit = (kind: DocumentKind, random: Random, lines: Array<string>): void => {
  const at = Math.floor(random() * (lines.length + 1))
  const count = Math.floor(random() * 4)
  const line = lines[at] ?? ""
  const cut = Math.floor(random() * (line.length + 1))
  switch (Math.floor(random() * 6)) {
    case 0:
      lines.splice(at, count)
      break
    case 1:
      lines.splice(at, 0, ...lines.slice(at, at + count))
      break
    case 2:
      lines.splice(at, 0, token(kind, random))
      break
    case 3:
      lines.splice(at, 1, line.slice(0, cut) + token(kind, random) + line.slice(cut))
      break
    case 4:
      lines.splice(at, 1, line.slice(0, cut), line.slice(cut))
      break
    case 5:
      lines.splice(Math.floor(random() * (lines.length + 1)), 0, ...lines.splice(at, count))
      break
  }
}

const small = documentFixtures.filter(({ text }) => text.length < 10_000)

const edited = (kind: DocumentKind, random: Random): string => {
  const texts = small.filter((one) => one.kind === kind || random() < 0.02)
  const lines = (pick(texts, random)?.text ?? "").split("\n")
  if (random() < 0.1) lines.push(...(pick(texts, random)?.text ?? "").split("\n"))
  const edits = 1 + Math.floor(random() * 8)
  for (let count = 0; count < edits; count += 1) edit(kind, random, lines)
  return lines.join("\n")
}

const framed = (kind: DocumentKind, text: string): string => {
  switch (kind) {
    case "task-list":
      return `## Original prompt\n\np\n\n## Goals / summary\n\ng\n\n## Tasks\n\n### Task section 1\n\n${text}`
    case "refinement":
      return `## Task\n\n- **What is needed** a\n- **Skill** b\n- **Expected output** c\n\n## Tool Calls\n\n${text}`
    case "result":
      return `## Result summary\n\n${text}`
  }
}

/** One text of at most `limit` characters, with the way it was made. */
export const fuzzInput = (
  kind: DocumentKind,
  random: Random,
  limit: number
): { readonly made: string; readonly text: string } => {
  const length = lengthOf(random, limit)
  const soup = (): string => gather(length, () => token(kind, random))
  const made = choose(
    random,
    "noise",
    "bytes",
    "soup",
    "soup",
    "framed soup",
    "framed soup",
    "repeated",
    "framed repeated",
    "edited",
    "edited",
    "edited"
  )
  const text = {
    noise: () => noise(random, length),
    bytes: () => bytes(random, length),
    soup,
    "framed soup": () => framed(kind, soup()),
    repeated: () => repeated(kind, random, length),
    "framed repeated": () => framed(kind, repeated(kind, random, length)),
    edited: () => edited(kind, random)
  }[made]
  return { made, text: text().slice(0, limit) }
}
