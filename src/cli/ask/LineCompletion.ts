/** Completes a typed line: commands, their arguments, and mentioned files. */
import { mentionOf, openMention } from "../../domain/conversation/Mentions.ts"
import { foldersOf } from "../../domain/files/PathList.ts"
import { slashCommandNames } from "./slashCommands.ts"

/** Words that can complete a line. */
export interface Completions {
  readonly files: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  /** Numbers of saved conversations. */
  readonly sessions: ReadonlyArray<string>
  /** Names of custom commands. */
  readonly commands: ReadonlyArray<string>
}

export const noCompletions: Completions = { files: [], models: [], tools: [], sessions: [], commands: [] }

const argumentsOf = (command: string, { files, models, sessions, tools }: Completions): ReadonlyArray<string> => {
  switch (command) {
    case "model":
      return models
    case "allow":
    case "tools":
      return tools
    case "sessions":
      return sessions
    case "undo":
      return files
    default:
      return []
  }
}

const mostHits = 50

/** `hits` are words that may replace `part`, the end of a line. */
export interface Completion {
  readonly part: string
  readonly hits: ReadonlyArray<string>
}

/** The files and folders that complete the path of a mentioned file, up to its next `/`. */
const completeMention = (mention: string, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path = mention.replace(/^"/, "")
  const hits = [...foldersOf(files).map((folder) => `${folder}/`), ...files].filter(
    (one) => one.startsWith(path) && one !== path && !one.slice(path.length).replace(/\/$/, "").includes("/")
  )
  return hits.map((one) => {
    if (one.endsWith("/")) return `@${/\s/.test(one) || mention.startsWith('"') ? '"' : ""}${one}`
    return `${mention.startsWith('"') ? `@"${one}"` : mentionOf(one)}`
  })
}

const completionOf = (part: string, hits: ReadonlyArray<string>): Completion => ({
  part,
  hits: hits.slice(0, mostHits)
})

/** The completions of the line. Undefined if there is nothing to complete. */
export const completeLine = (line: string, completions: Completions): Completion | undefined => {
  const mention = openMention(line)
  if (mention !== undefined) return completionOf(`@${mention}`, completeMention(mention, completions.files))
  if (/^\/[\w-]*$/.test(line)) {
    const names = [...slashCommandNames, ...completions.commands].map((name) => `/${name} `)
    return completionOf(
      line,
      names.filter((one) => one.startsWith(line))
    )
  }
  const [, name = "", part = ""] = /^\/(\w+)\s+(?:.*[\s,])?([^\s,]*)$/.exec(line) ?? []
  const hits = argumentsOf(name, completions).filter((one) => one.startsWith(part))
  return hits.length === 0 ? undefined : completionOf(part, hits)
}
