/**
 * How far the run of a journal came, found in its bytes without decoding or verifying its records: for lists, which have to
 * be quick.
 */
import * as Schema from "effect/Schema"
import * as Option from "effect/Option"
import type { TaskCount } from "../../domain/history/RunStanding.ts"

/** What a journal says about the course of its run. */
export interface JournalProgress {
  /** The time of the last whole record, ISO 8601. */
  readonly lastAt?: string
  /** How long the sessions that reported an end had worked. */
  readonly durationMs?: number
  readonly exitCode?: number
  readonly tasks?: TaskCount
  /** Where the project was moved to. */
  readonly project?: string
}

/** Larger journals are only looked at by their ends. */
export const mostProgressBytes = 67_108_864

const newline = 0x0a

/** Quotes in the texts of a record are escaped, so these stand only at the beginning of one. */
const eventStart = Buffer.from('"record":{"type":"event","event":{"type":"')
const resumedStart = Buffer.from('"record":{"type":"resumed"')
const usageStart = Buffer.from('"usage":{"modelCalls":')

const Named = Schema.Struct({ name: Schema.String })
const PlanLine = Schema.fromJsonString(
  Schema.Struct({
    record: Schema.Struct({
      event: Schema.Struct({
        taskList: Schema.Struct({ steps: Schema.Array(Schema.Struct({ tasks: Schema.Array(Named) })) })
      })
    })
  })
)
const ResumedLine = Schema.fromJsonString(
  Schema.Struct({ record: Schema.Struct({ project: Schema.optionalKey(Schema.String) }) })
)
const decodePlan = Schema.decodeUnknownOption(PlanLine)
const decodeResumed = Schema.decodeUnknownOption(ResumedLine)
const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

const lineAt = (bytes: Buffer, at: number): string => {
  const end = bytes.indexOf(newline, at)
  return bytes.toString("utf8", bytes.lastIndexOf(newline, at) + 1, end === -1 ? bytes.length : end)
}

/** The longest name of a task that is looked for. */
const mostHead = 4096

const taskAt = (bytes: Buffer, at: number): string | undefined => {
  const name = /"task":("(?:[^"\\]|\\.)*")/.exec(bytes.toString("utf8", at, at + mostHead))?.[1]
  return name === undefined ? undefined : Option.getOrUndefined(decodeText(name))
}

/** How long a session worked: the last number of its report. */
const durationAt = (bytes: Buffer, at: number): number => {
  const end = bytes.indexOf(newline, at)
  const usage = bytes.lastIndexOf(usageStart, end === -1 ? bytes.length : end)
  const text = usage < at ? "" : bytes.toString("latin1", usage, end === -1 ? bytes.length : end)
  return Number(/"durationMs":(\d+(?:\.\d+)?)/.exec(text)?.[1] ?? 0)
}

/** The places where a pattern begins. */
function* placesOf(bytes: Buffer, pattern: Buffer): Generator<number> {
  for (let at = bytes.indexOf(pattern); at !== -1; at = bytes.indexOf(pattern, at + pattern.length)) yield at
}

const lastTime = (bytes: Buffer): string | undefined => {
  const end = bytes.lastIndexOf(newline)
  if (end === -1) return undefined
  const start = end === 0 ? 0 : bytes.lastIndexOf(newline, end - 1) + 1
  return /^\{"seq":\d+,"at":"([^"]{1,40})"/.exec(bytes.toString("latin1", start, Math.min(end, start + 100)))?.[1]
}

/** What the events say. */
const progressOfEvents = (bytes: Buffer) => {
  const done = new Set<string>()
  let planned: ReadonlyArray<string> | undefined
  let durationMs: number | undefined
  let exitCode: number | undefined
  for (const at of placesOf(bytes, eventStart)) {
    const typeAt = at + eventStart.length
    const head = bytes.toString("latin1", typeAt, typeAt + 48)
    const type = head.slice(0, head.indexOf('"'))
    if (type === "plan.created" || type === "plan.revised") {
      const plan = Option.getOrUndefined(decodePlan(lineAt(bytes, at)))
      if (plan !== undefined)
        planned = plan.record.event.taskList.steps.flatMap(({ tasks }) => tasks.map(({ name }) => name))
    } else if (type === "task.finished" || type === "task.kept") {
      const task = taskAt(bytes, typeAt)
      if (task !== undefined) done.add(task)
    } else if (type === "run.finished") {
      durationMs = (durationMs ?? 0) + durationAt(bytes, typeAt)
      const code = /^run\.finished","exitCode":(\d+)/.exec(head)?.[1]
      exitCode = code === undefined ? undefined : Number(code)
    } else if (type === "run.started") exitCode = undefined
  }
  return {
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(planned === undefined ? {} : { tasks: { done: done.size, total: new Set([...done, ...planned]).size } })
  }
}

/** Finds it in the bytes of a journal. */
export const journalProgress = (bytes: Buffer): JournalProgress => {
  const moves = [...placesOf(bytes, resumedStart)].flatMap((at) =>
    Option.match(decodeResumed(lineAt(bytes, at)), { onNone: () => [], onSome: ({ record }) => record.project ?? [] })
  )
  const project = moves.at(-1)
  const lastAt = lastTime(bytes)
  return {
    ...progressOfEvents(bytes),
    ...(lastAt === undefined ? {} : { lastAt }),
    ...(project === undefined ? {} : { project })
  }
}
