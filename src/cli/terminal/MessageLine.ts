/**
 * The line for a message of a run: paths below the project are relative, and what a person denied is told as their
 * choice.
 */
import { withoutProject } from "../../domain/text/Format.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import type { Paint } from "./Colour.ts"
import { shown } from "./Wording.ts"

type Message = Pick<Extract<RunEvent, { readonly type: "message" }>, "level" | "text">

/** How a denial by a person is said to a model, which reads the same text. */
const ownDenial = "Permission denied: a person denied "

/** True when all that is said is what a person denied. */
export const isOwnChoice = (text: string): boolean => text.split("\n").every((line) => line.startsWith(ownDenial))

/** A line for the person: what they denied is theirs, and paths below the project are relative. */
export const toldText = (line: string, project: string): string =>
  withoutProject(line.replace(ownDenial, "You denied "), project)

export const messageLine = ({ level, text }: Message, paint: Paint, project: string): string => {
  const lines = text.split("\n")
  const isOwn = isOwnChoice(text)
  const label =
    level === "error" && !isOwn ? paint.red("error") : level === "warning" && !isOwn ? paint.yellow("warning") : "note"
  const told = lines.map((line) => shown(toldText(line, project), 2000))
  return `${label}: ${told.join("\n  ")}`
}
