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

/** Ends the command with this exit code. A non-empty `text` is printed to stderr. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  exitCode: Schema.Int,
  text: Schema.String
}) {
  override get message(): string {
    return this.text
  }
}

/** A failure because of wrong input of the user. The exit code is 2. */
export const usageFailure = (text: string): CommandFailure => new CommandFailure({ exitCode: exitCodes.usage, text })

/** Ends the command without a message, because everything has already been reported. */
export const quietFailure = (exitCode: number): CommandFailure => new CommandFailure({ exitCode, text: "" })

/** Any other failure that has a tag, such as wrong input or a damaged installation. */
export interface OtherFailure {
  readonly _tag: string
  readonly message: string
  /** The exit code. Only features that have their own exit codes set it. */
  readonly exitCode?: number
}

/** Tags of errors whose cause is in saved data, and not in the input of the user. */
const stateErrors = new Set(["JournalError", "LockTaken", "LockUnavailable"])

/**
 * The issues of a plan. If the user wrote the plan, they say how to correct it. If a model wrote it, they say what the
 * user can do.
 */
const planIssues = ({ attempts, issues }: NoValidPlan): string => {
  if (attempts === undefined || issues.length === 0) return issuesMarkdown(issues)
  const found = issues.map((issue, index) => `${index + 1}. ${userText(issue)}`)
  return [...found, `What you can do: ${helpText(issues)}`].join("\n")
}

/** A line for each rule that names no tool. The line has the rule as the user wrote it, and says what is wrong. */
const rulesText = (error: RuleWithoutTool): string =>
  [error, ...(error.others ?? [])]
    .map(({ rule, source, verdict, what }) =>
      source === undefined
        ? `--${verdict} ${rule}: ${what}`
        : `${source}: the rule "${verdict} ${rule}" does nothing: ${what}`
    )
    .join("\n")

/** The exit code of an error. If the error itself has no exit code, the result is the code for this kind of error. */
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
