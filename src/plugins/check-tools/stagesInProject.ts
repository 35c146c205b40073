/**
 * Single stages, for the command line and the library in the same way. Part of the composition root: reads the setup,
 * chooses the model, and lets the stage work with the layers of a run; nothing is saved.
 */
import * as Effect from "effect/Effect"
import { TaskFailure } from "../../kit/documents.ts"
import { ProjectWriteLock } from "../../kit/files.ts"
import { type FilledPrompt, fitSetup, ScriptedModel } from "../../kit/models.ts"
import { layerStages, type NewRun, placeOf, readSetup, reportStartup, type RunContext } from "../../kit/program.ts"
import { makeRunId } from "../../kit/runs.ts"
import { type PlanStage, executeRefinement, iteratePlan, refineTask, stageProblem } from "./SingleStages.ts"

/** Where a stage works. */
export type StagePlace = Pick<NewRun, "project" | "given">

/** The order of one stage. */
export type StageOrder =
  | ({ readonly stage: "refine"; readonly task: string } & PlanStage)
  | ({ readonly stage: "iterate" } & PlanStage)
  | ({ readonly stage: "execute" } & Parameters<typeof executeRefinement>[0])

const work = Effect.fnUntraced(function* <A, E, R>(
  stage: Effect.Effect<A, E, R>,
  { given, project }: StagePlace,
  context: RunContext,
  isExecution = false
) {
  const fitted = yield* fitSetup(yield* readSetup(project, given), context, given)
  const lock = ProjectWriteLock.layer(placeOf(fitted.setup, { runId: yield* makeRunId }))
  return yield* reportStartup(fitted, given, context.warn).pipe(
    Effect.andThen(stage),
    Effect.provide(layerStages(fitted.setup, context, { readOnly: !isExecution, lock }))
  )
})

/** Refines one task of a plan. */
export const refine = (order: PlanStage & { readonly task: string }, place: StagePlace, context: RunContext) =>
  work(refineTask(order), place, context)

/** Carries out a refinement, behind the gate and under the lock on the project. */
export const execute = (order: Parameters<typeof executeRefinement>[0], place: StagePlace, context: RunContext) =>
  work(executeRefinement(order), place, context, true)

/** The tasks that are still to do; fails when the model gave no valid list. */
export const iterate = Effect.fn("iterate")(function* (order: PlanStage, place: StagePlace, context: RunContext) {
  let isRevised = false
  const listen: RunContext["listen"] = (recorded) => {
    isRevised ||= recorded.event.type === "plan.revised"
    return context.listen(recorded)
  }
  const iterated = yield* work(iteratePlan(order), place, { ...context, listen })
  return { ...iterated, isRevised }
})

/** The prompt that the stage would send. The model is not asked; to execute, the calls are made all the same. */
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
  // The silent model gives no valid answer, so the task fails after it was asked.
  else yield* Effect.catchIf(refine(order, place, quiet), isExpected, () => Effect.void)
  const [first] = prompts
  if (first === undefined) return yield* stageProblem("There is nothing to ask the model.")
  return { system: first.system, user: first.user }
})
