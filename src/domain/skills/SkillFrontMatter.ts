/**
 * The YAML at the top of a SKILL.md between two lines `---`, with the line of every key. Called by domain/skills/SkillFormat.
 */
import * as Result from "effect/Result"
import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml"
import type { Issue, Repair } from "../findings/Issue.ts"
import { makeIssue, makeRepair } from "../findings/IssueCode.ts"

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>
  /** The line of a key in the file, 1-based; 1 when the key is missing. */
  readonly lineOf: (key: string) => number
  readonly repairs: ReadonlyArray<Repair>
  /** What follows the front matter, and the line it begins at. */
  readonly body: string
  readonly bodyLine: number
}

/** `key: text with: a colon` is not YAML; many skills are written like this all the same. */
const quoteColons = (yaml: string): string =>
  yaml.replace(/^([\w-]+):[ \t]+([^\s"'[{|>&*!#][^\n]*: [^\n]*)$/gm, (_, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trim())}`
  })

const parse = (yaml: string) => {
  const lines = new LineCounter()
  const document = parseDocument(yaml, { lineCounter: lines, logLevel: "error", schema: "core" })
  const pairs = isMap(document.contents) ? document.contents.items : []
  const lineOf = (key: string): number => {
    const name = pairs.map((pair) => pair.key).find((candidate) => isScalar(candidate) && candidate.value === key)
    return isScalar(name) && name.range ? lines.linePos(name.range[0]).line + 1 : 1
  }
  return { document, lineOf }
}

/** Maps as records; keys that are not text are left out. */
const plain = (value: unknown): unknown =>
  value instanceof Map
    ? Object.fromEntries([...value].flatMap(([key, inner]) => (typeof key === "string" ? [[key, plain(inner)]] : [])))
    : value

/** The values of the document; none when an alias leads nowhere or repeats a value. */
const valuesOf = (document: Document): Record<string, unknown> | undefined => {
  try {
    return plain(document.toJS({ mapAsMap: true, maxAliasCount: 0 })) as Record<string, unknown>
  } catch {
    return undefined
  }
}

const broken = (what: string, line: number, how?: string): Result.Result<never, Issue> =>
  Result.fail(makeIssue("front-matter-broken", { line }, { what, how }))

/** Splits a file and reads its front matter. Fails when there is none or when it is not a YAML mapping. */
export const readFrontMatter = (text: string): Result.Result<FrontMatter, Issue> => {
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
  if (lines[0]?.trimEnd() !== "---" || end < 0) return broken("The file has no front matter.", 1)
  const yaml = lines.slice(1, end).join("\n")
  const strict = parse(yaml)
  const quoted = quoteColons(yaml)
  const retried = strict.document.errors.length > 0 && quoted !== yaml
  const { document, lineOf } = retried ? parse(quoted) : strict
  const error = document.errors[0]
  if (error !== undefined) {
    const first = error.message.split("\n")[0] ?? ""
    const what = `The front matter is not valid YAML: ${first.replace(/ at line \d+, column \d+:?$/, "")}.`
    return broken(what, (error.linePos?.[0].line ?? 1) + 1, "Put values that hold a colon or quotes into quotes.")
  }
  if (!isMap(document.contents)) {
    return broken("The front matter is not a list of keys with values.", 2, "Write it as lines `key: value`.")
  }
  const fields = valuesOf(document)
  if (fields === undefined) {
    return broken("The front matter uses YAML aliases.", 2, "Write every value out.")
  }
  const message = "Read a value that holds a colon as if it were quoted."
  return Result.succeed({
    fields,
    lineOf,
    repairs: retried ? [makeRepair("front-matter-unquoted", { line: 2 }, message)] : [],
    body: lines.slice(end + 1).join("\n"),
    bodyLine: end + 2
  })
}
