/**
 * The front matter of a SKILL.md. Nearly all of it consists of lines `key: value`, which mean the same to every reader of
 * YAML; it is read here, so that a run loads the parser for YAML only when a skill needs it.
 */
import * as Result from "effect/Result"
import type { Issue, Repair } from "../findings/Issue.ts"
import { makeIssue } from "../findings/IssueCode.ts"

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>
  /** The line of a key in the file, 1-based; 1 when the key is missing. */
  readonly lineOf: (key: string) => number
  readonly repairs: ReadonlyArray<Repair>
}

/** A reader of front matter that is YAML. */
export type ReadYaml = (yaml: string) => Result.Result<FrontMatter, Issue>

export const brokenFrontMatter = (what: string, line: number, how?: string): Result.Result<never, Issue> =>
  Result.fail(makeIssue("front-matter-broken", { line }, { what, how }))

/** Takes the place of that reader where all front matter is plain. */
export const readNoYaml: ReadYaml = () => brokenFrontMatter("The front matter is not of lines `key: value`.", 2)

const key = String.raw`[A-Za-z][\w.-]*`

/** A key with a text of visible characters: in quotes without an escape, or from a letter on. */
const pair = new RegExp(String.raw`^(${key}): +(?:"([^"\\\p{C}]*)"|'([^'\p{C}]*)'|(\p{L}\P{C}*))$`, "u")
const onlyKey = new RegExp(`^(${key}):$`)

/** What is no text to YAML though it begins with a letter, or not to its end. */
const isMore = (bare: string): boolean => /^(?:null|true|false)$|:\s|:$|\s#|\s$/i.test(bare)

type Pair<A> = readonly [string, A]

const pairOf = (line: string): Pair<string> | undefined => {
  const [, name = "", double, single, bare = ""] = pair.exec(line) ?? []
  const isPlain = name !== "" && !isMore(name) && !isMore(bare)
  return isPlain ? [name, double ?? single ?? bare] : undefined
}

/** The pairs as a record; nothing when one of them is none, or a key stands twice. */
const recordOf = <A>(pairs: ReadonlyArray<Pair<A> | undefined>): Readonly<Record<string, A>> | undefined => {
  const record = Object.fromEntries(pairs.filter((one) => one !== undefined))
  return Object.keys(record).length === pairs.length ? record : undefined
}

const blockOf = (block: string): Pair<unknown> | undefined => {
  const [head = "", ...inner] = block.split("\n")
  if (inner.length === 0) return pairOf(head)
  const name = onlyKey.exec(head)?.[1]
  const record = recordOf(inner.map((line) => (line.startsWith("  ") ? pairOf(line.slice(2)) : undefined)))
  return name === undefined || isMore(name) || record === undefined ? undefined : [name, record]
}

/** Reads lines `key: text`, and lines `key:` with such lines below, two blanks further in; nothing for any other YAML. */
export const plainFrontMatter = (yaml: string): FrontMatter | undefined => {
  const fields = recordOf(yaml.split(/\n(?! )/).map(blockOf))
  if (fields === undefined) return undefined
  const lines = yaml.split("\n")
  return { fields, lineOf: (name) => lines.findIndex((line) => line.startsWith(`${name}:`)) + 2, repairs: [] }
}
