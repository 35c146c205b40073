/** The figures of all runs as a markdown table. Shows medians, and medians of the ratios within each repetition. */
import type { Measurement } from "./measure.ts"
import { isForTokens } from "./peers.ts"

export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = NaN, high = NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

/** The runs of one peer, one for each repetition. A failed run is a text with the reason. */
export type Runs = ReadonlyArray<Measurement | string>

type Figure = (run: Measurement) => number

const medianOf = (runs: Runs, figure: Figure): number =>
  median(runs.flatMap((run) => (typeof run === "string" ? [] : [figure(run)])))

/** The median ratio between a peer and another peer. Each ratio compares runs of the same repetition. */
export const ratio = (runs: Runs, base: Runs, figure: Figure): number =>
  median(
    runs.flatMap((run, repetition) => {
      const other = base[repetition]
      return typeof run === "string" || other === undefined || typeof other === "string"
        ? []
        : [figure(run) / figure(other)]
    })
  )

export interface Setting {
  readonly tasks: number
  /** The shortest possible time for the calls of a peer, in ms. 0 if calls take no time. */
  readonly boundOf: (name: string) => number
  /** False for a server that remembers no prompts. */
  readonly remembers: boolean
}

interface Row extends Setting {
  readonly name: string
  readonly runs: Runs
  readonly plain: Runs
  readonly react: Runs
}

interface Column {
  readonly title: string
  readonly digits: number
  /** NaN if there is no value. */
  readonly value: (row: Row) => number
  /** True for figures that mean nothing for another kind of work. */
  readonly isOfWork?: boolean
}

const cpu: Figure = ({ cpuMs }) => cpuMs
const memory: Figure = ({ peakMegabytes }) => peakMegabytes
const wall: Figure = ({ wallMs }) => wallMs
const tokens: Figure = ({ stats }) => stats.promptTokens

const columns: ReadonlyArray<Column> = [
  {
    title: "time / bound",
    digits: 3,
    isOfWork: true,
    value: ({ boundOf, name, runs }) => medianOf(runs, wall) / (boundOf(name) || NaN)
  },
  { title: "time / plain", digits: 2, isOfWork: true, value: ({ plain, runs }) => ratio(runs, plain, wall) },
  { title: "CPU / plain", digits: 2, isOfWork: true, value: ({ plain, runs }) => ratio(runs, plain, cpu) },
  { title: "CPU ms per task", digits: 2, isOfWork: true, value: ({ runs, tasks }) => medianOf(runs, cpu) / tasks },
  { title: "memory / plain", digits: 2, isOfWork: true, value: ({ plain, runs }) => ratio(runs, plain, memory) },
  { title: "memory MB", digits: 0, isOfWork: true, value: ({ runs }) => medianOf(runs, memory) },
  { title: "calls", digits: 0, value: ({ runs }) => medianOf(runs, ({ stats }) => stats.calls) },
  { title: "at a time", digits: 0, value: ({ runs }) => medianOf(runs, ({ stats }) => stats.mostInFlight) },
  { title: "prompt tokens per task", digits: 0, value: ({ runs, tasks }) => medianOf(runs, tokens) / tasks },
  { title: "tokens / ReAct", digits: 2, value: ({ react, runs }) => ratio(runs, react, tokens) },
  {
    title: "read before, %",
    digits: 0,
    value: ({ remembers, runs }) =>
      remembers ? 100 * medianOf(runs, ({ stats }) => stats.cachedTokens / stats.promptTokens) : NaN
  }
]

const shown = (value: number, digits: number): string => (Number.isFinite(value) ? value.toFixed(digits) : "-")

const rowOf = (row: Row): string => {
  const { name, runs } = row
  const failures = runs.filter((run) => typeof run === "string")
  if (failures.length === runs.length) return `| ${name} | failed: ${failures[0]} |`
  const cells = columns.map(({ digits, isOfWork = false, value }) =>
    isOfWork && isForTokens(name) ? "-" : shown(value(row), digits)
  )
  const missing = failures.length === 0 ? "" : ` (${failures.length} of ${runs.length} failed)`
  return `| ${name}${missing} | ${cells.join(" | ")} |`
}

/** A table with one row per peer. */
export const tableOf = (rows: ReadonlyMap<string, Runs>, setting: Setting): string => {
  const [plain = [], react = []] = [rows.get("plain"), rows.get("ReAct loop")]
  return [
    `| | ${columns.map(({ title }) => title).join(" | ")} |`,
    `|---|${"---:|".repeat(columns.length)}`,
    ...Array.from(rows, ([name, runs]) => rowOf({ name, runs, plain, react, ...setting }))
  ].join("\n")
}
