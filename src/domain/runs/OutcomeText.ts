/** What a run came to in the words of the program, which stand above what the model says of it. */
import { factLines } from "../checks/Facts.ts"
import { commandEnd } from "../tools/ToolCall.ts"
import type { RunReport } from "./RunReport.ts"

/** True when no call of the run changed a file, as far as is known: a command may have. */
const changedNothing = ({ facts, results }: Pick<RunReport, "facts" | "results">): boolean =>
  facts !== undefined &&
  facts.files.length === 0 &&
  results.every(({ calls }) => calls.every(({ result }) => commandEnd(result) === undefined))

/** Empty for a run that is done and about which there is nothing to say. */
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
