/** Finds the scripts that a skill tells its tasks to run. Says whether `allowed-tools` permits these scripts. */
import { exceedsLimits, type Skill } from "../../kit/documents.ts"

/** The programs that run scripts, by extension. */
const runners: Readonly<Record<string, ReadonlyArray<string>>> = {
  sh: ["sh", "bash", "zsh"],
  bash: ["bash", "sh"],
  zsh: ["zsh"],
  py: ["python3", "python", "uv", "uvx"],
  js: ["node", "bun", "deno"],
  mjs: ["node", "bun", "deno"],
  cjs: ["node", "bun"],
  ts: ["node", "bun", "deno", "npx", "tsx"],
  rb: ["ruby"],
  pl: ["perl"],
  php: ["php"],
  ps1: ["pwsh"]
}

/** Programs, such as `node`, that may stand before a script's path. */
const programs = new Set(Object.values(runners).flat())

/** Matches the characters around a path in a text. */
const aroundPaths = /[\s`'"()[\]{}<>*,;|&=:]+/

/**
 * True for a word that is the path of a script. Such a word ends with the extension of a script. In addition, at least
 * one of these conditions holds:
 * - It contains a folder `scripts` or `bin`.
 * - It begins with `./`.
 * - It follows a program that runs scripts, such as `python3`.
 */
const isScript = (word: string, before: string): boolean => {
  const ending = word.slice(word.lastIndexOf(".") + 1)
  if (!word.includes(".") || !Object.hasOwn(runners, ending)) return false
  const isInFolder = word
    .split("/")
    .slice(0, -1)
    .some((folder) => folder === "scripts" || folder === "bin")
  return programs.has(before) || word.startsWith("./") || isInFolder
}

interface NamedScript {
  readonly path: string
  /** The number of the line that names the script, from 1. */
  readonly line: number
}

export const scriptsNamed = (text: string): ReadonlyArray<NamedScript> => {
  const scripts = new Map<string, NamedScript>()
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.split(aroundPaths).map((word) => word.replace(/[.!?]$/, ""))
    for (const [at, path] of words.entries()) {
      if (isScript(path, words[at - 1] ?? "") && !scripts.has(path)) scripts.set(path, { path, line: index + 1 })
    }
  }
  return [...scripts.values()]
}

/** The usual commands that run a script, without arguments. */
const commandsFor = (path: string): ReadonlyArray<ReadonlyArray<string>> => {
  const plain = path.replace(/^\.\//, "")
  const ending = plain.slice(plain.lastIndexOf(".") + 1)
  const spelled = path.startsWith("/") || path.startsWith("~") ? [path] : [plain, `./${plain}`]
  const starts = [[], ...(runners[ending] ?? []).flatMap((program) => [[program], [program, "run"]])]
  return spelled.flatMap((script) => starts.map((start) => start.concat(script)))
}

/** True if the pattern contains the script's file name. */
const namesScript = (pattern: string, path: string): boolean => pattern.includes(path.split("/").at(-1) ?? path)

/** Why tasks of the skill cannot run the script, as a clause. Undefined if they can. */
export const whyNoScript = ({ allowedTools, toolLimits = [] }: Skill, path: string): string | undefined => {
  if (allowedTools === undefined) return undefined
  if (!allowedTools.includes("run_command")) return `no run_command is in allowed-tools`
  const limit = toolLimits.find(({ tool }) => tool === "run_command")
  if (limit === undefined || limit.patterns.some((pattern) => namesScript(pattern, path))) return undefined
  const isAllowed = commandsFor(path).some((argv) =>
    [argv, [...argv, "a"]].some(
      (words) => !exceedsLimits([limit], { uid: "", name: "run_command", arguments: { argv: words } })
    )
  )
  const patterns = limit.patterns.map((pattern) => `Bash(${pattern})`).join(", ")
  return isAllowed ? undefined : `allowed-tools limits commands to ${patterns}`
}
