/**
 * Tries the checks of the project before any change, while the model plans. A broken check is then reported at once,
 * and later checks are compared with these results.
 *
 * If the prompt does not clearly ask for a change, the trial starts after the plan, and only if a task changes files. A
 * slow trial continues until the first check of a change.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { asksForChange } from "../../domain/checks/CheckRequest.ts"
import { seenKey, stageKey } from "../../domain/runs/ActivityKey.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { Checks } from "../checks/Checks.ts"
import { Activities } from "../journal/Activities.ts"
import type { CheckedTaskList } from "./Planner.ts"
import { makeTaskEffects } from "./TaskEffects.ts"

/** The longest time that the first task waits for an unfinished trial. A broken command fails within this time. */
const longestWait = "5 seconds"

const trialsStage = { key: stageKey.trials, success: Schema.Boolean }

/** Returns a function that plans the work and meanwhile tries the checks. */
export const makeCheckTrial = Effect.gen(function* () {
  const activities = yield* Activities
  const checks = yield* Checks
  const { mayChangeFiles } = yield* makeTaskEffects

  /** Starts the trial once. A resumed run starts none, because it may have changed the project already. */
  const begin = Effect.andThen(activities.runStage(trialsStage, Effect.succeed(true)), Effect.forkChild(checks.tryOut))

  return Effect.fnUntraced(function* <Created extends { readonly list: CheckedTaskList }, E, R>(
    { prompt, readOnly = false }: RunOrder,
    createTaskList: Effect.Effect<Created, E, R>
  ) {
    const isTried = yield* activities.stageResult(trialsStage)
    if (readOnly || Option.isSome(isTried)) return yield* createTaskList
    const early = asksForChange(prompt) ? yield* begin : undefined
    const stop = early === undefined ? Effect.void : Fiber.interrupt(early)
    const created = yield* Effect.onError(createTaskList, () => stop)
    if (!created.list.taskList.tasks.some(mayChangeFiles)) {
      yield* stop
      return created
    }
    const trial = early ?? (yield* begin)
    const waiting = Effect.timeoutOption(Fiber.await(trial), longestWait)
    yield* activities.record({ key: seenKey.trialEnded, success: Schema.Boolean }, Effect.map(waiting, Option.isSome))
    return created
  })
})
