/**
 * What is going on, as lines for a terminal of a certain size: what is at work, the plan around it, and how far it is. The
 * answer that is being written stands above.
 */
import { stepText } from "../plan/TaskName.ts"
import {
  type LiveCall,
  type LiveState,
  type LiveStep,
  type LiveTask,
  type LiveTool,
  countStages,
  isLively,
  isResolved
} from "./LiveState.ts"
import { type ViewTime, clockText, phaseText, stageText } from "./LiveText.ts"
import { printable, printableLines } from "../text/Printable.ts"
import { type StyledLine, cutLine, lineWidth, textWidth, cutText, wrapLine } from "../text/TextWidth.ts"

/** A name is not cut below this width, in columns. */
const leastName = 20

const widthOf = (detail: string): number => (detail === "" ? 0 : textWidth(detail) + 3)

/**
 * The first of the details that fits beside the name is shown, else the last one as far as it fits. A long name stands
 * alone before both are cut, so that tasks can be told apart. On a narrow screen `word` stands for the details where it fits.
 */
const workLine = (
  name: StyledLine,
  details: ReadonlyArray<string>,
  time: string,
  columns: number,
  word = ""
): StyledLine => {
  const end = ` · ${time}`
  const width = columns - end.length
  const isLong = lineWidth(name) > leastName
  const final = details.at(-1) ?? ""
  const last = isLong && leastName + widthOf(final) > width ? "" : final
  const fits = (one: string): boolean => lineWidth(name) + widthOf(one) <= width
  const detail = details.find(fits) ?? (word !== "" && fits(word) ? word : last)
  const least = Math.min(lineWidth(name), leastName)
  const named = cutLine(name, Math.max(least, width - widthOf(detail)))
  const whole: StyledLine = detail === "" ? named : [...named, { text: ` · ${detail}` }]
  return [...cutLine(whole, width), { text: end, style: "dim" }]
}

interface PlanOptions extends ViewTime {
  readonly columns: number
}

/** A step with its tasks, and which of them are at work. */
interface Shown {
  readonly step: LiveStep
  readonly tasks: ReadonlyArray<LiveTask>
  readonly active: ReadonlyArray<LiveTask>
  readonly ended: number
  readonly failed: number
  readonly ready: number
}

const tasksText = (number: number): string => `${number} ${number === 1 ? "task" : "tasks"}`

/** What goes on for a task: its tool, or its call unless that waits for a slot. */
const workOf = (state: LiveState) => {
  const tools = new Map<string, LiveTool>()
  for (const tool of state.tools.values()) tools.set(tool.task, tool)
  const calls = new Map<string, LiveCall>()
  for (const call of state.calls.values()) {
    if (call.call.task !== undefined && call.phase !== "queued") calls.set(call.call.task, call)
  }
  return { calls, tools }
}

type Work = ReturnType<typeof workOf>

const shownSteps = (state: LiveState, { calls, tools }: Work): ReadonlyArray<Shown> =>
  state.steps.map((step) => {
    const tasks = step.tasks.flatMap((name) => state.tasks.get(name) ?? [])
    return {
      step,
      tasks,
      active: tasks.filter(({ name, stage }) => !isResolved(stage) && (calls.has(name) || tools.has(name))),
      ended: tasks.filter(({ stage }) => isResolved(stage)).length,
      failed: tasks.filter(({ stage }) => stage === "failed" || stage === "skipped").length,
      ready: tasks.filter(({ stage }) => stage === "ready").length
    }
  })

const isDone = ({ ended, tasks }: Shown): boolean => ended === tasks.length

