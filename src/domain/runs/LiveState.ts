/**
 * The current state of a run or a conversation, from its events: the plan with the stage of each task, unfinished calls
 * of models and tools, and counts.
 */
import type { TaskList } from "../plan/TaskList.ts"
import { deniedOf } from "../plan/TaskResult.ts"
import { type ModelCallId, type Stage, modelCallKey, toolCallKey } from "./ActivityKey.ts"
import { toolCallText } from "./CallText.ts"
import { progressText } from "../tools/ToolProgress.ts"
import type { CallPhase, EventOf, RecordedEvent, RunEvent } from "./RunEvent.ts"

/**
 * `ready`: the calls are chosen, and wait for their turn or an approval. `kept`: the task had finished before the run
 * was resumed.
 */
type TaskStage = "waiting" | "preparing" | "ready" | "running" | "finished" | "kept" | "failed" | "skipped"

export interface LiveTask {
  readonly name: string
  readonly stage: TaskStage
  /** The attempt of the task's last model call. */
  readonly attempt: number
}

export interface LiveStep {
  readonly title: string
  readonly tasks: ReadonlyArray<string>
}

/** An unfinished model call. Times are in milliseconds since 1970. */
export interface LiveCall {
  readonly call: ModelCallId
  readonly model?: string
  /**
   * `sent`: the server has not reported progress yet. `stalled`: it has stopped in the middle of the answer. `again`:
   * the call waits for a retry.
   */
  readonly phase: CallPhase | "sent" | "stalled" | "again"
  /** When the phase began. */
  readonly since: number
  readonly promptTokens?: number
  readonly tokens?: number
  readonly tokensPerSecond?: number
}

export interface LiveTool {
  readonly task: string
  /** The name of the tool, and the main argument of the call. */
  readonly text: string
  readonly since: number
  readonly progress?: string
}

/** The questions to the user. Times are in milliseconds. */
interface LiveQuestions {
  /** The hashes of unanswered questions. */
  readonly open: ReadonlySet<string>
  /**
   * When the current wait for the user began; undefined if the program does not wait. `userMs` does not include this
   * wait yet.
   */
  readonly askedAt: number | undefined
  /** How long the user took for the answered questions. */
  readonly userMs: number
}

export interface LiveState {
  readonly run: { readonly project: string; readonly model: string; readonly startedAt: number | undefined }
  /** The active stage of the whole run or conversation. */
  readonly stage: Stage | undefined
  readonly steps: ReadonlyArray<LiveStep>
  readonly tasks: ReadonlyMap<string, LiveTask>
  readonly calls: ReadonlyMap<string, LiveCall>
  readonly tools: ReadonlyMap<string, LiveTool>
  /** The time until which calls wait for the server; undefined if they do not wait. */
  readonly serverUntil: number | undefined
  readonly questions: LiveQuestions
  /** The part of the run's answer written so far. */
  readonly answer: string
  readonly answerTokens: number
}

export const emptyLive: LiveState = {
  run: { project: "", model: "", startedAt: undefined },
  stage: undefined,
  steps: [],
  tasks: new Map(),
  calls: new Map(),
  tools: new Map(),
  serverUntil: undefined,
  questions: { open: new Set(), askedAt: undefined, userMs: 0 },
  answer: "",
  answerTokens: 0
}

export const isResolved = (stage: TaskStage): boolean =>
  stage === "finished" || stage === "kept" || stage === "failed" || stage === "skipped"

/** True while work is active and no question is open. */
export const isLively = ({ calls, questions, run, stage, tools }: LiveState): boolean =>
  run.startedAt !== undefined && questions.open.size === 0 && (stage !== undefined || calls.size > 0 || tools.size > 0)

/** Copies the map and sets the value of one key. If the value is undefined, the copy does not contain the key. */
const withEntry = <V>(map: ReadonlyMap<string, V>, key: string, value: V | undefined): ReadonlyMap<string, V> => {
  const changed = new Map(map)
  if (value === undefined) changed.delete(key)
  else changed.set(key, value)
  return changed
}

/** Changes the named task. In a run with a plan, a name that is no task of the plan is ignored. */
const withTask = (state: LiveState, name: string, change: Partial<LiveTask>): LiveState => {
  const known = state.tasks.get(name)
  if (known === undefined && state.steps.length > 0) return state
  const task = known ?? { name, stage: "waiting", attempt: 1 }
  return { ...state, tasks: withEntry(state.tasks, name, { ...task, ...change }) }
}

