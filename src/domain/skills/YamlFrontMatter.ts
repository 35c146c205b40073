/**
 * Front matter as YAML, with what many people write that is no YAML.
 */
import * as Result from "effect/Result"
import { type Document, isMap, isScalar, LineCounter, parseDocument } from "yaml"
import { makeRepair } from "../findings/IssueCode.ts"
import { brokenFrontMatter, type ReadYaml } from "./FrontMatter.ts"
import { frontMatterFault } from "./FrontMatterWords.ts"

/** `key: text with: a colon` is not YAML, but many skills are written like this. */
const quoteColons = (yaml: string): string =>
  yaml.replace(/^([\w-]+):[ \t]+([^\s"'[{|>&*!#][^\n]*: [^\n]*)$/gm, (_, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trim())}`
  })

/** More levels than this are nobody's front matter, and the parser descends without a bound. */
const maxNesting = 64

/** True for more nesting than is read: brackets, open or closed without need, and blanks or list signs before a line. */
const isNested = (yaml: string): boolean => {
  let open = 0
  return yaml.split("\n").some((line) => {
    for (const sign of line.match(/[[\]{}]/g) ?? []) {
      open += sign === "[" || sign === "{" ? 1 : -1
      if (Math.abs(open) > maxNesting) return true
    }
    const [lead = ""] = /^[\s?:-]*/.exec(line) ?? []
    return lead.replace(/\s/g, "").length > maxNesting || lead.length > 4 * maxNesting
  })
}

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

/** Reads front matter. Fails when it is not a YAML mapping. */
export const readYaml: ReadYaml = (yaml) => {
  if (isNested(yaml))
    return brokenFrontMatter("The front matter is nested too deeply.", 2, "Write it as lines `key: value`.")
  const strict = parse(yaml)
  const quoted = quoteColons(yaml)
  const retried = strict.document.errors.length > 0 && quoted !== yaml
  const { document, lineOf } = retried ? parse(quoted) : strict
  const error = document.errors[0]
  if (error !== undefined) {
    const { how, what } = frontMatterFault(error)
    const line = (error.linePos?.[0].line ?? 1) + 1
    return brokenFrontMatter(`The front matter cannot be read as YAML. ${what}`, line, how)
  }
  if (!isMap(document.contents))
    return brokenFrontMatter(
      "The front matter is not a list of keys with values.",
      2,
      "Write it as lines `key: value`."
    )
  const fields = valuesOf(document)
  if (fields === undefined) return brokenFrontMatter("The front matter uses YAML aliases.", 2, "Write every value out.")
  const message = "Read a value that contains a colon as if it were quoted."
  const repairs = retried ? [makeRepair("front-matter-unquoted", { line: 2 }, message)] : []
  return Result.succeed({ fields, lineOf, repairs })
}
