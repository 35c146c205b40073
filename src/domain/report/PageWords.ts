/**
 * Numbers, sizes and times on the page of a report. Pure; times are UTC, since a page is read elsewhere too.
 */
import { markup, type Html } from "./Html.ts"

/** `12`, `3.4k`, `1.2M`. */
export const shortNumber = (number: number): string => {
  if (number < 10_000) return String(Math.round(number))
  if (number < 1_000_000) return `${(number / 1000).toFixed(1)}k`
  return `${(number / 1_000_000).toFixed(1)}M`
}

/** `250 ms`, `1.7 s`, `4 min 45 s`, `2 h 5 min`. */
export const timeText = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
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

/** A status as a mark with its word. */
export const stateHtml = (status: string): Html => {
  const symbol = symbols[status] ?? "✗"
  const tone = symbol === "✓" ? "good" : symbol === "✗" ? "bad" : "calm"
  return markup`<span class="state ${tone}">${symbol} ${words[status] ?? status.replaceAll("_", " ")}</span>`
}
