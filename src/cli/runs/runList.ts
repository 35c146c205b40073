/**
 * The list of runs for a person: on a terminal each run takes as many lines as its width asks for, elsewhere one. Pure.
 */
import type { RunSummary } from "../../domain/history/RunOverview.ts"
import { printable } from "../../domain/text/Printable.ts"
import { textWidth } from "../../domain/text/TextWidth.ts"
import { makePaint, type Paint } from "../terminal/Colour.ts"
import { standingText } from "./standingText.ts"
import { durationText, whenText } from "./whenText.ts"

/** How to print. */
export interface ListStyle {
  readonly paint: Paint
  /** The width of the terminal; nothing when there is none. */
  readonly columns: number | undefined
  readonly now: Date
  /** Runs of other projects name theirs. */
  readonly withProject: boolean
}

/** A part of a line: what is printed, and how wide it is without colours. */
interface Part {
  readonly text: string
  readonly width: number
}

const part = (text: string, paint: (text: string) => string = (same) => same): Part => ({
  text: paint(text),
  width: textWidth(text)
})

const gap = "  "

/** Parts side by side, with a new line where the next one does not fit. */
const flow = (parts: ReadonlyArray<Part>, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  let width = 0
  for (const { text, width: more } of parts) {
    if (width > gap.length && width + gap.length + more > columns) {
      lines.push(line)
      line = `${gap}${text}`
      width = gap.length + more
    } else {
      line = width === 0 ? text : `${line}${gap}${text}`
      width = width === 0 ? more : width + gap.length + more
    }
  }
  return [...lines, line]
}

/** The beginning of a text that fits, with dots where it is cut. */
export const cutTo = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text
  let cut = ""
  let width = 0
  for (const character of text) {
    width += textWidth(character)
    if (width > columns - 3) break
    cut += character
  }
  return `${cut.trimEnd()}...`
}

const plain = makePaint(false)

const partsOf = (run: RunSummary, { now, paint }: ListStyle): ReadonlyArray<Part> => {
  const { durationMs, model, pid, runId, standing, startedAt, tasks } = run
  const running = pid !== undefined && startedAt !== undefined ? now.getTime() - Date.parse(startedAt) : undefined
  const time = durationMs ?? running
  const state = standingText(standing, paint)
  return [
    part(runId, paint.bold),
    { text: state, width: textWidth(standingText(standing, plain)) },
    ...(tasks === undefined ? [] : [part(`${tasks.done}/${tasks.total}`)]),
    ...(time === undefined ? [] : [part(durationText(time))]),
    ...(startedAt === undefined ? [] : [part(whenText(startedAt, now), paint.dim)]),
    ...(model === undefined ? [] : [part(printable(model))]),
    ...(pid === undefined ? [] : [part(`pid ${pid}`, paint.dim)])
  ]
}

/** The first line of a prompt that says something. */
const promptLine = (prompt: string): string => printable(prompt.trim().split("\n")[0] ?? "")

const projectText = ({ project }: RunSummary): string => (project === undefined ? "" : printable(project))

const mostPrompt = 100

/** One run. */
export const runLines = (run: RunSummary, style: ListStyle): string => {
  const { columns, paint, withProject } = style
  const parts = partsOf(run, style)
  const prompt = promptLine(run.prompt ?? "")
  const project = withProject ? projectText(run) : ""
  if (columns === undefined) {
    const more = [project, cutTo(prompt, mostPrompt)].filter((text) => text !== "")
    return [...parts.map(({ text }) => text), ...more].join(gap)
  }
  const more = [project, prompt]
    .filter((text) => text !== "")
    .map((text) => `${gap}${cutTo(text, columns - gap.length)}`)
  return [
    ...flow(parts, columns),
    ...more.map((text, index) => (index === 0 && project !== "" ? paint.dim(text) : text))
  ].join("\n")
}
