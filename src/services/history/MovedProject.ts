/**
 * The journal of a run whose project was moved: the files of its calls are where the project is now.
 */
import * as Path from "effect/Path"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { CallIntent } from "../../domain/history/JournalRecord.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { type JournalLine, readRecord, readRecords } from "../journal/JournalLine.ts"

const runStarted: RunEvent["type"] = "run.started"

/** Where the project was in the sessions of a run; canonical paths. */
const projectsOf = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<string> => {
  const started = readRecords(lines.filter(({ event }) => event === runStarted))
  const projects = started.flatMap((record) =>
    record.type === "event" && record.event.type === runStarted ? [record.event.project] : []
  )
  return [...new Set(projects)]
}

/** The lines as if all sessions had worked on the project where it is now. */
export const inMovedProject = Effect.fnUntraced(function* (lines: ReadonlyArray<JournalLine>, project: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const now = yield* Effect.orElseSucceed(fs.realPath(project), () => project)
  const before = projectsOf(lines).filter((one) => one !== now)
  if (before.length === 0) return lines
  const moved = (file: string): string => {
    if (isWithin(path, now, file)) return file
    const root = before.find((one) => isWithin(path, one, file))
    return root === undefined ? file : path.join(now, path.relative(root, file))
  }
  return lines.map((line): JournalLine => {
    const record = line.type === "intent" ? readRecord(line) : undefined
    if (record?.type !== "intent") return line
    const intent: CallIntent = {
      ...record,
      targets: record.targets.map((target) => (path.isAbsolute(target) ? moved(target) : target)),
      files: record.files.map(({ after, before: old, path: file }) => ({ path: moved(file), before: old, after }))
    }
    const { at, event, key, seq, sum, type } = line
    return { seq, at, type, key, event, sum, json: JSON.stringify(intent) }
  })
})
