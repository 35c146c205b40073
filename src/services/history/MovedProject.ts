/** Adapts the journal of a run whose project was moved. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { eventsOf } from "../../domain/history/RunEvidence.ts"
import type { CallIntent } from "../../domain/journal/JournalRecord.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { type JournalLine, readRecord, readRecords } from "../journal/JournalLine.ts"

/** The folder to which the project was last moved, according to the journal. Undefined if it was never moved. */
export const movedTo = (lines: ReadonlyArray<JournalLine>): string | undefined =>
  readRecords(lines.filter(({ type }) => type === "resumed"))
    .flatMap((record) => (record.type === "resumed" ? (record.project ?? []) : []))
    .at(-1)

/** Rewrites the lines as if all sessions had worked in the project's current folder. */
export const inMovedProject = Effect.fnUntraced(function* (lines: ReadonlyArray<JournalLine>, project: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const now = yield* Effect.orElseSucceed(fs.realPath(project), () => project)
  const started = eventsOf(readRecords(lines.filter(({ event }) => event === "run.started")), "run.started")
  const before = [...new Set(started.map((event) => event.project))].filter((one) => one !== now)
  if (before.length === 0) return lines
  const moved = (file: string): string => {
    if (isWithin(now, file)) return file
    const root = before.find((one) => isWithin(one, file))
    return root === undefined ? file : path.join(now, path.relative(root, file))
  }
  return lines.map((line): JournalLine => {
    const record = line.type === "intent" ? readRecord(line) : undefined
    if (record?.type !== "intent") return line
    const intent: CallIntent = {
      ...record,
      targets: record.targets.map((target) => (path.isAbsolute(target) ? moved(target) : target)),
      files: record.files.map(({ folder, path: file, ...state }) =>
        Object.assign({ ...state, path: moved(file) }, folder === undefined ? {} : { folder: moved(folder) })
      )
    }
    return { ...line, json: intent }
  })
})
