/** Describes the outcome of a run in the words of the program, above the answer of the model. */
import { factLines } from "../checks/Facts.ts"
import { commandEnd } from "../tools/ToolCall.ts"
import type { RunReport } from "./RunReport.ts"

/** True if no call changed a file, and no command ran. A command may change files unnoticed. */
const changedNothing = ({ facts, results }: Pick<RunReport, "facts" | "results">): boolean =>
  facts !== undefined &&
  facts.files.length === 0 &&
  results.every(({ calls }) => calls.every(({ result }) => commandEnd(result) === undefined))

/** The text about the outcome. Empty for a completed run without facts to report. */
export const outcomeText = (report: Pick<RunReport, "facts" | "message" | "results" | "status">): string => {
  const { facts, message, status } = report
  const [why = ""] = message.split("\n")
  const isDone = status === "done"
  const ended = isDone ? "" : `Not done (${status.replaceAll("_", " ")})${why === "" ? "." : `: ${why}`}`
  const isNothing = changedNothing(report) && (!isDone || facts?.declined !== undefined)
  const first = [ended, isNothing ? "No file was changed." : ""].filter((part) => part !== "").join(" ")
  const lines = facts === undefined ? "" : factLines(facts).join("\n")
  return [first, lines].filter((part) => part !== "").join("\n\n")
}
