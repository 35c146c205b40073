/**
 * Events of a run with a plan of any size, for tests of what is shown of it.
 */
import { plainTask } from "../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../src/domain/plan/TaskList.ts"
import { TaskFailure } from "../../src/domain/plan/TaskResult.ts"
import { type LiveState, emptyLive, liveStateAfter } from "../../src/domain/runs/LiveState.ts"
import type { ModelCallId, Stage } from "../../src/domain/runs/ActivityKey.ts"
import type { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { finished } from "./sampleTasks.ts"

/** The second 0 of all events. */
export const zero = Date.parse("2026-11-20T12:00:00.000Z")

/** An event with the second at which it happens. */
export type Timed = readonly [second: number, event: RunEvent]

export const liveAfter = (...events: ReadonlyArray<Timed>): LiveState =>
  events.reduce(
    (state, [second, event]) => liveStateAfter(state, { at: new Date(zero + second * 1000).toISOString(), event }),
    emptyLive
  )

export const started: RunEvent = {
  type: "run.started",
  version: 1,
  runId: "r1",
  project: "/p",
  model: "qwen3:8b",
  prompt: "x"
}

/** A plan with this many tasks, so many in each step. */
export const planWith = (tasks: number, perStep: number, name = (number: number) => `Search ${number}`): TaskList => {
  const steps = Array.from({ length: Math.ceil(tasks / perStep) }, (_, step) => {
    const size = Math.min(perStep, tasks - step * perStep)
    const [first, ...rest] = Array.from({ length: size }, (_, index) =>
      plainTask(name(step * perStep + index + 1), "any", "Find it.", "A word.")
    )
    return first === undefined ? [] : [new Step({ title: `Task section ${step + 1}`, tasks: [first, ...rest] })]
  })
  return new TaskList({ goals: "It is done.", steps: steps.flat() })
}

export const planned = (taskList: TaskList): RunEvent => ({ type: "plan.created", attempts: 1, taskList, markdown: "" })

export const callOf = (stage: Stage, task?: string, attempt = 1): ModelCallId => ({
  stage,
  round: 1,
  ...(task === undefined ? {} : { task }),
  attempt
})

export const sent = (call: ModelCallId): RunEvent => ({ type: "model.started", call, estimatedTokens: 900 })

const place = (task: string) => ({ round: 1, step: 0, task })

export const done = (task: string): RunEvent => ({ type: "task.finished", ...place(task), result: finished(task, "x") })

export const notDone = (task: string): RunEvent => ({
  type: "task.failed",
  ...place(task),
  failure: new TaskFailure({ task, phase: "execution", reason: "it broke.", skipped: false })
})

export const progressOf = (
  call: ModelCallId,
  phase: Extract<RunEvent, { readonly type: "model.progress" }>["phase"],
  more: { readonly seconds?: number; readonly tokens?: number; readonly tokensPerSecond?: number } = {}
): RunEvent => ({ type: "model.progress", call, phase, seconds: 0, ...more })

/** A question about a call. */
export const asked = (hash: string): RunEvent => ({
  type: "approval.requested",
  scope: "call",
  title: "A",
  hash,
  items: []
})

/** The yes of a person to it. */
export const answered = (hash: string): RunEvent => ({
  type: "approval.answered",
  scope: "call",
  hash,
  answer: "once",
  by: "person"
})
