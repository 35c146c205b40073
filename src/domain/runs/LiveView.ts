/** Draws the live view as lines for a terminal: the unfinished answer, the active work, the plan and the progress. */
import { stepText } from "../plan/TaskName.ts"
import {
  type LiveCall,
  type LiveState,
  type LiveStep,
  type LiveTask,
  type LiveTool,
  isLively,
  isResolved
} from "./LiveState.ts"
import { type ViewTime, clockText, phaseText, stageText } from "./LiveText.ts"
import { printable, printableLines } from "../text/Printable.ts"
import { type StyledLine, cutLine, lineWidth, textWidth, cutText, wrapLine } from "../text/TextWidth.ts"
import { counted } from "../text/Format.ts"

/** The minimum width of a cut name, in columns. */
const leastName = 20

const widthOf = (detail: string): number => (detail === "" ? 0 : textWidth(detail) + 3)

/**
 * A line of work with its name and duration. The line also shows the first of these texts that fits beside the name:
 * - one of `details`, in their order,
 * - `word`,
 * - the beginning of the last detail.
 *
 * If a long name leaves no room for any of them, the name stands alone, so that users can tell tasks apart.
 */
const workLine = (
  name: StyledLine,
  details: ReadonlyArray<string>,
  since: number,
  { columns, now }: View,
  word = ""
): StyledLine => {
  const end = ` · ${clockText(now - since)}`
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

export interface ViewSize {
  readonly columns: number
  readonly rows: number
}

interface ViewOptions extends ViewTime {
  readonly size: ViewSize
  /** What Ctrl-C does now, such as `stops`. */
  readonly stop: string
  /** The unfinished answer that is not printed yet. */
  readonly unfinished?: string
}

/** `columns` is one less than the terminal's width, because some terminals wrap a full line. */
interface View extends ViewOptions {
  readonly columns: number
}

interface Shown {
  readonly step: LiveStep
  readonly tasks: ReadonlyArray<LiveTask>
  readonly active: ReadonlyArray<LiveTask>
  readonly ended: number
  readonly failed: number
}

/** What each task does now: its tool, or else its model call. Omits model calls that wait for a slot. */
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
      failed: tasks.filter(({ stage }) => stage === "failed" || stage === "skipped").length
    }
  })

const isDone = ({ ended, tasks }: Shown): boolean => ended === tasks.length

const failureText = (failed: number): StyledLine =>
  failed === 0 ? [] : [{ text: ` · ${failed} without a result`, style: "red" }]

const stepLine = (stepState: Shown, { columns, marks }: View): StyledLine => {
  const { active, failed, ended, step, tasks } = stepState
  const title = stepText(step.title)
  const failures = failureText(failed)
  if (isDone(stepState)) {
    const mark = {
      text: `${failed === 0 ? marks.done : marks.failed} `,
      style: failed === 0 ? "green" : "red"
    } as const
    return cutLine([mark, { text: `${title} · ${counted(tasks.length, "task")}`, style: "dim" }, ...failures], columns)
  }
  const isOpen = active.length > 0 || ended > 0
  const ready = tasks.filter(({ stage }) => stage === "ready").length
  const count = ended > 0 ? `${ended}/${tasks.length}` : counted(tasks.length, "task")
  const prepared = ended === 0 && ready > 0 ? `, ${ready} ready` : ""
  const name: StyledLine = isOpen
    ? [{ text: `${marks.open} ` }, { text: title, style: "bold" }]
    : [{ text: `${marks.waiting} ${title}` }]
  return cutLine([...name, { text: ` · ${count}${prepared}`, style: "dim" }, ...failures], columns)
}

/** The texts for a tool, the longest first, for screens of any width. */
const toolDetails = ({ progress, text }: LiveTool): ReadonlyArray<string> =>
  progress === undefined
    ? [printable(text)]
    : [`${printable(text)} · ${printable(progress)}`, printable(progress), printable(text)]

const taskLine = (state: LiveState, { calls, tools }: Work, task: LiveTask, view: View): StyledLine => {
  const tool = tools.get(task.name)
  const call = calls.get(task.name)
  const name: StyledLine = [{ text: `  ${view.marks.work} `, style: "cyan" }, { text: printable(task.name) }]
  if (tool !== undefined) return workLine(name, toolDetails(tool), tool.since, view)
  if (call === undefined) return cutLine(name, view.columns)
  const turn = task.attempt > 1 ? `, turn ${task.attempt}` : ""
  const phase = phaseText(call, state.run.model)
  const details = [`${stageText[call.call.stage]}${turn} · ${phase}`, phase]
  return workLine(name, details, call.since, view, phase.split(/[\s,]/, 1)[0])
}

