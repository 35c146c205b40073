/** The schema of checks in settings. A user writes a check as one line or as a list of words. */
import * as Schema from "effect/Schema"
import { splitCommand } from "../commands/CommandSplit.ts"
import { CommandLine, commandText } from "../commands/CommandText.ts"
import { exactPattern } from "../permissions/TargetPattern.ts"

/** A check as a command line or as a list of its words. */
export const CheckLine = Schema.Union([
  Schema.String.check(
    Schema.makeFilter((text: string) => {
      const words = splitCommand(text)
      return typeof words === "string" ? words : true
    })
  ),
  CommandLine
])
export type CheckLine = typeof CheckLine.Type

/** The permission rules for checks in a user's settings: naming a check there allows it. */
export const rulesOfChecks = (checks: ReadonlyArray<CheckLine> | false = []): ReadonlyArray<string> =>
  (checks === false ? [] : checks).flatMap((line) => {
    const words = typeof line === "string" ? splitCommand(line) : line
    return typeof words === "string" ? [] : [`run_command:(no sandbox) ${exactPattern(commandText(words))}`]
  })
