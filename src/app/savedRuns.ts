/** Reads the saved runs of this machine. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { taskEvidence, TaskNotFound, runOf } from "../domain/history/RunEvidence.ts"
import { type RunHead, type RunStanding } from "../domain/history/RunOverview.ts"
import { makeWholePrompts, type TimedRecord } from "../domain/journal/JournalRecord.ts"
import { slugOf } from "../domain/text/Slug.ts"
import { userFolders } from "../services/configuration/UserFolders.ts"
import { movedTo } from "../services/history/MovedProject.ts"
import { leftOutNote } from "../services/journal/UnknownRecords.ts"
import { RunStore } from "../services/history/RunStore.ts"
import { type JournalLine, readRecord } from "../services/journal/JournalLine.ts"
import type { JournalContent } from "../services/journal/JournalReader.ts"

export const layerRuns = Layer.unwrap(
  Effect.gen(function* () {
    const { state } = yield* userFolders((yield* Path.Path).resolve())
    return RunStore.layer(state)
  })
)

/** The state of a run. If its end is not recorded: `running` if a process holds the run, otherwise `unfinished`. */
const standingOf = (last: JournalLine | undefined, isHeld: boolean): RunStanding => {
  const record = last === undefined ? undefined : readRecord(last)
  if (record?.type === "event" && record.event.type === "run.finished") return record.event.report.status
  return isHeld ? "running" : "unfinished"
}

/** The facts about a run as a whole, such as its status and its prompt. */
const headOf = Effect.fnUntraced(function* ({ lines, opened }: JournalContent) {
  const { order, project, settings } = opened
  const [first] = lines
  const last = lines.at(-1)
  const held = last?.event === "run.finished" ? undefined : yield* (yield* RunStore).holder(order.runId)
  const status = standingOf(last, held !== undefined)
  const head: RunHead = {
    runId: order.runId,
    status,
    project: movedTo(lines) ?? project,
    prompt: order.prompt,
    ...(settings.model === undefined ? {} : { model: settings.model }),
    ...(first === undefined ? {} : { startedAt: first.at }),
    ...(last === undefined || status === "running" ? {} : { endedAt: last.at })
  }
  return head
})

/**
 * The records of a run's journal. `isWanted` tells which records are needed, because a journal can be long. `moved` is
 * the project's new folder.
 */
export const readRun = Effect.fn("readRun")(function* (
  run: string,
  moved?: string,
  isWanted: (line: JournalLine) => boolean = () => true
) {
  const store = yield* RunStore
  const runId = yield* store.find(run, moved)
  const content = yield* store.read(runId)
  const { lines } = content
  const timed: Array<TimedRecord> = []
  const unread = new Set<JournalLine>()
  const whole = makeWholePrompts()
  for (const line of lines) {
    const record = readRecord(line)
    if (record === undefined) unread.add(line)
    else if (isWanted(line)) timed.push({ at: Date.parse(line.at), record: whole(record) })
  }
  return {
    runId,
    head: yield* headOf(content),
    records: timed.map(({ record }) => record),
    timed,
    leftOut: leftOutNote(lines, (line) => unread.has(line))
  }
})

/** All evidence of one task: prompts, answers, calls and results. */
export const readTask = Effect.fn("readTask")(function* (run: string, task: string) {
  const { head, leftOut, records, runId } = yield* readRun(run)
  const { names } = runOf(records)
  const name = names.find((one) => slugOf(one) === slugOf(task))
  if (name === undefined) return yield* new TaskNotFound({ runId, given: task, names })
  return { evidence: taskEvidence(records, name), leftOut, project: head.project }
})
