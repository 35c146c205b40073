/** Writes the list of runs. On a terminal, the text about a run is wrapped. Elsewhere it is one line. */
import type { RunStanding, RunSummary } from "../../domain/history/RunOverview.ts"
import { printable } from "../../domain/text/Printable.ts"
import { cutText, shownWidth } from "../../domain/text/TextWidth.ts"
import type { Paint } from "../terminal/Colour.ts"
import { counted, durationText } from "../../domain/text/Format.ts"

export interface ListStyle {
  readonly paint: Paint
  /** The number of columns of the terminal. Undefined without a terminal. */
  readonly columns: number | undefined
  readonly now: Date
  /** True to show the project of each run. */
  readonly withProject: boolean
}

const gap = "  "

/** Joins parts into lines of at most `columns` columns. */
const flow = (parts: ReadonlyArray<string>, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of parts) {
    const line = lines.at(-1)
    if (line === undefined) lines.push(part)
    else if (shownWidth(`${line}${gap}${part}`) <= columns || shownWidth(line) <= gap.length) {
      lines[lines.length - 1] = `${line}${gap}${part}`
    } else lines.push(`${gap}${part}`)
  }
  return lines
}

const partsOf = (run: RunSummary, { now, paint }: ListStyle): ReadonlyArray<string> => {
  const { durationMs, model, pid, runId, standing, startedAt, tasks } = run
  const running = pid !== undefined && startedAt !== undefined ? now.getTime() - Date.parse(startedAt) : undefined
  const time = durationMs ?? running
  return [
    paint.bold(runId),
    standingText(standing, paint),
    ...(tasks === undefined ? [] : [`${tasks.done}/${tasks.total}`]),
    ...(time === undefined ? [] : [durationText(time)]),
    ...(startedAt === undefined ? [] : [paint.dim(whenText(startedAt, now))]),
    ...(model === undefined ? [] : [printable(model)]),
    ...(pid === undefined ? [] : [paint.dim(`pid ${pid}`)])
  ]
}

const promptLine = (prompt: string): string => printable(prompt.trim().split("\n")[0] ?? "")

const projectText = ({ project }: RunSummary): string => (project === undefined ? "" : printable(project))

const mostPrompt = 100

export const runLines = (run: RunSummary, style: ListStyle): string => {
  const { columns, paint, withProject } = style
  const parts = partsOf(run, style)
  const prompt = promptLine(run.prompt ?? "")
  const project = withProject ? projectText(run) : ""
  if (columns === undefined) {
    const more = [project, cutText(prompt, mostPrompt)].filter((text) => text !== "")
    return [...parts, ...more].join(gap)
  }
  const details = [project, prompt]
    .filter((text) => text !== "")
    .map((text) => `${gap}${cutText(text, columns - gap.length)}`)
  return [
    ...flow(parts, columns),
    ...details.map((text, index) => (index === 0 && project !== "" ? paint.dim(text) : text))
  ].join("\n")
}

type Tone = "green" | "red" | "yellow" | "bold"

const symbols: Readonly<Record<RunStanding, readonly [symbol: string, tone: Tone]>> = {
  done: ["✓", "green"],
  running: ["●", "bold"],
  failed: ["✗", "red"],
  unverified: ["✗", "yellow"],
  unfounded: ["✗", "yellow"],
  no_valid_plan: ["✗", "red"],
  unavailable: ["✗", "red"],
  unreadable: ["✗", "red"],
  declined: ["○", "yellow"],
  not_permitted: ["○", "yellow"],
  limit: ["○", "yellow"],
  interrupted: ["○", "yellow"],
  unfinished: ["○", "yellow"]
}

/** The state of a run in words, such as `✓ done` or `✗ no valid plan`. */
export const standingText = (standing: RunStanding, paint: Paint): string => {
  const [symbol, tone] = symbols[standing]
  return paint[tone](`${symbol} ${standing.replaceAll("_", " ")}`)
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const two = (number: number): string => String(number).padStart(2, "0")

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long ago a time was, such as `just now` or `5 min ago`. Undefined after two weeks, and for future times. */
const agoText = (ms: number): string | undefined => {
  if (ms < 0 || ms >= 14 * day) return undefined
  if (ms < minute) return "just now"
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`
  if (ms < day) return `${Math.floor(ms / hour)} h ago`
  const days = Math.floor(ms / day)
  return `${counted(days, "day")} ago`
}

const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString()

/** A local time, such as `today 17:02` or `2025-11-20 18:30`. */
const localText = (at: Date, now: Date): string => {
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (isSameDay(at, now)) return `today ${time}`
  if (isSameDay(at, yesterday)) return `yesterday ${time}`
  if (at.getFullYear() === now.getFullYear()) return `${months[at.getMonth()]} ${at.getDate()} ${time}`
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`
}

/** A time as text, such as `today 17:02 (5 min ago)`. Any other text is returned unchanged. */
export const whenText = (iso: string, now: Date): string => {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const ago = agoText(now.getTime() - at.getTime())
  return ago === undefined ? localText(at, now) : `${localText(at, now)} (${ago})`
}
