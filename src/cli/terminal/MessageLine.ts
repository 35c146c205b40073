/**
 * The line for a message of a run: paths below the project are relative, and what a person denied is told as their choice.
 */
import { withoutProject } from "../../domain/text/ShortPaths.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { Paint } from "./Colour.ts"
import { shown } from "./Wording.ts"

type Message = Pick<Extract<RunEvent, { readonly type: "message" }>, "level" | "text">

/** How a denial by a person is said to a model, which reads the same text. */
const ownDenial = "Permission denied: a person denied "

export const messageLine = ({ level, text }: Message, paint: Paint, project: string): string => {
  const lines = text.split("\n")
  const isOwnChoice = lines.every((line) => line.startsWith(ownDenial))
  const label =
    level === "error" && !isOwnChoice
      ? paint.red("error")
      : level === "warning" && !isOwnChoice
        ? paint.yellow("warning")
        : "note"
  const told = lines.map((line) => shown(withoutProject(line.replace(ownDenial, "You denied "), project), 2000))
  return `${label}: ${told.join("\n  ")}`
}