/** One line for a step: finished, at work, or still to come. */
const stepLine = (shown: Shown, { columns, marks }: PlanOptions): StyledLine => {
  const { active, failed, ready, ended, step, tasks } = shown
  const title = stepText(step.title)
  const failures = failed === 0 ? [] : [{ text: ` · ${failed} without a result`, style: "red" as const }]
  if (isDone(shown)) {
    const mark =
      failed === 0
        ? { text: `${marks.done} `, style: "green" as const }
        : { text: `${marks.failed} `, style: "red" as const }
    return cutLine([mark, { text: `${title} · ${tasksText(tasks.length)}`, style: "dim" }, ...failures], columns)
  }
  const isOpen = active.length > 0 || ended > 0
  const count = ended > 0 ? `${ended}/${tasks.length}` : tasksText(tasks.length)
  const prepared = ended === 0 && ready > 0 ? `, ${ready} ready` : ""
  return cutLine(
    [
      { text: `${isOpen ? marks.open : marks.waiting} ` },
      { text: title, ...(isOpen ? { style: "bold" as const } : {}) },
      { text: ` · ${count}${prepared}`, style: "dim" },
      ...failures
    ],
    columns
  )
}

const taskLine = (state: LiveState, { calls, tools }: Work, task: LiveTask, options: PlanOptions): StyledLine => {
  const { columns, marks, now } = options
  const tool = tools.get(task.name)
  const call = calls.get(task.name)
  const name: StyledLine = [{ text: `  ${marks.work} `, style: "cyan" }, { text: printable(task.name) }]
  if (tool !== undefined) return workLine(name, [printable(tool.text)], clockText(now - tool.since), columns)
  if (call === undefined) return cutLine(name, columns)
  const turn = task.attempt > 1 ? `, turn ${task.attempt}` : ""
  const phase = phaseText(call, state.model)
  const details = [`${stageText[call.call.stage]}${turn} · ${phase}`, phase]
  return workLine(name, details, clockText(now - call.since), columns, phase.split(/[\s,]/, 1)[0])
}

/** What comes next of a step, and how many more. */
const nextLines = (
  { active, tasks }: Shown,
  { columns, marks }: PlanOptions,
  most: number
): ReadonlyArray<StyledLine> => {
  const busy = new Set(active)
  const left = tasks.filter((task) => !isResolved(task.stage) && !busy.has(task))
  const first = left.length <= most ? left : left.slice(0, Math.max(0, most - 1))
  const more = left.length - first.length
  const line = (text: string): StyledLine => cutLine([{ text: `  ${marks.waiting} ${text}`, style: "dim" }], columns)
  return most <= 0
    ? []
    : [
        ...first.map(({ name, stage }) => line(`${printable(name)}${stage === "ready" ? " · ready" : ""}`)),
        ...(more === 0 ? [] : [line(`${more} more`)])
      ]
}

/** Steps that have nothing at work, as one line for all of them when there are too few rows for each. */
const quietLines = (
  steps: ReadonlyArray<Shown>,
  options: PlanOptions,
  remaining: number
): ReadonlyArray<StyledLine> => {
  if (steps.length === 0 || remaining <= 0) return []
  if (steps.length <= remaining) return steps.map((shown) => stepLine(shown, options))
  const { columns, marks } = options
  const done = steps.every(isDone)
  const failed = steps.reduce((sum, one) => sum + one.failed, 0)
  const tasks = steps.reduce((sum, one) => sum + one.tasks.length, 0)
  const rest = steps.length - remaining + 1
  const text = `${rest} ${done ? "" : "more "}${rest === 1 ? "step" : "steps"}`
  const all: StyledLine = [
    done ? { text: `${marks.done} `, style: "green" } : { text: `${marks.waiting} `, style: "dim" },
    { text: remaining === 1 ? `${text} · ${tasksText(tasks)}` : text, style: "dim" },
    ...(failed === 0 || remaining > 1 ? [] : [{ text: ` · ${failed} without a result`, style: "red" as const }])
  ]
  const shown = done ? steps.slice(rest) : steps.slice(0, remaining - 1)
  const lines = shown.map((one) => stepLine(one, options))
  return done ? [cutLine(all, columns), ...lines] : [...lines, cutLine(all, columns)]
}

