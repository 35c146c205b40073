/**
 * Numbers, sizes and times on the page of a report. Pure; times are UTC, since a page is read elsewhere too.
 */
import type { TaskEvidence } from "../history/RunEvidence.ts"
import { finishedWords } from "../plan/TaskResult.ts"
import { markup, type Html } from "./Html.ts"

/** `12`, `3.4k`, `1.2M`. */
export const shortNumber = (number: number): string => {
  if (number < 10_000) return String(Math.round(number))
  if (number < 1_000_000) return `${(number / 1000).toFixed(1)}k`
  return `${(number / 1_000_000).toFixed(1)}M`
}

/** A time as an element; the text itself when it is none. */
export const timeHtml = (iso: string): Html =>
  Number.isNaN(Date.parse(iso))
    ? markup`${iso}`
    : markup`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const symbols: Readonly<Record<string, string>> = {
  done: "✓",
  finished: "✓",
  running: "●",
  declined: "○",
  not_permitted: "○",
  limit: "○",
  interrupted: "○",
  unfinished: "○",
  open: "○"
}

const words: Readonly<Record<string, string>> = { open: "not done" }

/** How a task stands as a mark with its words. */
export const taskStateHtml = ({ denied, state }: Pick<TaskEvidence, "denied" | "state">): Html =>
  state === "finished" && denied !== undefined
    ? markup`<span class="state calm">○ ${finishedWords(denied)}</span>`
    : stateHtml(state)

/** A status as a mark with its word. */
export const stateHtml = (status: string): Html => {
  const symbol = symbols[status] ?? "✗"
  const tone = symbol === "✓" ? "good" : symbol === "✗" ? "bad" : "calm"
  return markup`<span class="state ${tone}">${symbol} ${words[status] ?? status.replaceAll("_", " ")}</span>`
}
