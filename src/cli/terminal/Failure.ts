/**
 * How a command fails: an exit code and a message.
 */
import * as Schema from "effect/Schema"
import type { ModelUnchosen } from "../../app/ModelUnchosen.ts"
import { issuesMarkdown } from "../../domain/findings/Issue.ts"
import { helpText, userText } from "../../domain/findings/IssueText.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { printableLines } from "../../domain/text/Printable.ts"
import type { BriefingError } from "../../services/pipeline/Briefer.ts"
import type { RuleWithoutTool } from "../../domain/permissions/RuleWithoutTool.ts"
import { exitCodeOf } from "../../domain/runs/RunReport.ts"
import type { NoValidPlan } from "../../domain/runs/RunOrder.ts"

/** Exit codes of the binary that are not those of a run (domain/runs/RunReport). */
export const exitCodes = { failed: 1, usage: 2, noValidPlan: 3, unavailable: 5, sigint: 130, sigterm: 143 } as const

/** The command ends with this code; `text` goes to stderr, nothing when it is empty. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  exitCode: Schema.Int,
  text: Schema.String
}) {
  override get message(): string {
    return this.text
  }
}

/** The person gave something that cannot be used: exit code 2. */
export const usageFailure = (text: string): CommandFailure => new CommandFailure({ exitCode: exitCodes.usage, text })

/** Everything was reported already: only the exit code is left. */
export const quietFailure = (exitCode: number): CommandFailure => new CommandFailure({ exitCode, text: "" })

/** Any other typed failure: what was given cannot be used, or what is installed is damaged. */
export interface OtherFailure {
  readonly _tag: string
  readonly message: string
  /** Where a feature knows it itself. */
  readonly exitCode?: number
}

/** Errors in saved data, not in what the person gave. */
const stateErrors = new Set(["JournalError", "LockTaken", "LockUnavailable"])

/** What is wrong with a plan: for its author with what to write, for who asked a model with what can be done. */
const planIssues = ({ attempts, issues }: NoValidPlan): string => {
  if (attempts === undefined || issues.length === 0) return issuesMarkdown(issues)
  const found = issues.map((issue, index) => `${index + 1}. ${userText(issue)}`)
  return [...found, `What you can do: ${helpText(issues)}`].join("\n")
}

/** Each rule that names no tool, as it was given. */
const rulesText = (error: RuleWithoutTool): string =>
  [error, ...(error.others ?? [])]
    .map(({ rule, source, verdict, what }) =>
      source === undefined
        ? `--${verdict} ${rule}: ${what}`
        : `${source}: the rule "${verdict} ${rule}" does nothing: ${what}`
    )
    .join("\n")

/** The exit code of an error that says it itself, that is in saved data, or that is one of these. */
const exitCodeFor = (error: OtherFailure): number => {
  if (error.exitCode !== undefined) return error.exitCode
  switch (error._tag) {
    case "ModelError": {
      const { isTransient, isUnavailable } = error as ModelError
      return isTransient || isUnavailable ? exitCodes.unavailable : exitCodes.failed
    }
    case "ModelUnchosen":
      return (error as ModelUnchosen).models.length === 0 ? exitCodes.unavailable : exitCodes.usage
    case "NoValidPlan":
      return exitCodes.noValidPlan
    case "BriefingError":
      return (error as BriefingError).isDenied === true ? exitCodeOf("not_permitted") : exitCodes.usage
    default:
      return stateErrors.has(error._tag) ? exitCodes.failed : exitCodes.usage
  }
}

/** Everything a command can fail with, as exit code and text. */
export const failureOf = (
  error: CommandFailure | ModelError | NoValidPlan | RuleWithoutTool | OtherFailure
): CommandFailure => {
  if (error._tag === "CommandFailure") return error as CommandFailure
  const issues = error._tag === "NoValidPlan" ? planIssues(error as NoValidPlan) : ""
  const text =
    error._tag === "RuleWithoutTool"
      ? rulesText(error as RuleWithoutTool)
      : `${error.message}${issues === "" ? "" : `\n${issues}`}`
  return new CommandFailure({ exitCode: exitCodeFor(error), text: printableLines(text) })
}
