/** Single stages of a run, as promises for scripts. Authors of skills and prompts use them. */
import * as Effect from "effect/Effect"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import type { RunContext } from "../app/RunContext.ts"
import type { StagePlace } from "../plugins/check-tools/stagesInProject.ts"
import { promptOfPlan } from "../domain/documents/TaskListFormat.ts"
import { renderTaskReport, renderTaskList } from "../domain/documents/TaskRendering.ts"
import type { RunStatus } from "../domain/runs/RunReport.ts"
import type { CallOutcome } from "../domain/tools/ToolCall.ts"
import type { GivenResult } from "../plugins/check-tools/SingleStages.ts"
import { executeStage, iterateStage, refineStage } from "./lateApp.ts"
import { withOptions } from "./optionNames.ts"
import { configurationOf, onThisMachine } from "./programSettings.ts"
import type { RequestMaterial } from "./requests.ts"
import { runContextOf } from "./runContextOf.ts"
import { programContextOf, type ScriptOptions } from "./scriptOptions.ts"
import { promiseOf } from "./WorkHandle.ts"

/** The options of every stage, in addition to its document. */
export interface StageOptions extends ScriptOptions, Pick<RequestMaterial, "file"> {
  /** Results of finished tasks as markdown, by task name. */
  readonly results?: Readonly<Record<string, string>>
}

/** The options of a stage that reads a plan. */
export interface PlanStageOptions extends StageOptions {
  /** The markdown of the task list. */
  readonly plan: string
}

/** The outcome of `execute`. */
export interface ExecutedTask {
  /** `done`, unless a call failed or was denied. */
  readonly status: RunStatus
  /** The reason for the status; empty for `done`. */
  readonly message: string
  /** The result as markdown; empty without a result. */
  readonly markdown: string
  /** The calls with their results. */
  readonly calls: ReadonlyArray<CallOutcome>
}

const resultsOf = ({ results = {} }: StageOptions): ReadonlyArray<GivenResult> =>
  Object.entries(results).map(([name, document]) => ({ name, document }))

const planStageOf = (options: PlanStageOptions) => {
  const { file, plan } = options
  const stage = { plan, prompt: promptOfPlan(plan, "of the script"), results: resultsOf(options) }
  return file === undefined ? stage : { ...stage, currentFile: file }
}

/** Starts a stage and returns the part of its result that `show` selects. */
const start = <Order, A, E, B>(
  name: "execute" | "iterate" | "refine",
  options: StageOptions,
  stage: (order: Order, place: StagePlace, context: RunContext) => Effect.Effect<A, E, NodeServices.NodeServices>,
  order: Order,
  pick: (ended: A) => B
): Promise<B> => {
  const begun = withOptions(options, name, () => {
    const place = { project: options.project ?? ".", configuration: configurationOf(options) }
    return stage(
      order,
      place,
      runContextOf(programContextOf(options), () => undefined)
    )
  })
  return promiseOf(Effect.map(onThisMachine(options)(begun), pick), options.signal)
}

/** Refines one task of a plan. Resolves with the refinement as markdown. Rejects if no answer was valid. */
export const refine = (options: PlanStageOptions & { readonly task: string }): Promise<string> =>
  start("refine", options, refineStage, { ...planStageOf(options), task: options.task }, renderTaskReport)

/** Makes the calls of a refinement, with approvals as in a run. Resolves with the result of the task. */
export const execute = (options: StageOptions & { readonly refinement: string }): Promise<ExecutedTask> => {
  const order = { refinement: options.refinement, results: resultsOf(options) }
  return start("execute", options, executeStage, order, ({ outcome: { message, status }, result }) => ({
    status,
    message,
    markdown: result?.result.document ?? "",
    calls: result?.calls ?? []
  }))
}

/** The tasks that are left after these results, as the markdown of a task list. Undefined if no answer was valid. */
export const iterate = (options: PlanStageOptions): Promise<string | undefined> => {
  const order = planStageOf(options)
  return start("iterate", options, iterateStage, order, ({ isRevised, list }) =>
    isRevised ? renderTaskList(list, { prompt: order.prompt }) : undefined
  )
}
