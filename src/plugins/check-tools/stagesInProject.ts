/**
 * Runs single stages for the command line and the library. Part of the composition root: reads the configuration,
 * chooses the model, and provides the layers of a run. Saves nothing.
 */
import * as Effect from "effect/Effect"
import { TaskFailure } from "../../kit/documents.ts"
import { ProjectWriteLock } from "../../kit/files.ts"
import { type FilledPrompt, fitSetup, ScriptedModel } from "../../kit/models.ts"
import { layerStages, type NewRun, placeOf, readSetup, reportStartup, type RunContext } from "../../kit/program.ts"
import { makeRunId } from "../../kit/runs.ts"
import { type PlanStage, executeRefinement, iteratePlan, refineTask, stageProblem } from "./SingleStages.ts"

export type StagePlace = Pick<NewRun, "project" | "configuration">

export type StageOrder =
  | ({ readonly stage: "refine"; readonly task: string } & PlanStage)
  | ({ readonly stage: "iterate" } & PlanStage)
  | ({ readonly stage: "execute" } & Parameters<typeof executeRefinement>[0])

const work = Effect.fnUntraced(function* <A, E, R>(
  stage: Effect.Effect<A, E, R>,
  { configuration: flags, project }: StagePlace,
  context: RunContext,
  isExecution = false
) {
  const fitted = yield* fitSetup(yield* readSetup(project, flags), context, flags)
  const lock = ProjectWriteLock.layer(placeOf(fitted.setup, { runId: yield* makeRunId }))
  return yield* reportStartup(fitted, flags, context.warn).pipe(
    Effect.andThen(stage),
    Effect.provide(layerStages(fitted.setup, context, { readOnly: !isExecution, lock }))
  )
})

export const refine = (order: PlanStage & { readonly task: string }, place: StagePlace, context: RunContext) =>
  work(refineTask(order), place, context)

/** Carries out a refinement with the gate and the lock of the project. */
export const execute = (order: Parameters<typeof executeRefinement>[0], place: StagePlace, context: RunContext) =>
  work(executeRefinement(order), place, context, true)

/**
 * Asks the model for the remaining tasks. `isRevised` is true if the model revised the plan. Fails if the model gave no
 * valid list.
 */
export const iterate = Effect.fn("iterate")(function* (order: PlanStage, place: StagePlace, context: RunContext) {
  let isRevised = false
  const listen: RunContext["listen"] = (recorded) => {
    isRevised ||= recorded.event.type === "plan.revised"
    return context.listen(recorded)
  }
  const iterated = yield* work(iteratePlan(order), place, { ...context, listen })
  return { ...iterated, isRevised }
})

/**
 * Returns the prompt that the stage would send, without asking the model. For `execute`, the calls of the refinement
 * are still made.
 */
export const promptOfStage = Effect.fn("promptOfStage")(function* (
  order: StageOrder,
  place: StagePlace,
  context: RunContext
) {
  const prompts: Array<FilledPrompt> = []
  const model = ScriptedModel.layer((prompt) => {
    prompts.push(prompt)
    return ""
  })
  const isExpected = (error: unknown): error is TaskFailure => error instanceof TaskFailure && prompts.length > 0
  const quiet: RunContext = { ...context, model, listen: () => Effect.void }
  if (order.stage === "execute") yield* execute(order, place, quiet)
  else if (order.stage === "iterate") yield* iterate(order, place, quiet)
  // No model answers here, so the task is expected to fail as soon as its prompt is known.
  else yield* Effect.catchIf(refine(order, place, quiet), isExpected, () => Effect.void)
  const [first] = prompts
  if (first === undefined) return yield* stageProblem("There is nothing to ask the model.")
  return { system: first.system, user: first.user }
})
