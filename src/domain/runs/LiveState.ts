/**
 * What is going on in a run or a conversation at a moment: the plan with the stage of each task, the calls of models and
 * tools that have not ended, and what is counted. `LiveFold` makes it from events, `LiveView` makes lines of it.
 */
import type { ModelCallId, Stage } from "./ActivityKey.ts"
import type { CallPhase } from "./RunEvent.ts"

/** `ready`: its calls are chosen, and it waits for its turn or for an approval. `kept` is from an earlier session. */
export type TaskStage = "waiting" | "preparing" | "ready" | "running" | "finished" | "kept" | "failed" | "skipped"

export interface LiveTask {
  readonly name: string
  readonly stage: TaskStage
  /** That of the last model call. */
  readonly attempt: number
}

export interface LiveStep {
  readonly title: string
  /** Names of tasks. */
  readonly tasks: ReadonlyArray<string>
}

/** A model call that has not ended. Times are in milliseconds since 1970. */
export interface LiveCall {
  readonly call: ModelCallId
  readonly model?: string
  /** `sent` until something is known; `stalled` when the next word does not come; `again` before a retry. */
  readonly phase: CallPhase | "sent" | "stalled" | "again"
  /** When the phase began. */
  readonly since: number
  readonly promptTokens?: number
  readonly tokens?: number
  readonly tokensPerSecond?: number
}

export interface LiveTool {
  readonly task: string
  /** The name with the main argument. */
  readonly words: string
  readonly since: number
}

export interface LiveState {
  readonly runId: string
  readonly project: string
  readonly model: string
  readonly startedAt: number | undefined
  readonly round: number
  /** A stage of the whole list that is at work: planning, what is left, the answer, or a message of a conversation. */
  readonly stage: Stage | undefined
  readonly steps: ReadonlyArray<LiveStep>
  readonly tasks: ReadonlyMap<string, LiveTask>
  readonly calls: ReadonlyMap<string, LiveCall>
  readonly tools: ReadonlyMap<string, LiveTool>
  /** Until when the calls wait for the server, while they do. */
  readonly serverUntil: number | undefined
  /** The hashes of questions that wait for an answer. */
  readonly questions: ReadonlySet<string>
  /** Since when a question waits, and how long persons took to answer the others, in milliseconds. */
  readonly askedAt: number | undefined
  readonly personMs: number
  /** The answer of the run as far as it is written. */
  readonly answer: string
  readonly promptTokens: number
  readonly answerTokens: number
}

export const emptyLive: LiveState = {
  runId: "",
  project: "",
  model: "",
  startedAt: undefined,
  round: 0,
  stage: undefined,
  steps: [],
  tasks: new Map(),
  calls: new Map(),
  tools: new Map(),
  serverUntil: undefined,
  questions: new Set(),
  askedAt: undefined,
  personMs: 0,
  answer: "",
  promptTokens: 0,
  answerTokens: 0
}

/** How many tasks are in each stage. */
export const countStages = ({ tasks }: Pick<LiveState, "tasks">): Readonly<Record<TaskStage, number>> => {
  const counts = { waiting: 0, preparing: 0, ready: 0, running: 0, finished: 0, kept: 0, failed: 0, skipped: 0 }
  for (const { stage } of tasks.values()) counts[stage] += 1
  return counts
}

export const isSettled = (stage: TaskStage): boolean =>
  stage === "finished" || stage === "kept" || stage === "failed" || stage === "skipped"

/** True while something is at work and no question waits for its answer. */
export const isLively = ({ calls, questions, stage, startedAt, tools }: LiveState): boolean =>
  startedAt !== undefined && questions.size === 0 && (stage !== undefined || calls.size > 0 || tools.size > 0)
