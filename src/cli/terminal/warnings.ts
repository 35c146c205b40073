/**
 * What a person should know before a run starts: which model is used, what could not be read, rules that name no tool.
 */
import * as Effect from "effect/Effect"
import type { StartupNotes } from "../../app/startup.ts"
import { tornNote } from "../../app/tornNote.ts"
import { printable } from "../../domain/text/Printable.ts"
import { RuleWithoutTool } from "../../services/pipeline/StartupWarnings.ts"
import { type CommandFailure, usageFailure } from "./Failure.ts"
import type { Output } from "./Output.ts"

const note = (text: string): string => `note: ${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** What the built-in demo is, before it does anything. */
const demoLine = "Using the built-in demo, which only searches and quotes."

/** Prints notes and warnings on stderr. */
export const printNotes = Effect.fnUntraced(function* (
  { tell, tellPaint }: Output["Service"],
  { isTorn, notes = [], setup, warnings }: StartupNotes
) {
  if (setup.configuration.model === "embedded") yield* tell(demoLine)
  for (const text of warnings) yield* tell(`${tellPaint.yellow("warning")}: ${printable(text)}`)
  for (const text of notes) yield* tell(note(printable(text)))
  if (isTorn) yield* tell(note(tornNote))
})

/** Rules from flags that name no tool are a wrong usage. */
export const asUsage = <E>(error: E): E | CommandFailure =>
  error instanceof RuleWithoutTool
    ? usageFailure(
        [error, ...(error.others ?? [])].map(({ rule, verdict, what }) => `--${verdict} ${rule}: ${what}`).join("\n")
      )
    : error
