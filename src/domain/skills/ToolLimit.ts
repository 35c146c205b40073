/**
 * What a skill may do with a tool, where its file says more than the name of the tool: commands that begin with certain
 * words, certain files, certain sites. A limit only narrows what the skill may call; the gate decides all the same.
 */
import * as Schema from "effect/Schema"
import { matches } from "../text/PatternMatch.ts"
import type { Arguments, ToolCall } from "../tools/ToolCall.ts"

export const ToolLimit = Schema.Struct({
  tool: Schema.String,
  /** As they stand in the file; a call fits when one of them does. */
  patterns: Schema.Array(Schema.String)
})
export type ToolLimit = typeof ToolLimit.Type

/** `git add:*` and `git add *` are commands that begin with these words; without the star it is the whole command. */
const fitsCommand = (pattern: string, argv: ReadonlyArray<string>): boolean => {
  const start = pattern.replace(/(?::| +)\*$/, "")
  const words = start.trim().split(/\s+/)
  const isLongEnough = start === pattern ? argv.length === words.length : argv.length >= words.length
  return isLongEnough && words.every((word, index) => matches(word, argv[index] ?? ""))
}

const withoutDot = (path: string): string => path.replace(/^(?:\.\/)+/, "")

const fitsPath = (pattern: string, path: string): boolean =>
  !path.split(/[\\/]/).includes("..") && matches(withoutDot(pattern), withoutDot(path))

/** `domain:example.org` is this host and those below it; anything else is a pattern for the whole URL. */
const fitsUrl = (pattern: string, url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, href } = new URL(url)
  const domain = /^domain:(.+)$/.exec(pattern)?.[1]?.toLowerCase()
  return domain === undefined ? matches(pattern, href) : hostname === domain || hostname.endsWith(`.${domain}`)
}

const isWords = Schema.is(Schema.NonEmptyArray(Schema.String))

/** A test for each tool that can be limited; nothing is said about arguments of another shape, which are rejected anyway. */
const fits: Readonly<Record<string, (pattern: string, given: Arguments) => boolean | undefined>> = {
  run_command: (pattern, { argv }) => (isWords(argv) ? fitsCommand(pattern, argv) : undefined),
  read_file: (pattern, { path }) => (typeof path === "string" ? fitsPath(pattern, path) : undefined),
  write_file: (pattern, { path }) => (typeof path === "string" ? fitsPath(pattern, path) : undefined),
  edit_file: (pattern, { path }) => (typeof path === "string" ? fitsPath(pattern, path) : undefined),
  fetch_url: (pattern, { url }) => (typeof url === "string" ? fitsUrl(pattern, url) : undefined)
}

/** True for a tool whose calls can be compared with patterns. */
export const canBeLimited = (tool: string): boolean => Object.hasOwn(fits, tool)

/** True when the limits of the skill forbid the call. */
export const exceedsLimits = (limits: ReadonlyArray<ToolLimit>, { arguments: given, name }: ToolCall): boolean => {
  const limit = limits.find(({ tool }) => tool === name)
  return limit !== undefined && limit.patterns.every((pattern) => fits[name]?.(pattern, given) === false)
}
