/**
 * The map of a project for prompts: languages, commands, main files and folders. It never exceeds its budget.
 */
import { charactersIn } from "../models/PromptSize.ts"
import { folderOf, byUse, type ProjectCommand } from "./ProjectCommands.ts"
import { fittingLine, shownPath, shownText, folderOutline, isPlainPath } from "./FolderOutline.ts"
import { languageOf } from "../files/Language.ts"
import { isControlPath, isSecretLike } from "../files/SensitivePath.ts"
import { shares } from "../text/Excerpt.ts"
import { compareCodePoints } from "../text/CodePointOrder.ts"
import { counted } from "../text/Format.ts"

/** Sizes of context windows with the map's budget, in tokens, smallest first. */
const steps: ReadonlyArray<readonly [window: number, tokens: number]> = [
  [2048, 0],
  [4096, 150],
  [8192, 260],
  [32_768, 400]
]

/**
 * The map's budget for a context window, in tokens. Between two steps, it is interpolated. Above the last step, it
 * stays the same.
 */
export const mapTokens = (window: number): number => {
  const above = steps.findIndex(([size]) => size >= window)
  const [high, low] = [steps[above], steps[above - 1]]
  if (high === undefined) return steps.at(-1)?.[1] ?? 0
  if (low === undefined) return high[1]
  return Math.floor(low[1] + ((window - low[0]) / (high[0] - low[0])) * (high[1] - low[1]))
}

/** The budget of the map for a context window, in characters. */
export const mapBudget = (window: number): number => charactersIn(mapTokens(window))

/**
 * The possible maximum lengths, in characters, of what a command runs, such as `vitest run`. The first length with
 * which all commands fit is used.
 */
const bodies: ReadonlyArray<number> = [80, 40]
const mostCommands = 60

const headingOf = (from: string): string => {
  const folder = folderOf(from).slice(0, -1)
  return `Commands of ${shownPath(from)}${folder === "" ? "" : ` (cwd ${shownPath(folder)})`}:`
}

/** The commands of a manifest, one on each line, with their definitions. */
const long = (from: string, commands: ReadonlyArray<ProjectCommand>, body: number): string =>
  [
    headingOf(from),
    "",
    ...commands.map(({ does, run }) => `- \`${run}\`${does === undefined ? "" : ` runs ${shownText(does, body)}`}`)
  ].join("\n")

/** As many commands of a manifest as fit in one line; empty if none fits. */
const short = (from: string, commands: ReadonlyArray<ProjectCommand>, budget: number): string => {
  const names = commands.map(({ run }) => `\`${run}\``)
  return fittingLine(names, budget, (some, rest) => `${headingOf(from)} ${some}${rest}.`) ?? ""
}

/** The commands in at most `budget` characters. The most useful commands of each manifest come first. */
const commandLines = (commands: ReadonlyArray<ProjectCommand>, budget: number): string => {
  const byFile = Map.groupBy(commands.slice(0, mostCommands), ({ from }) => from)
  const groups = [...byFile].map(([from, group]) => [from, byUse(group)] as const)
  for (const body of bodies) {
    const text = groups.map(([from, group]) => long(from, group, body)).join("\n\n")
    if (text.length <= budget) return text
  }
  const parts: Array<string> = []
  let budgetLeft = budget
  for (const [from, group] of groups) {
    const part = short(from, group, budgetLeft)
    if (part === "") continue
    parts.push(part)
    budgetLeft -= part.length + 2
  }
  return parts.join("\n\n")
}

export interface ProjectFacts {
  /** Sorted paths of the project's files. */
  readonly files: ReadonlyArray<string>
  /** False if the listing stopped at its limit. */
  readonly isWhole: boolean
  /** Folders of unknown content, if the listing stopped early. */
  readonly unread: ReadonlyArray<string>
  /** Commands of the project's manifests, those near the top first. */
  readonly commands: ReadonlyArray<ProjectCommand>
  /** The main files, the most important first. */
  readonly mainFiles: ReadonlyArray<string>
}

/** The paths that a map may show. Secrets, files of this program, and names that need escaping are omitted. */
export const mappedFiles = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.filter((path) => isPlainPath(path) && !isSecretLike(path) && !isControlPath(path))

const mostLanguages = 6

const languagesOf = (files: ReadonlyArray<string>): string => {
  const named = [...Map.groupBy(files, languageOf)].filter(([language]) => language !== "")
  return named
    .toSorted(([a, x], [b, y]) => y.length - x.length || compareCodePoints(a, b))
    .slice(0, mostLanguages)
    .map(([language, { length }]) => `${language} ${length}`)
    .join(", ")
}

const headOf = (facts: ProjectFacts, mapped: ReadonlyArray<string>): string => {
  const languages = languagesOf(mapped)
  const count = counted(mapped.length, "file")
  const whole = facts.isWhole ? "" : " were looked at; there are more"
  const unnamed = facts.files.some((path) => !isPlainPath(path)) ? " Files with unusual names are left out." : ""
  return `${count}${whole}${languages === "" ? "" : `: ${languages}`}.${unnamed}`
}

/** A heading with these lines below it. Empty if there are no lines. */
const listed = (heading: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `${heading}\n\n${lines.join("\n")}`

const mainFileLine = (paths: ReadonlyArray<string>, budget: number): string =>
  fittingLine(paths.slice(0, 40).map(shownPath), budget, (some) => `Main files: ${some}.`) ?? ""

/**
 * The map in at most `budget` characters. Empty if the budget is too small or there are no files. Commands, main files
 * and upper folders come first. Deeper folders take the remaining characters. `files` are the paths to show.
 */
export const projectMap = (facts: ProjectFacts, budget: number, files = mappedFiles(facts.files)): string => {
  const head = headOf(facts, files)
  if (files.length === 0 || head.length > budget) return ""
  const outline = folderOutline(files, mappedFiles(facts.unread))
  const folders = (space: number, depth: "overview" | "whole") => {
    const heading = "Folders, each with the number of files below it, and files:"
    return listed(heading, outline(space - heading.length - 2, depth))
  }
  const rest = budget - head.length - 8
  const lengths = [
    commandLines(facts.commands, rest).length,
    mainFileLine(facts.mainFiles, rest).length,
    folders(rest, "overview").length
  ]
  const [forCommands = 0, forFiles = 0] = shares(lengths, Math.max(0, rest))
  const commands = commandLines(facts.commands, forCommands)
  const mainFiles = mainFileLine(facts.mainFiles, forFiles)
  const outlined = folders(rest - commands.length - mainFiles.length, "whole")
  return [head, commands, mainFiles, outlined].filter((part) => part !== "").join("\n\n")
}