/** The plan in at most so many lines. */
const planLines = (state: LiveState, options: PlanOptions, rows: number): ReadonlyArray<StyledLine> => {
  if (rows <= 0 || state.steps.length === 0) return []
  const work = workOf(state)
  const steps = shownSteps(state, work)
  const current = steps.findIndex((shown) => !isDone(shown))
  const isOpen = (shown: Shown, index: number): boolean => shown.active.length > 0 || index === current
  const open = steps.filter(isOpen)
  const first = steps.findIndex(isOpen)
  const before = first === -1 ? steps : steps.slice(0, first)
  const after = first === -1 ? [] : steps.filter((shown, index) => index > first && !isOpen(shown, index))
  const linesOf = (shown: Shown): ReadonlyArray<StyledLine> =>
    [stepLine(shown, options)].concat(shown.active.map((task) => taskLine(state, work, task, options)))
  const busy = open.flatMap(linesOf)
  if (busy.length > rows) {
    const tasks = open.flatMap(({ active }) => active.map((task) => taskLine(state, work, task, options)))
    const more: StyledLine = [{ text: `  ${options.marks.waiting} more at work`, style: "dim" }]
    return tasks.length <= rows ? tasks : [...tasks.slice(0, rows - 1), more]
  }
  let remaining = rows - busy.length
  const early = quietLines(before, options, Math.min(before.length, Math.max(1, Math.floor(remaining / 3)), remaining))
  remaining -= early.length
  const late = quietLines(after, options, Math.min(after.length, Math.max(1, Math.floor(remaining / 3)), remaining))
  remaining -= late.length
  const now = open.find(({ step }) => step === steps[current]?.step)
  const lines = open.flatMap((shown) =>
    linesOf(shown).concat(shown === now ? nextLines(shown, options, Math.min(remaining, 4)) : [])
  )
  return [...early, ...lines, ...late]
}

export interface ViewSize {
  readonly columns: number
  readonly rows: number
}

interface ViewOptions extends ViewTime {
  readonly size: ViewSize
  /** What Ctrl-C does: `stops`. */
  readonly stop: string
  /** Text of an answer that is not printed yet, beside the answer of the run. */
  readonly unfinished?: string
}

/** More lines than this are no help. */
const mostRows = 20
/** A line never fills the width: some terminals begin a new one then. */
const usable = ({ columns }: ViewSize): number => Math.max(10, columns - 1)

/** The call of a stage of the whole list; calls of tasks are shown with their tasks. */
const stageCall = ({ calls }: LiveState): LiveCall | undefined =>
  [...calls.values()].find(({ call }) => call.task === undefined)

const stageLine = (state: LiveState, options: ViewOptions): ReadonlyArray<StyledLine> => {
  const { stage } = state
  const call = stageCall(state)
  const shown = call?.call.stage ?? stage
  if (shown === undefined) return []
  const attempt = call !== undefined && call.call.attempt > 1 && shown !== "ask" ? `, attempt ${call.call.attempt}` : ""
  const name: StyledLine = [
    { text: `${options.marks.work} `, style: "cyan" },
    { text: `${stageText[shown]}${attempt}`, style: "bold" }
  ]
  const columns = usable(options.size)
  if (call === undefined) return [cutLine(name, columns)]
  return [workLine(name, [phaseText(call, state.model)], clockText(options.now - call.since), columns)]
}

/** What belongs to no plan: the tools of a conversation, and a stage of one task by itself. */
const looseLines = (state: LiveState, { marks, now, size }: ViewOptions): ReadonlyArray<StyledLine> => {
  const planned = new Set(state.steps.flatMap(({ tasks }) => tasks))
  const line = (text: string, details: ReadonlyArray<string>, since: number): StyledLine =>
    workLine([{ text: `${marks.work} `, style: "cyan" }, { text }], details, clockText(now - since), usable(size))
  const calls = [...state.calls.values()].flatMap((call) =>
    call.call.task === undefined || planned.has(call.call.task)
      ? []
      : [
          line(
            `${stageText[call.call.stage]} for ${printable(call.call.task)}`,
            [phaseText(call, state.model)],
            call.since
          )
        ]
  )
  const tools = [...state.tools.values()]
    .filter(({ task }) => !planned.has(task))
    .map(({ since, text }) => line(printable(text), [], since))
  return [...calls, ...tools].slice(-4)
}

