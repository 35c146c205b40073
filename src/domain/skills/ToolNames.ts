/**
 * Reads the value of `allowed-tools`. Skills that were written for another program name the tools of that program; those
 * that do the same as a tool here are read as this tool, with the pattern in parentheses as a limit.
 */
import { snakeCase } from "../text/SnakeCase.ts"
import { canBeLimited, type ToolLimit } from "./ToolLimit.ts"

/**
 * The tools here by their names in other programs. A name that a tool here could have, in lower case, is never read as
 * another one: a plugin may bring it.
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
  /** Each once. What names no tool that is known here stays as it is written. */
  readonly tools: ReadonlyArray<string>
  readonly limits: ReadonlyArray<ToolLimit>
  /** Names of other programs with the tools that they were read as. */
  readonly renamed: ReadonlyArray<readonly [written: string, tool: string]>
}

/** The names, split at blanks and commas outside of parentheses. */
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

/** `mcp__My-Server__readFile`, as a server and its tool are called elsewhere, by the name they have here. */
const serverTool = (name: string): string | undefined => {
  const [, server = "", tool = ""] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  const [prefix, rest] = [snakeCase(server), snakeCase(tool)]
  return prefix === "" || rest === "" ? undefined : `mcp__${prefix}__${rest}`
}

interface NamedTool {
  readonly tool: string
  /** Nothing for the whole tool. */
  readonly pattern?: string
}

const readWord = (word: string): NamedTool => {
  const [, name = word, given = ""] = /^([^()]+)\(([^]*)\)$/.exec(word) ?? []
  const pattern = given.trim()
  const tool = others.get(name) ?? serverTool(name) ?? name
  if (pattern === "" || pattern === "*") return { tool }
  // A pattern that cannot be kept must not be dropped: then the name stands for no tool.
  return canBeLimited(tool) ? { tool, pattern } : { tool: word }
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
