/**
 * The plan as a tree of steps and tasks in a window: what is at work is shown, with what comes next; what is finished is one
 * line for each step, and the rest is counted.
 */
import { stepWords } from "../plan/StepWords.ts"
import { printable } from "../text/Printable.ts"
import { cutLine, type StyledLine } from "../text/TextWidth.ts"
import { clockText, phaseText, stageText, type ViewTime } from "./LiveWords.ts"
import { isSettled, type LiveCall, type LiveState, type LiveStep, type LiveTask, type LiveTool } from "./LiveState.ts"
import { workLine } from "./WorkLine.ts"

export interface PlanOptions extends ViewTime {
  readonly columns: number
}

/** A step with its tasks, and which of them are at work. */
interface Shown {
  readonly step: LiveStep
  readonly tasks: ReadonlyArray<LiveTask>
  readonly active: ReadonlyArray<LiveTask>
  readonly settled: number
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
      active: tasks.filter(({ name, stage }) => !isSettled(stage) && (calls.has(name) || tools.has(name))),
      settled: tasks.filter(({ stage }) => isSettled(stage)).length,
      failed: tasks.filter(({ stage }) => stage === "failed" || stage === "skipped").length,
      ready: tasks.filter(({ stage }) => stage === "ready").length
    }
  })

const isDone = ({ settled, tasks }: Shown): boolean => settled === tasks.length

/** One line for a step: finished, at work, or still to come. */
const stepLine = (shown: Shown, { columns, marks }: PlanOptions): StyledLine => {
  const { active, failed, ready, settled, step, tasks } = shown
  const title = stepWords(step.title)
  const failures = failed === 0 ? [] : [{ text: ` · ${failed} without a result`, style: "red" as const }]
  if (isDone(shown)) {
    const mark =
      failed === 0
        ? { text: `${marks.done} `, style: "green" as const }
        : { text: `${marks.failed} `, style: "red" as const }
    return cutLine([mark, { text: `${title} · ${tasksText(tasks.length)}`, style: "dim" }, ...failures], columns)
  }
  const isOpen = active.length > 0 || settled > 0
  const count = settled > 0 ? `${settled}/${tasks.length}` : tasksText(tasks.length)
  const prepared = settled === 0 && ready > 0 ? `, ${ready} ready` : ""
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
  if (tool !== undefined) return workLine(name, [printable(tool.words)], clockText(now - tool.since), columns)
  if (call === undefined) return cutLine(name, columns)
  const attempt = task.attempt > 1 ? `, attempt ${task.attempt}` : ""
  const phase = phaseText(call, state.model)
  const details = [`${stageText[call.call.stage]}${attempt} · ${phase}`, phase]
  return workLine(name, details, clockText(now - call.since), columns, phase.split(/[\s,]/, 1)[0])
}

/** What comes next of a step, and how many more. */
const nextLines = (
  { active, tasks }: Shown,
  { columns, marks }: PlanOptions,
  most: number
): ReadonlyArray<StyledLine> => {
  const busy = new Set(active)
  const left = tasks.filter((task) => !isSettled(task.stage) && !busy.has(task))
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

/** Steps that have nothing at work, as one line for all of them when there is no room for each. */
const quietLines = (steps: ReadonlyArray<Shown>, options: PlanOptions, room: number): ReadonlyArray<StyledLine> => {
  if (steps.length === 0 || room <= 0) return []
  if (steps.length <= room) return steps.map((shown) => stepLine(shown, options))
  const { columns, marks } = options
  const done = steps.every(isDone)
  const failed = steps.reduce((sum, one) => sum + one.failed, 0)
  const tasks = steps.reduce((sum, one) => sum + one.tasks.length, 0)
  const rest = steps.length - room + 1
  const text = `${rest} ${done ? "" : "more "}${rest === 1 ? "step" : "steps"}`
  const all: StyledLine = [
    done ? { text: `${marks.done} `, style: "green" } : { text: `${marks.waiting} `, style: "dim" },
    { text: room === 1 ? `${text} · ${tasksText(tasks)}` : text, style: "dim" },
    ...(failed === 0 || room > 1 ? [] : [{ text: ` · ${failed} without a result`, style: "red" as const }])
  ]
  const shown = done ? steps.slice(rest) : steps.slice(0, room - 1)
  const lines = shown.map((one) => stepLine(one, options))
  return done ? [cutLine(all, columns), ...lines] : [...lines, cutLine(all, columns)]
}

/** The plan in at most so many lines. */
export const planLines = (state: LiveState, options: PlanOptions, rows: number): ReadonlyArray<StyledLine> => {
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
  let room = rows - busy.length
  const early = quietLines(before, options, Math.min(before.length, Math.max(1, Math.floor(room / 3)), room))
  room -= early.length
  const late = quietLines(after, options, Math.min(after.length, Math.max(1, Math.floor(room / 3)), room))
  room -= late.length
  const now = open.find(({ step }) => step === steps[current]?.step)
  const lines = open.flatMap((shown) =>
    linesOf(shown).concat(shown === now ? nextLines(shown, options, Math.min(room, 4)) : [])
  )
  return [...early, ...lines, ...late]
}