/** Replaces unfinished tasks. Finished tasks stay, unless the new plan contains them again. */
const withPlan = (state: LiveState, list: TaskList): LiveState => {
  const planned = new Set<string>(list.tasks.map(({ name }) => name))
  const stays = (name: string): boolean => {
    const task = state.tasks.get(name)
    return task !== undefined && isResolved(task.stage) && !planned.has(name)
  }
  const before = state.steps.flatMap(({ tasks, title }): ReadonlyArray<LiveStep> => {
    const left = tasks.filter(stays)
    return left.length === 0 ? [] : [{ title, tasks: left }]
  })
  const steps = list.steps.map(({ tasks, title }) => ({ title, tasks: tasks.map(({ name }) => name) }))
  const tasks = new Map([...state.tasks].filter(([name]) => stays(name)))
  for (const name of planned) tasks.set(name, { name, stage: "waiting", attempt: 1 })
  return { ...state, stage: undefined, steps: [...before, ...steps], tasks }
}

const changeCall = (state: LiveState, call: ModelCallId, at: number, change: Partial<LiveCall>): LiveState => {
  const key = modelCallKey(call)
  const before = state.calls.get(key) ?? { call, phase: "sent", since: at }
  return { ...state, calls: withEntry(state.calls, key, { ...before, ...change }) }
}

/** Changes a call. If its phase changes, `at` becomes the time at which the phase began. */
const inPhase = (state: LiveState, call: ModelCallId, at: number, change: Partial<LiveCall>): LiveState => {
  const before = state.calls.get(modelCallKey(call))
  return changeCall(state, call, at, before?.phase === change.phase ? change : { since: at, ...change })
}

const isBeforeFirstWord: ReadonlySet<LiveCall["phase"]> = new Set(["turn", "loading", "loading_or_reading", "reading"])

/** Applies a heartbeat of a model call. If another event has reported a more precise phase, this phase stays. */
const withWaiting = (state: LiveState, { call, phase, seconds }: EventOf<"model.waiting">, at: number): LiveState => {
  const knownPhase = state.calls.get(modelCallKey(call))?.phase
  const since = at - seconds * 1000
  switch (phase) {
    case "first_word":
      return knownPhase !== undefined && isBeforeFirstWord.has(knownPhase)
        ? state
        : changeCall(state, call, at, { phase: "loading_or_reading", since })
    case "next_word":
      return changeCall(state, call, at, { phase: "stalled", since })
    case "writing":
      return knownPhase === "thinking" || knownPhase === "writing"
        ? state
        : inPhase(state, call, at, { phase: "writing" })
    default:
      return inPhase(state, call, at, { phase })
  }
}

const endCall = (state: LiveState, call: ModelCallId): LiveState => ({
  ...state,
  calls: withEntry(state.calls, modelCallKey(call), undefined)
})

const endTask = (state: LiveState, name: string, stage: LiveTask["stage"]): LiveState =>
  withTask(
    {
      ...state,
      calls: new Map([...state.calls].filter(([, { call }]) => call.task !== name)),
      tools: new Map([...state.tools].filter(([, { task }]) => task !== name))
    },
    name,
    { stage }
  )

/** Removes an answered question. If the user answered it, the wait counts as the user's time. */
const withAnswer = ({ askedAt, open, userMs }: LiveQuestions, hash: string, by: string, at: number): LiveQuestions => {
  const others = new Set(open)
  others.delete(hash)
  const spent = askedAt === undefined || by !== "person" ? 0 : Math.max(0, at - askedAt)
  return { open: others, askedAt: others.size === 0 ? undefined : at, userMs: userMs + spent }
}

const withCallEvent = (state: LiveState, event: RunEvent, at: number): LiveState => {
  switch (event.type) {
    case "model.started": {
      const { attempt, task } = event.call
      const started = changeCall({ ...state, serverUntil: undefined }, event.call, at, {
        phase: "sent",
        since: at,
        promptTokens: event.estimatedTokens,
        ...(event.model === undefined ? {} : { model: event.model })
      })
      const whole = event.call.stage === "conclude" ? { ...started, answer: "" } : started
      return task === undefined ? whole : withTask(whole, task, { attempt })
    }
    case "model.progress": {
      const { call, phase, seconds, tokens, tokensPerSecond } = event
      return changeCall(state, call, at, {
        phase,
        since: at - seconds * 1000,
        ...(tokens === undefined ? {} : { tokens }),
        ...(tokensPerSecond === undefined ? {} : { tokensPerSecond })
      })
    }
    case "model.waiting":
      return withWaiting(state, event, at)
    case "model.phase":
      return inPhase(state, event.call, at, { phase: event.phase })
    case "model.failed":
      return event.willRetry ? inPhase(state, event.call, at, { phase: "again" }) : endCall(state, event.call)
    case "model.finished":
      return {
        ...endCall(state, event.call),
        answerTokens: state.answerTokens + (event.usage.answerTokens ?? 0)
      }
    case "answer.rejected":
      return { ...endCall(state, event.call), answer: "" }
    case "answer.piece":
      return { ...state, answer: state.answer + event.text }
    default:
      return state
  }
}

