/** Builds the context of a program's work: its approver, model, plugins and listener. */
import * as Effect from "effect/Effect"
import { type RunContext, tornNote } from "../app/RunContext.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { Plugin } from "../services/tools/Plugin.ts"

/** What a program provides for its work. */
export interface ProgramContext {
  readonly approver: RunContext["approver"]
  readonly model?: NonNullable<RunContext["model"]>
  readonly plugins: ReadonlyArray<Plugin>
}

/** The context of a run. `listen` receives every event. Right after the first event, it receives the warnings. */
export const runContextOf = (program: ProgramContext, listen: (recorded: RecordedEvent) => void): RunContext => {
  let warnings: ReadonlyArray<string> = []
  let notes: ReadonlyArray<string> = []
  const forward = (recorded: RecordedEvent): void => {
    listen(recorded)
    if (recorded.event.type !== "run.started") return
    for (const text of warnings) listen({ at: recorded.at, event: { type: "message", level: "warning", text } })
    for (const text of notes) listen({ at: recorded.at, event: { type: "message", level: "info", text } })
  }
  return {
    ...program,
    listen: (recorded) => Effect.sync(() => forward(recorded)),
    warn: (startup) =>
      Effect.sync(() => {
        warnings = startup.isTorn === true ? [tornNote, ...startup.warnings] : startup.warnings
        notes = startup.notes ?? []
      }),
    approveSteps: false
  }
}
