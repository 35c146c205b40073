/** What a replay compares is what docs/reference/runs.md says it does. */
import { describe, expect, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runDifferences } from "../../../src/plugins/replay/RunDifference.ts"
import { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { publishedEvents } from "../../../src/domain/history/JournalParts.ts"
import { replaySessions } from "../../../src/plugins/replay/ReplaySessions.ts"
import { decodeLine, firstSum, type JournalLine, recordOf, sumIn } from "../../../src/services/journal/JournalLine.ts"

const root = join(import.meta.dirname, "../../..")

/** The cells of one column of the table in the section about replays, as patterns of types of events. */
const column = (number: number): ReadonlyArray<string> => {
  const [, section = ""] =
    /^## Replay\n([^]*?)^## /m.exec(readFileSync(join(root, "docs/reference/runs.md"), "utf8")) ?? []
  const cells = section
    .split("\n")
    .filter((line) => /^\| [^-]/.test(line) && !line.startsWith("| compared"))
    .map((row) => row.split("|")[number] ?? "")
  return [...cells.join("\n").matchAll(/`([a-z]+(?:\.[a-z*]+)?)`/g)].flatMap(([, type]) => type ?? [])
}

const types = RunEvent.members
  .map(({ fields }) => fields.type.schema.literal)
  .filter((type) => !type.startsWith("ask."))
const fits = (pattern: string) => (type: string) =>
  pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern

/** The kept journals are from before tasks had turns: what a task was asked for first and last are turns 1 and above today. */
const withTurns = (line: JournalLine): JournalLine => ({
  ...line,
  json: JSON.parse(
    JSON.stringify(line.json)
      .replaceAll(/("stage":"execute"(?:,"\w+":[^,{}]+)*?,"attempt":)(\d)/g, "$11$2")
      .replaceAll(/"stage":"(?:refine|execute)"/g, '"stage":"task"')
  )
})

const isLastStage = ({ json }: JournalLine): boolean =>
  JSON.stringify(json).includes('"type":"stage.started","stage":"execute"')

/** The events of each session of the journals that are kept. */
const sessions = readdirSync(join(root, "test/fixtures/journals/v1"))
  .filter((name) => name !== "skills")
  .flatMap((name) => {
    const text = readFileSync(join(root, "test/fixtures/journals/v1", name, "journal.jsonl"), "utf8")
    let before = firstSum
    const records = text
      .trimEnd()
      .split("\n")
      .flatMap((line, index) => {
        const read = decodeLine(line, { seq: index + 1, before })
        if (typeof read === "string") throw new Error(`${name}, line ${index + 1}: ${read}`)
        before = sumIn(read.text)
        return isLastStage(read) ? [] : recordOf(withTurns(read))
      })
    return replaySessions(records).map(({ own }) => publishedEvents(own))
  })

const told = new Set(sessions.flat().map(({ type }) => type))

/** True when it shows that a session told nothing of a type. */
const shows = (type: string): boolean =>
  sessions.some(
    (events) =>
      runDifferences(
        events,
        events.filter((event) => event.type !== type),
        false
      ).length > 0
  )

describe("the comparison of a run with its replay", () => {
  it("finds nothing when all is the same", () => {
    expect(sessions.map((events) => runDifferences(events, events, false))).toEqual(sessions.map(() => []))
  })

  it("has a place for every type of event", () => {
    const all = [...column(1), ...column(2)]
    expect(types.filter((type) => !all.some((pattern) => fits(pattern)(type)))).toEqual([])
  })

  it("shows what docs/reference/runs.md says is compared, and nothing else", () => {
    const compared = types.filter((type) => told.has(type) && shows(type))
    expect(compared).toEqual(types.filter((type) => told.has(type) && column(1).some((pattern) => fits(pattern)(type))))
    expect(compared.length).toBeGreaterThan(12)
  })

  it("lets the order of tasks side by side differ, but not the order within a task", () => {
    const [events = []] = sessions
    const at = (type: string, task: string) =>
      events.findIndex((event) => event.type === type && "task" in event && event.task === task)
    const swapped = (one: number, other: number) => events.with(one, events[other]!).with(other, events[one]!)
    const [read, look] = [at("task.worked", "Read 1"), at("task.worked", "Look 1")]
    expect(runDifferences(events, swapped(read, look), false)).toEqual([])
    const finished = at("task.finished", "Read 1")
    expect(runDifferences(events, swapped(read, finished), false).map(({ difference }) => difference.about)).toEqual([
      "the order of round 1 read-1"
    ])
  })
})