/** Ends a step. Its unfinished tasks were declined, and are marked as skipped. */
const endStep = (state: LiveState, title: string): LiveState =>
  (state.steps.findLast((step) => step.title === title)?.tasks ?? [])
    .filter((name) => !isResolved(state.tasks.get(name)?.stage ?? "skipped"))
    .reduce((before, name) => endTask(before, name, "skipped"), state)

const withTaskEvent = (state: LiveState, event: RunEvent): LiveState => {
  switch (event.type) {
    case "stage.started":
      return event.task === undefined
        ? { ...state, stage: event.stage }
        : withTask(state, event.task, { stage: "preparing" })
    case "plan.created":
    case "plan.revised":
      return withPlan(state, event.taskList)
    case "round.started":
      return { ...state, stage: undefined }
    case "task.worked":
      return withTask(state, event.task, { stage: "ready" })
    case "task.started":
      return withTask(state, event.task, { stage: "running" })
    case "step.finished":
      return endStep(state, event.title)
    case "task.kept":
      return endTask(state, event.task, "kept")
    case "task.finished":
      /** A task whose calls were all denied counts as failed. */
      return endTask(state, event.task, deniedOf(event.result.calls) === "all" ? "failed" : "finished")
    case "task.failed":
      return endTask(state, event.task, event.failure.skipped ? "skipped" : "failed")
    default:
      return state
  }
}

/** The name of a check. It contains the task, because two tasks can run the same command at once. */
const checkName = ({ command, task = "" }: { readonly task?: string; readonly command: string }): string =>
  `check ${JSON.stringify([task, command])}`

export const liveStateAfter = (state: LiveState, { at: when, event }: RecordedEvent): LiveState => {
  const at = Date.parse(when)
  switch (event.type) {
    case "run.started":
      return {
        ...emptyLive,
        run: { project: event.project, model: event.model, startedAt: at },
        questions: { ...emptyLive.questions, userMs: state.questions.userMs }
      }
    case "run.finished":
    case "ask.finished":
      return {
        ...state,
        stage: undefined,
        calls: new Map(),
        tools: new Map(),
        questions: { ...state.questions, open: new Set() },
        answer: ""
      }
    case "ask.started":
      return {
        ...state,
        run: { ...state.run, startedAt: at },
        stage: "ask",
        questions: { ...state.questions, userMs: 0 },
        answerTokens: 0
      }
    case "approval.requested": {
      const { askedAt = at, open, userMs } = state.questions
      return { ...state, questions: { open: new Set(open).add(event.hash), askedAt, userMs } }
    }
    case "approval.answered":
      return { ...state, questions: withAnswer(state.questions, event.hash, event.by, at) }
    case "server.waiting":
      return { ...state, serverUntil: at + event.secondsLeft * 1000 }
    case "server.back":
      return { ...state, serverUntil: undefined }
    case "tool.started": {
      const text = toolCallText(event.call, event.targets, state.run.project)
      const tool = { task: event.id.task, text, since: at }
      return { ...state, tools: withEntry(state.tools, toolCallKey(event.id), tool) }
    }
    case "tool.progress": {
      const key = toolCallKey(event.id)
      const tool = state.tools.get(key)
      const progress = progressText(event)
      return tool === undefined ? state : { ...state, tools: withEntry(state.tools, key, { ...tool, progress }) }
    }
    case "tool.finished":
      return { ...state, tools: withEntry(state.tools, toolCallKey(event.id), undefined) }
    case "check.started": {
      const tool = { task: event.task ?? "", text: `check ${event.command}`, since: at }
      return { ...state, tools: withEntry(state.tools, checkName(event), tool) }
    }
    case "check.finished":
      return { ...state, tools: withEntry(state.tools, checkName(event), undefined) }
    default: {
      // A single stage has no `run.started` event, so its first event starts the run.
      const { startedAt = at } = state.run
      return withTaskEvent(withCallEvent({ ...state, run: { ...state.run, startedAt } }, event, at), event)
    }
  }
}
