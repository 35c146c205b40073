/**
 * Reads `allowed-tools` of a skill: its tools, and the commands, files or sites to which their calls are limited. Tool
 * names of other programs are accepted. A call within the limits still needs the permission of the gate.
 */
import * as Schema from "effect/Schema"
import { matches } from "../text/PatternMatch.ts"
import { snakeCase } from "../text/Json.ts"
import type { Arguments, ToolCall } from "../tools/ToolCall.ts"

export const ToolLimit = Schema.Struct({
  tool: Schema.String,
  /** The patterns as written in the file. A call must match one of them. */
  patterns: Schema.Array(Schema.String)
})
export type ToolLimit = typeof ToolLimit.Type

/**
 * `git add:*` and `git add *` match commands that begin with `git add`. Without the star, only the whole command
 * matches.
 */
const fitsCommand = (pattern: string, argv: ReadonlyArray<string>): boolean => {
  const start = pattern.replace(/(?::| +)\*$/, "")
  const words = start.trim().split(/\s+/)
  const isLongEnough = start === pattern ? argv.length === words.length : argv.length >= words.length
  return isLongEnough && words.every((word, index) => matches(word, argv[index] ?? ""))
}

const withoutDot = (path: string): string => path.replace(/^(?:\.\/)+/, "")

const fitsFile = (pattern: string, { path }: Arguments): boolean | undefined =>
  typeof path === "string"
    ? !path.split(/[\\/]/).includes("..") && matches(withoutDot(pattern), withoutDot(path))
    : undefined

/** `domain:example.org` matches this host and its subdomains. Any other pattern must match the whole URL. */
const fitsUrl = (pattern: string, url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, href } = new URL(url)
  const domain = /^domain:(.+)$/.exec(pattern)?.[1]?.toLowerCase()
  return domain === undefined ? matches(pattern, href) : hostname === domain || hostname.endsWith(`.${domain}`)
}

const isWords = Schema.is(Schema.NonEmptyArray(Schema.String))

/**
 * For each tool that can have limits, a function that tests whether a pattern matches a call. It returns undefined for
 * arguments of a wrong type, which other checks reject.
 */
const fits: Readonly<Record<string, (pattern: string, given: Arguments) => boolean | undefined>> = {
  run_command: (pattern, { argv }) => (isWords(argv) ? fitsCommand(pattern, argv) : undefined),
  read_file: fitsFile,
  write_file: fitsFile,
  edit_file: fitsFile,
  remove_file: fitsFile,
  move_file: fitsFile,
  fetch_url: (pattern, { url }) => (typeof url === "string" ? fitsUrl(pattern, url) : undefined)
}

/** True if the limits of the skill forbid the call. */
export const exceedsLimits = (limits: ReadonlyArray<ToolLimit>, { arguments: given, name }: ToolCall): boolean => {
  const limit = limits.find(({ tool }) => tool === name)
  return limit !== undefined && limit.patterns.every((pattern) => fits[name]?.(pattern, given) === false)
}

/**
 * Tool names of other programs, with the tools of this program. Lower-case names are left out, because a plugin may add
 * a tool with such a name.
 */
const others: ReadonlyMap<string, string> = new Map([
  ["Read", "read_file"],
  ["Grep", "search_files"],
  ["Glob", "get_file_tree"],
  ["LS", "get_file_tree"],
  ["Write", "write_file"],
  ["Edit", "edit_file"],
  ["MultiEdit", "edit_file"],
  ["Bash", "run_command"],
  ["WebFetch", "fetch_url"]
])

export interface ToolNames {
  /** The tools, each once. Unknown names stay unchanged. */
  readonly tools: ReadonlyArray<string>
  readonly limits: ReadonlyArray<ToolLimit>
  /** The translated names of tools: each as written, and as this program names the tool. */
  readonly renamed: ReadonlyArray<readonly [written: string, tool: string]>
}

/** The words of the text, separated by blanks and commas outside parentheses. */
const wordsIn = (text: string): ReadonlyArray<string> => {
  const words = [""]
  let depth = 0
  for (const character of text) {
    if (character === "(") depth += 1
    if (character === ")") depth -= 1
    if (depth <= 0 && /[\s,]/.test(character)) words.push("")
    else words.push((words.pop() ?? "") + character)
  }
  return words.map((word) => word.trim()).filter((word) => word !== "")
}

/**
 * Converts the name of a server's tool to the form of this program. Other programs write `mcp__My-Server__readFile`.
 * Undefined if the name is not of this form.
 */
const serverTool = (name: string): string | undefined => {
  const [, server = "", tool = ""] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  const [prefix, rest] = [snakeCase(server), snakeCase(tool)]
  return prefix === "" || rest === "" ? undefined : `mcp__${prefix}__${rest}`
}

interface NamedTool {
  readonly tool: string
  /** The pattern of a limit, if any. */
  readonly pattern?: string
}

const readWord = (word: string): NamedTool => {
  const [, name = word, given = ""] = /^([^()]+)\(([^]*)\)$/.exec(word) ?? []
  const pattern = given.trim()
  const tool = others.get(name) ?? serverTool(name) ?? name
  if (pattern === "" || pattern === "*") return { tool }
  // A limit that cannot be checked must not be ignored. The whole word therefore becomes the name of a tool that does
  // not exist, so it allows nothing.
  return Object.hasOwn(fits, tool) ? { tool, pattern } : { tool: word }
}

const limitsOf = (named: ReadonlyArray<NamedTool>): ReadonlyArray<ToolLimit> =>
  [...new Set(named.map(({ tool }) => tool))].flatMap((tool) => {
    const patterns = named.filter((one) => one.tool === tool).map(({ pattern }) => pattern)
    return patterns.includes(undefined) ? [] : [{ tool, patterns: patterns.flatMap((pattern) => pattern ?? []) }]
  })

export const readToolNames = (text: string): ToolNames => {
  const words = wordsIn(text)
  const named = words.map(readWord)
  const renamed = words.flatMap((word, index): ToolNames["renamed"] => {
    const tool = named[index]?.tool ?? word
    return tool === word || word.startsWith(`${tool}(`) ? [] : [[word, tool]]
  })
  return { tools: [...new Set(named.map(({ tool }) => tool))], limits: limitsOf(named), renamed }
}
