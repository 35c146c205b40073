/**
 * What is going on, as lines for a terminal of a certain size: what is at work, the plan around it, and how far it is. The
 * answer that is being written stands above.
 */
import { printable, printableLines } from "../text/Printable.ts"
import { cutLine, cutText, type StyledLine, wrapLine } from "../text/TextWidth.ts"
import { clockText, phaseText, stageText, type ViewTime } from "./LiveWords.ts"
import { planLines } from "./LivePlan.ts"
import { workLine } from "./WorkLine.ts"
import { countStages, isLively, type LiveCall, type LiveState } from "./LiveState.ts"

export interface ViewSize {
  readonly columns: number
  readonly rows: number
}

export interface ViewOptions extends ViewTime {
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
    .map(({ since, words }) => line(printable(words), [], since))
  return [...calls, ...tools].slice(-4)
}

/** The end of a text that is being written. */
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
