/**
 * How the line of a message can be completed: names of commands and what follows them, and files that it mentions.
 */
import { mentionOf, openMention } from "../../domain/conversation/Mentions.ts"
import { foldersOf } from "../../domain/files/PathList.ts"
import { slashCommandNames } from "./slashCommands.ts"

/** What a line can be completed with. */
export interface Completions {
  readonly files: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  /** The numbers of kept conversations. */
  readonly sessions: ReadonlyArray<string>
  /** The names of own commands. */
  readonly commands: ReadonlyArray<string>
}

export const noCompletions: Completions = { files: [], models: [], tools: [], sessions: [], commands: [] }

/** What an argument of a command may be. */
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

/** More names than this are no help. */
const mostHits = 50

/** The words that may take the place of `part`, with which a line ends. */
export interface Completion {
  readonly part: string
  readonly hits: ReadonlyArray<string>
}

/** The files and folders that a mention may become, one folder at a time. */
const completeMention = (written: string, files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path = written.replace(/^"/, "")
  const hits = [...foldersOf(files).map((folder) => `${folder}/`), ...files].filter(
    (one) => one.startsWith(path) && one !== path && !one.slice(path.length).replace(/\/$/, "").includes("/")
  )
  return hits.map((one) => {
    if (one.endsWith("/")) return `@${/\s/.test(one) || written.startsWith('"') ? '"' : ""}${one}`
    return `${written.startsWith('"') ? `@"${one}"` : mentionOf(one)}`
  })
}

const completionOf = (part: string, hits: ReadonlyArray<string>): Completion => ({
  part,
  hits: hits.slice(0, mostHits)
})

/** How a line may go on; nothing for one in which there is nothing to complete. */
export const completeLine = (line: string, known: Completions): Completion | undefined => {
  const mention = openMention(line)
  if (mention !== undefined) return completionOf(`@${mention}`, completeMention(mention, known.files))
  if (/^\/[\w-]*$/.test(line)) {
    const names = [...slashCommandNames, ...known.commands].map((name) => `/${name} `)
    return completionOf(
      line,
      names.filter((one) => one.startsWith(line))
    )
  }
  const [, name = "", part = ""] = /^\/(\w+)\s+(?:.*[\s,])?([^\s,]*)$/.exec(line) ?? []
  const hits = argumentsOf(name, known).filter((one) => one.startsWith(part))
  return hits.length === 0 ? undefined : completionOf(part, hits)
}
