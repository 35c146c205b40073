/** The errors of work that a program starts. Their messages name options; on the command line they name flags. */
import type { ModelUnchosen } from "../app/ModelUnchosen.ts"
import type { TaskNotFound } from "../domain/history/RunEvidence.ts"
import type { ModelError } from "../domain/models/ModelAnswer.ts"
import { RuleWithoutTool } from "../domain/permissions/RuleWithoutTool.ts"
import type { NoValidPlan, UnknownSkill } from "../domain/runs/RunOrder.ts"
import { programOrigin } from "../domain/tools/ToolCall.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import type { UnknownTool } from "../services/conversation/AskSession.ts"
import type { LockTaken, LockUnavailable } from "../services/files/ProcessLock.ts"
import type { WorkspaceError } from "../services/files/Workspace.ts"
import type { RunNotFound } from "../services/history/RunStore.ts"
import type { JournalError } from "../services/journal/JournalError.ts"
import type { PromptTemplateError } from "../services/models/Prompts.ts"
import type { NoToolSupport } from "../services/models/ToolSupport.ts"
import type { BriefingError } from "../services/pipeline/Briefer.ts"
import { type McpProblem, PluginProblem } from "../services/tools/PluginProblem.ts"

/**
 * All errors of work that a program starts. Work that has begun fails only if its journal is lost. Otherwise it ends
 * with a report.
 */
export type ConductorError =
  | BriefingError
  | ConfigurationError
  | JournalError
  | LockTaken
  | LockUnavailable
  | McpProblem
  | ModelError
  | ModelUnchosen
  | NoToolSupport
  | NoValidPlan
  | PluginProblem
  | PromptTemplateError
  | RuleWithoutTool
  | RunNotFound
  | TaskNotFound
  | UnknownSkill
  | UnknownTool
  | WorkspaceError

/**
 * The option in code for each flag. Flags with values come first, because `--think` also matches the beginning of
 * `--think off`.
 */
const optionsOfFlags: ReadonlyArray<readonly [flag: RegExp, option: string]> = [
  [/--model embedded/, 'model: "embedded"'],
  [/--tool-calls text/, 'toolCalls: "text"'],
  [/--think off/, "think: false"],
  [/--max-rounds (\d+)/, "limits: { rounds: $1 }"],
  [/--max-rounds/, '"limits.rounds"'],
  [/(?:--yes-this-run|--yes)/, '"approve"'],
  [/--in-doubt/, '"arbitrate"'],
  [/--check/, '"checks"'],
  [/--plugin/, '"plugins"'],
  [/--context-window/, '"contextWindow"'],
  [/--read-only/, '"readOnly"'],
  [/--accept-unverified/, '"acceptUnverified"'],
  [/--output-schema/, '"outputSchema"'],
  [/--tool-calls/, '"toolCalls"'],
  [/--(allow|deny|model|project|file|open|skill|plan|parallel|think|host)(?: [A-Z]+(?![\w-]))?/, '"$1"']
]

/**
 * A flag in a message is replaced only after one of these words or marks. After anything else, it is a flag of a check
 * or tool.
 */
const before = "(?<=\\(|: |\\b(?:by|example|lower|of|or|out|resume|[Uu]se|[Ww]ith) )"

/** Replaces flags with options. */
export const inOptionWords = (text: string): string =>
  optionsOfFlags.reduce(
    (words, [flag, option]) => words.replace(new RegExp(`${before}${flag.source}(?![\\w-])`, "g"), option),
    text
  )

/** The name of the plugin with a program's skills. */
export const skillsOrigin = `${programOrigin}-skills`

/** The option from which the program made a plugin, by the name of the plugin. */
const optionOfPlugin: Readonly<Record<string, string>> = { [programOrigin]: "tools", [skillsOrigin]: "skills" }

/**
 * Rewrites the message of an error so that it names options instead of flags. A problem of a plugin object or of a rule
 * becomes a configuration error.
 */
export const asProgramError = <E>(error: E): E | ConfigurationError => {
  if (error instanceof PluginProblem && error.isValue === true) {
    const option = optionOfPlugin[error.plugin]
    const what = option === undefined ? error.message : `"${option}": ${error.detail}`
    return new ConfigurationError({ source: "options", problems: [{ what }] })
  }
  if (error instanceof RuleWithoutTool) {
    return new ConfigurationError({
      source: "options",
      problems: [error, ...(error.others ?? [])].map(({ rule, source, verdict, what }) => ({
        what: `${source === undefined ? "" : `${source}: `}"${verdict}": "${rule}": ${what}`
      }))
    })
  }
  if (!(error instanceof Error) || !error.message.includes("--")) return error
  return Object.defineProperty(error, "message", { value: inOptionWords(error.message), configurable: true })
}
