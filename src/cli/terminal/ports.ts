/**
 * What every command passes to the run that it starts: where events go, who is asked, and where notes are printed.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { StartPorts } from "../../app/runs.ts"
import type { Approver } from "../../services/approvals/Approver.ts"
import type { EventSink } from "./EventSink.ts"
import { Output } from "./Output.ts"
import { printNotes } from "./warnings.ts"

export interface CommandPorts {
  readonly sink: EventSink
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Nothing is said beside the answer and errors. */
  readonly isQuiet?: boolean
  /** Who is asked; the terminal when absent. */
  readonly approver?: Layer.Layer<Approver>
}

/** The same, as the application expects it. */
export const startPorts = ({
  approveSteps,
  approver,
  isQuiet = false,
  sink
}: CommandPorts): Effect.Effect<StartPorts, never, Output> =>
  Effect.map(Output, (output) => ({
    listen: sink.listen,
    approveSteps,
    warn: (notes) => (isQuiet ? Effect.void : printNotes(output, notes)),
    ...(approver === undefined ? {} : { approver })
  }))
