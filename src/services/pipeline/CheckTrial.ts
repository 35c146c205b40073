/**
 * Tries the checks on the unchanged project while the model plans. A broken check is then reported at once, and later
 * checks are compared with these results. If the prompt may only ask something, the trial waits for the plan. It then
 * runs only if a task changes files. A slow trial continues until the first check.
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

/** If the plan is ready before the trial, the first task waits this long. A broken command ends soon. */
const longestWait = "5 seconds"

const trialsStage = { key: stageKey.trials, success: Schema.Boolean }

/** Returns a function that plans the work, and tries the checks of the project meanwhile. */
export const makeCheckTrial = Effect.gen(function* () {
  const activities = yield* Activities
  const checks = yield* Checks
  const { mayChangeFiles } = yield* makeTaskEffects

  /** A resumed run may have changed the project already. So it tries nothing. */
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
