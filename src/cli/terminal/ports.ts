/**
 * What every command passes to the run that it starts: where events go, who is asked, and where notes are printed.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { StartupNotes, RunContext } from "../../app/RunContext.ts"
import { tornNote } from "../../app/tornNote.ts"
import { printable } from "../../domain/text/Printable.ts"
import type { Approver } from "../../services/approvals/Approver.ts"
import { makePickModel } from "./pickModel.ts"
import type { EventSink } from "./EventSink.ts"
import { Output } from "./Output.ts"

export interface CommandPorts {
  readonly sink: EventSink
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Steps and calls are approved beforehand. */
  readonly yes?: boolean
  /** A program reads what is printed. */
  readonly isJson?: boolean
  /** Nothing is said beside the answer and errors. */
  readonly isQuiet?: boolean
  /** Who is asked; the terminal when absent. */
  readonly approver?: Layer.Layer<Approver>
}

const note = (text: string): string => `note: ${text.charAt(0).toLowerCase()}${text.slice(1)}`

/** What the built-in demo is, before it does anything. */
const demoLine = "Using the built-in demo, which only searches and quotes."

/** Prints notes and warnings on stderr. */
const printNotes = Effect.fnUntraced(function* (
  { tell, tellPaint }: Output["Service"],
  { isTorn, notes = [], setup, warnings }: StartupNotes
) {
  if (setup.configuration.model === "embedded") yield* tell(demoLine)
  for (const text of warnings) yield* tell(`${tellPaint.yellow("warning")}: ${printable(text)}`)
  for (const text of notes) yield* tell(note(printable(text)))
  if (isTorn) yield* tell(note(tornNote))
})

/** The same, as the application expects it. A person at a terminal is asked for a model when none is named. */
export const startPorts = Effect.fnUntraced(function* (given: CommandPorts) {
  const { approveSteps, approver, isQuiet = false, sink, yes = false } = given
  const output = yield* Output
  const ports: RunContext = {
    listen: sink.listen,
    approveSteps,
    yes,
    isColoured: output.tellPaint.bold("") !== "",
    warn: (notes) => (isQuiet ? Effect.void : printNotes(output, notes)),
    ...(output.canAsk ? { pickModel: yield* makePickModel } : {}),
    ...(approver === undefined ? {} : { approver })
  }
  return ports
})