/** The lines for the next tasks of a step, and a line with the number of further tasks. */
const nextLines = ({ active, tasks }: Shown, { columns, marks }: View, most: number): ReadonlyArray<StyledLine> => {
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

/** A line for each inactive step, or one line for all these steps if there are too few rows. */
const quietLines = (steps: ReadonlyArray<Shown>, options: View, remaining: number): ReadonlyArray<StyledLine> => {
  if (steps.length === 0 || remaining <= 0) return []
  if (steps.length <= remaining) return steps.map((shown) => stepLine(shown, options))
  const { columns, marks } = options
  const done = steps.every(isDone)
  const failed = steps.reduce((sum, one) => sum + one.failed, 0)
  const tasks = steps.reduce((sum, one) => sum + one.tasks.length, 0)
  const rest = steps.length - remaining + 1
  const text = counted(rest, done ? "step" : "more step")
  const all: StyledLine = [
    done ? { text: `${marks.done} `, style: "green" } : { text: `${marks.waiting} `, style: "dim" },
    { text: remaining === 1 ? `${text} · ${counted(tasks, "task")}` : text, style: "dim" },
    ...(remaining > 1 ? [] : failureText(failed))
  ]
  const shown = done ? steps.slice(rest) : steps.slice(0, remaining - 1)
  const lines = shown.map((one) => stepLine(one, options))
  return done ? [cutLine(all, columns), ...lines] : [...lines, cutLine(all, columns)]
}

const planLines = (state: LiveState, options: View, rows: number): ReadonlyArray<StyledLine> => {
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

const mostRows = 20
const stageLine = (state: LiveState, view: View): ReadonlyArray<StyledLine> => {
  const call = [...state.calls.values()].find((one) => one.call.task === undefined)
  const stage = call?.call.stage ?? state.stage
  if (stage === undefined) return []
  const attempt = call !== undefined && call.call.attempt > 1 && stage !== "ask" ? `, attempt ${call.call.attempt}` : ""
  const name: StyledLine = [
    { text: `${view.marks.work} `, style: "cyan" },
    { text: `${stageText[stage]}${attempt}`, style: "bold" }
  ]
  return [
    call === undefined
      ? cutLine(name, view.columns)
      : workLine(name, [phaseText(call, state.run.model)], call.since, view)
  ]
}

/** Lines for work outside a plan: tools of a conversation, and a stage of a single task. */
const looseLines = (state: LiveState, view: View): ReadonlyArray<StyledLine> => {
  const planned = new Set(state.steps.flatMap(({ tasks }) => tasks))
  const line = (text: string, details: ReadonlyArray<string>, since: number): StyledLine =>
    workLine([{ text: `${view.marks.work} `, style: "cyan" }, { text }], details, since, view)
  const calls = [...state.calls.values()].flatMap((call) => {
    const { stage, task } = call.call
    if (task === undefined || planned.has(task)) return []
    return [line(`${stageText[stage]} for ${printable(task)}`, [phaseText(call, state.run.model)], call.since)]
  })
  const tools = [...state.tools.values()]
    .filter(({ task }) => !planned.has(task))
    .map(({ progress, since, text }) =>
      line(printable(text), progress === undefined ? [] : [printable(progress)], since)
    )
  return [...calls, ...tools].slice(-4)
}

const writtenLines = (text: string, columns: number, rows: number): ReadonlyArray<StyledLine> => {
  const lines = printableLines(text)
    .replaceAll("\t", "  ")
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapLine(line, columns - 2, ""))
  const last = lines.filter((line, index) => line.trim() !== "" || lines[index - 1]?.trim() !== "").slice(-rows)
  return text.trim() === "" ? [] : last.map((line) => [{ text: `  ${cutText(line, columns - 2)}`, style: "dim" }])
}

/**
 * Progress, queue, duration without the user's time, and how to stop the run. A narrow screen omits the least important
 * parts.
 */
const statusLine = (state: LiveState, { columns, now, stop }: View): StyledLine => {
  const { calls, questions, run, serverUntil = now, steps, tasks } = state
  const { startedAt = now } = run
  const stages = [...tasks.values()].map(({ stage }) => stage)
  const countOf = (...some: ReadonlyArray<LiveTask["stage"]>) => stages.filter((stage) => some.includes(stage)).length
  const [failed, skipped] = [countOf("failed"), countOf("skipped")]
  const queued = [...calls.values()].filter(({ phase }) => phase === "queued").length
  const parts = [
    { is: steps.length > 0, text: `${countOf("finished", "kept")}/${tasks.size}`, style: "bold", rank: 0 },
    { is: failed > 0, text: `${failed} failed`, style: "red", rank: 1 },
    { is: skipped > 0, text: `${skipped} skipped`, style: "yellow", rank: 2 },
    {
      is: serverUntil > now,
      text: `waiting for the model server, ${clockText(serverUntil - now)} left`,
      style: "yellow",
      rank: 1
    },
    { is: queued > 0, text: `${queued} waiting for a free slot`, style: "dim", rank: 4 },
    { is: true, text: clockText(now - startedAt - questions.userMs), style: "dim", rank: 1 },
    { is: state.answerTokens > 0, text: `${state.answerTokens} tokens written`, style: "dim", rank: 5 },
    { is: true, text: `Ctrl-C ${stop}`, style: "dim", rank: 3 }
  ] as const
  let columnParts = parts.filter(({ is }) => is)
  while (columnParts.reduce((sum, { text }) => sum + text.length + 3, 0) > columns && columnParts.length > 1) {
    const last = Math.max(...columnParts.map(({ rank }) => rank))
    columnParts = columnParts.filter(({ rank }) => rank < last)
  }
  const line = columnParts.flatMap(({ style, text }): StyledLine => [
    { text: " · ", style: "dim" },
    { text, style }
  ])
  return cutLine(line.slice(1), columns)
}

/**
 * All lines of the view; empty without active work. They fill only a part of the screen, so that the log above stays
 * readable.
 */
export const liveView = (state: LiveState, options: ViewOptions): ReadonlyArray<StyledLine> => {
  if (!isLively(state)) return []
  const view: View = { ...options, columns: Math.max(10, options.size.columns - 1) }
  const { rows } = options.size
  const most = Math.max(1, Math.min(mostRows, rows - 2, Math.max(6, Math.floor(rows / 2))))
  const below = [...stageLine(state, view), ...looseLines(state, view), statusLine(state, view)]
  const free = most - below.length
  const text = options.unfinished ?? state.answer
  const written = free < 2 ? [] : writtenLines(text, view.columns, Math.max(2, free - 2))
  const plan = planLines(state, view, Math.max(0, free - written.length))
  return [...written, ...plan, ...below].slice(-most)
}
