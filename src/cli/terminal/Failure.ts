/** How a command fails: with an exit code and a message. */
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

/** Exit codes of the program. The exit codes of runs are in domain/runs/RunReport. */
export const exitCodes = { failed: 1, usage: 2, noValidPlan: 3, unavailable: 5, sigint: 130, sigterm: 143 } as const

/** Ends the command with this exit code, and prints a non-empty `text` to stderr. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  exitCode: Schema.Int,
  text: Schema.String
}) {
  override get message(): string {
    return this.text
  }
}

/** A failure because of the user's input, with exit code 2. */
export const usageFailure = (text: string): CommandFailure => new CommandFailure({ exitCode: exitCodes.usage, text })

/** Ends the command without a message, when everything has been reported. */
export const quietFailure = (exitCode: number): CommandFailure => new CommandFailure({ exitCode, text: "" })

/** Any other failure with a tag, such as wrong input or a damaged installation. */
export interface OtherFailure {
  readonly _tag: string
  readonly message: string
  /** The exit code; set only by features with their own exit codes. */
  readonly exitCode?: number
}

/** Tags of errors caused by saved data, not by the user's input. */
const stateErrors = new Set(["JournalError", "LockTaken", "LockUnavailable"])

/** The issues of a plan. They say how to correct the user's own plan, or what the user can do about a model's plan. */
const planIssues = ({ attempts, issues }: NoValidPlan): string => {
  if (attempts === undefined || issues.length === 0) return issuesMarkdown(issues)
  const found = issues.map((issue, index) => `${index + 1}. ${userText(issue)}`)
  return [...found, `What you can do: ${helpText(issues)}`].join("\n")
}

/** A line for each rule whose tool does not exist: the rule as written, and what is wrong. */
const rulesText = (error: RuleWithoutTool): string =>
  [error, ...(error.others ?? [])]
    .map(({ rule, source, verdict, what }) =>
      source === undefined
        ? `--${verdict} ${rule}: ${what}`
        : `${source}: the rule "${verdict} ${rule}" does nothing: ${what}`
    )
    .join("\n")

/** The exit code in the error, or else the exit code for this kind of error. */
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

/** Converts any failure of a command to an exit code and a text. */
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
