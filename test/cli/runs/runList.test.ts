import { describe, expect, it } from "vitest"
import type { RunSummary } from "../../../src/domain/history/RunOverview.ts"
import { textWidth } from "../../../src/domain/text/TextWidth.ts"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { type ListStyle, runLines, whenText } from "../../../src/cli/runs/runList.ts"

const local = (year: number, month: number, day: number, hour: number, minute: number) =>
  new Date(year, month - 1, day, hour, minute)
const now = local(2026, 11, 22, 17, 2)

const run: RunSummary = {
  runId: "20261122-165700-k3x9",
  standing: "not_permitted",
  startedAt: local(2026, 11, 22, 16, 57).toISOString(),
  durationMs: 285_000,
  tasks: { done: 3, total: 5 },
  project: "/home/ann/project",
  prompt: "  Raise the timeout of all requests to thirty seconds, and say where it was\nsecond line",
  model: "qwen3:8b",
  bytes: 12_000
}
const style = (columns: number | undefined, withProject = false): ListStyle => ({
  paint: makePaint(false),
  columns,
  now,
  withProject
})

describe("a run in the list", () => {
  it("is one line where nobody watches", () => {
    expect(runLines(run, style(undefined))).toBe(
      "20261122-165700-k3x9  ○ not permitted  3/5  4 min 45 s  today 16:57 (5 min ago)  qwen3:8b  Raise the timeout of all requests to thirty seconds, and say where it was"
    )
  })

  it("takes two lines of 80 columns, and more of 40", () => {
    expect(runLines(run, style(80)).split("\n")).toEqual([
      "20261122-165700-k3x9  ○ not permitted  3/5  4 min 45 s  today 16:57 (5 min ago)",
      "  qwen3:8b",
      "  Raise the timeout of all requests to thirty seconds, and say where it was"
    ])
    expect(runLines(run, style(40, true)).split("\n")).toEqual([
      "20261122-165700-k3x9  ○ not permitted",
      "  3/5  4 min 45 s",
      "  today 16:57 (5 min ago)  qwen3:8b",
      "  /home/ann/project",
      "  Raise the timeout of all requests t..."
    ])
  })

  it.each([20, 40, 57, 80, 200])("fits %s columns, coloured or not, whatever is in it", (columns) => {
    const wide: RunSummary = {
      ...run,
      prompt: "日本語".repeat(80),
      model: "m\u202e\u001b[31m",
      standing: "no_valid_plan"
    }
    for (const one of [run, wide, { ...run, pid: 12, standing: "running" as const }]) {
      const lines = runLines(one, style(columns, true)).split("\n")
      expect(lines.filter((line) => textWidth(line) > Math.max(columns, 26))).toEqual([])
      const painted = runLines(one, { ...style(columns, true), paint: makePaint(true) })
      // oxlint-disable-next-line no-control-regex -- the colours themselves
      expect(painted.replace(/\u001b\[\d+m/g, "").split("\n")).toEqual(lines)
    }
  })

  it("says how long a run works already", () => {
    const { durationMs: _, ...rest } = run
    expect(runLines({ ...rest, standing: "running", pid: 12 }, style(undefined))).toContain("● running  3/5  5 min")
  })

  it("is reported also when nothing can be read of it", () => {
    expect(runLines({ runId: "a", standing: "unreadable", bytes: 0 }, style(80))).toBe("a  ✗ unreadable")
  })
})

describe("a time", () => {
  it.each<[Date, string]>([
    [local(2026, 11, 22, 17, 2), "today 17:02 (just now)"],
    [local(2026, 11, 22, 16, 3), "today 16:03 (59 min ago)"],
    [local(2026, 11, 22, 0, 5), "today 00:05 (16 h ago)"],
    [local(2026, 11, 21, 23, 59), "yesterday 23:59 (17 h ago)"],
    [local(2026, 11, 20, 18, 30), "Nov 20 18:30 (1 day ago)"],
    [local(2026, 1, 2, 3, 4), "Jan 2 03:04"],
    [local(2025, 11, 20, 18, 30), "2025-11-20 18:30"],
    [local(2026, 11, 22, 17, 3), "today 17:03"]
  ])("%s is %s", (at, text) => expect(whenText(at.toISOString(), now)).toBe(text))

  it("that is none stays as it is", () => expect(whenText("soon", now)).toBe("soon"))
})