/** The end of a string that is being written. */
const writtenLines = (text: string, size: ViewSize, rows: number): ReadonlyArray<StyledLine> => {
  const columns = usable(size)
  const lines = printableLines(text)
    .replaceAll("\t", "  ")
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapLine(line, columns - 2, ""))
  const last = lines.filter((line, index) => line.trim() !== "" || lines[index - 1]?.trim() !== "").slice(-rows)
  return text.trim() === "" ? [] : last.map((line) => [{ text: `  ${cutText(line, columns - 2)}`, style: "dim" }])
}

/** How far the run is, what waits, how long it has taken without persons, and how to stop it. */
const statusLine = (state: LiveState, { now, size, stop }: ViewOptions): StyledLine => {
  const { calls, startedAt = now, steps, tasks } = state
  const { failed, finished, kept, skipped } = countStages(state)
  const queued = [...calls.values()].filter(({ phase }) => phase === "queued").length
  const waits = state.serverUntil === undefined ? 0 : state.serverUntil - now
  const parts: ReadonlyArray<readonly [text: string, style: "bold" | "dim" | "red" | "yellow", rank: number]> = [
    ...(steps.length === 0 ? [] : ([[`${finished + kept}/${tasks.size}`, "bold", 0]] as const)),
    ...(failed === 0 ? [] : ([[`${failed} failed`, "red", 1]] as const)),
    ...(skipped === 0 ? [] : ([[`${skipped} skipped`, "yellow", 2]] as const)),
    ...(waits <= 0 ? [] : ([[`waiting for the model server, ${clockText(waits)} left`, "yellow", 1]] as const)),
    ...(queued === 0 ? [] : ([[`${queued} waiting for a free slot`, "dim", 4]] as const)),
    [clockText(now - startedAt - state.personMs), "dim", 1],
    ...(state.answerTokens === 0 ? [] : ([[`${state.answerTokens} tokens written`, "dim", 5]] as const)),
    [`Ctrl-C ${stop}`, "dim", 3]
  ]
  const columns = usable(size)
  const widthOf = (some: typeof parts) => some.reduce((sum, [text]) => sum + text.length + 3, 0)
  let shown = parts
  while (widthOf(shown) > columns && shown.length > 1) {
    const last = Math.max(...shown.map(([, , rank]) => rank))
    shown = shown.filter(([, , rank]) => rank < last)
  }
  return cutLine(
    shown.flatMap(([text, style], index): StyledLine =>
      index === 0
        ? [{ text, style }]
        : [
            { text: " · ", style: "dim" },
            { text, style }
          ]
    ),
    columns
  )
}

/** The lines, none when nothing is at work; at most a part of the screen, so that the log above stays readable. */
export const liveView = (state: LiveState, options: ViewOptions): ReadonlyArray<StyledLine> => {
  if (!isLively(state)) return []
  const { rows } = options.size
  const most = Math.max(1, Math.min(mostRows, rows - 2, Math.max(6, Math.floor(rows / 2))))
  const stage = stageLine(state, options)
  const tools = looseLines(state, options)
  const status = [statusLine(state, options)]
  const free = most - stage.length - tools.length - status.length
  const text = options.unfinished ?? state.answer
  const written = free < 2 ? [] : writtenLines(text, options.size, Math.max(2, free - 2))
  const plan = planLines(state, { ...options, columns: usable(options.size) }, Math.max(0, free - written.length))
  return [...written, ...plan, ...stage, ...tools, ...status].slice(-most)
}
