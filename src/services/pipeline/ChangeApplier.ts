/**
 * Makes the approved changes of a task. The result lists denied and failed changes before the model's report. If the
 * user denied all changes, the report is dropped.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import type { ItemResult } from "../../domain/plan/ForEach.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import {
  type ResultDocument,
  resultOfItems,
  resultOfSummary,
  type TaskFailure,
  TaskResult
} from "../../domain/plan/TaskResult.ts"
import { type CallOutcome, fileTools, isChange } from "../../domain/tools/ToolCall.ts"
import { changeName } from "../../domain/tools/OpenChanges.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { changesPath } from "../changes/FinalCalls.ts"
import { makeTaskCall } from "../tools/ToolRunner.ts"
import { requestOf, type TaskOrder, taskFailure } from "./TaskStage.ts"

/** A task whose changes are to be made in the project. Its turns have ended, and its changes are approved. */
export interface ApplyOrder extends Omit<TaskOrder, "task"> {
  readonly outcome: TaskOutcome
}

const targetOf = ({ call }: CallOutcome): string => String(call.arguments["path"] ?? call.name)

const verbs: Readonly<Record<string, string>> = { remove_file: "removed", move_file: "moved" }

const failureLine = (outcome: CallOutcome): string =>
  `- ${hasTarget(outcome) ? targetOf(outcome) : changeName(outcome.call)} was not ${verbs[outcome.call.name] ?? "changed"}: ${outcomeText(
    outcome
  )
    .replace(/^ERROR \(\w+\): /, "")
    .split("\n", 1)
    .join("")}`

const hasTarget = ({ call }: CallOutcome): boolean =>
  typeof call.arguments["path"] === "string" || !fileTools.has(call.name)

const noReport = resultOfSummary("Done.")

/** Puts the failed changes before the report. If every change failed, they replace the report. */
const withOutcomes = (report: ResultDocument, outcomes: ReadonlyArray<CallOutcome>): ResultDocument => {
  const failed = outcomes.filter(({ result }) => !result.success)
  if (failed.length === 0) return report
  const lines = failed.map(failureLine).join("\n")
  if (failed.length === outcomes.length) return resultOfSummary(`Nothing was changed:\n\n${lines}`)
  const summary = `Partly done:\n\n${lines}\n\nThe report from before that:\n\n${report.summary}`
  return { ...report, summary, document: report.document.replace(report.summary, () => summary) }
}

/** Marks an item as failed if its change failed. */
const itemAfter = (item: ItemResult, outcomes: ReadonlyArray<CallOutcome>): ItemResult => {
  const failed = outcomes.find((one) => !one.result.success && item.files?.includes(targetOf(one)) === true)
  return failed === undefined ? item : { ...item, state: "failed", note: failureLine(failed).slice(2) }
}

export class ChangeApplier extends Context.Service<
  ChangeApplier,
  {
    /** Makes the changes. The result reports failed calls. Fails with a `TaskFailure` of the phase `execution`. */
    apply(order: ApplyOrder): Effect.Effect<TaskResult, TaskFailure>
  }
>()("task-conductor/services/pipeline/ChangeApplier") {
  static readonly layer = Layer.effect(
    ChangeApplier,
    Effect.gen(function* () {
      const checksOfHost = yield* Checks
      const commands = yield* Commands
      const runCall = yield* makeTaskCall

      /**
       * The checks of the final changes. Earlier checks count only if all changes were made, and if commands can run on
       * working copies. Otherwise the project is checked again.
       */
      const checksOf = Effect.fnUntraced(function* (
        { briefing, outcome: { checks = [], files = [], task }, round }: ApplyOrder,
        changedPaths: ReadonlySet<string>
      ) {
        const isWhole = files.every(({ path }) => changedPaths.has(path))
        if (isWhole && (checks.length > 0 || (yield* commands.copies).mechanism !== "none")) return checks
        const scope = { task: task.name, round, turn: 0, request: requestOf({ briefing, task }) }
        return yield* checksOfHost.run(scope, [...changedPaths], checks)
      })

      const apply = Effect.fnUntraced(function* (order: ApplyOrder) {
        const { outcome, round } = order
        const { calls, files = [], priorCalls = [], result = noReport, seen, task, unfounded } = outcome
        const planned = outcome.items
        const outcomes = yield* Effect.mapError(
          Effect.forEach(calls, (call) => runCall({ task: task.name, round, target: "project" }, call)),
          (error) => taskFailure(task, "execution", error, priorCalls)
        )
        const changes = [...priorCalls.filter(isChange), ...outcomes]
        const done = changes.filter((one) => one.result.success).map(({ call }) => call)
        const changed = files.filter((file) => done.some((call) => changesPath(call, file.path)))
        const made = new Set(changed.map(({ path }) => path))
        const items = planned?.map((item) => itemAfter(item, outcomes))
        const checked = changed.length === 0 ? [] : yield* checksOf(order, made)
        return new TaskResult({
          task,
          calls: [...priorCalls, ...outcomes],
          result: items === undefined ? withOutcomes(result, changes) : resultOfItems(items),
          ...(items === undefined ? {} : { items }),
          ...(changed.length === 0 ? {} : { files: changed }),
          ...(checked.length === 0 ? {} : { checks: checked }),
          ...(seen === undefined ? {} : { seen }),
          ...(unfounded === undefined ? {} : { unfounded })
        })
      })

      return ChangeApplier.of({ apply })
    })
  )
}
