/**
 * What every command passes to the run that it starts: where events go, who is asked, and where notes are printed.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { RunContext } from "../../app/RunContext.ts"
import type { Approver } from "../../services/approvals/Approver.ts"
import { makePickModel } from "../models/pickModel.ts"
import type { EventSink } from "./EventSink.ts"
import { Output } from "./Output.ts"
import { printNotes } from "./warnings.ts"

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
