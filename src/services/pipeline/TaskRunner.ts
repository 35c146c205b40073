/**
 * Makes the changes of a task that were approved, and holds its report against what came of them: what was denied or failed stands
 * before what the model says, and the words of a model about work that was wholly denied go no further.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import { type ItemResult, itemsReport } from "../../domain/plan/ForEach.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import { type ResultDocument, resultOfSummary, type TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { type CallOutcome, isChange } from "../../domain/tools/ToolCall.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import { type TaskOrder, taskFailure } from "./TaskStage.ts"

/** A task whose turns have ended. */
export interface ExecutionOrder extends Omit<TaskOrder, "task"> {
  readonly refinement: Refinement
}

const targetOf = ({ call }: CallOutcome): string => String(call.arguments["path"] ?? call.name)

const failureLine = (outcome: CallOutcome): string =>
  `- ${targetOf(outcome)} was not changed: ${outcomeText(outcome)
    .replace(/^ERROR \(\w+\): /, "")
    .split("\n", 1)
    .join("")}`

const noReport = resultOfSummary("Done.")

/** The report with what was not made before it; only that when nothing was made. */
const withOutcomes = (report: ResultDocument, outcomes: ReadonlyArray<CallOutcome>): ResultDocument => {
  const failed = outcomes.filter(({ result }) => !result.success)
  if (failed.length === 0) return report
  const lines = failed.map(failureLine).join("\n")
  if (failed.length === outcomes.length) return resultOfSummary(`Nothing was changed:\n\n${lines}`)
  const summary = `Partly done:\n\n${lines}\n\nThe report from before that:\n\n${report.summary}`
  return { ...report, summary, document: report.document.replace(report.summary, () => summary) }
}

/** An item whose change was not made has failed. */
const itemAfter = (item: ItemResult, outcomes: ReadonlyArray<CallOutcome>): ItemResult => {
  const failed = outcomes.find((one) => !one.result.success && item.files?.includes(targetOf(one)) === true)
  return failed === undefined ? item : { ...item, state: "failed", note: failureLine(failed).slice(2) }
}

export class TaskRunner extends Context.Service<
  TaskRunner,
  {
    /** Fails with a `TaskFailure` of phase execution. A call that fails is told in the result. */
    run(order: ExecutionOrder): Effect.Effect<TaskResult, TaskFailure>
  }
>()("task-conductor/services/pipeline/TaskRunner") {
  static readonly layer = Layer.effect(
    TaskRunner,
    Effect.gen(function* () {
      const checksOfHost = yield* Checks
      const commands = yield* Commands
      const runCalls = yield* makeTaskCalls

      /**
       * The checks of what was made. Those of the working copy say nothing about a part of its changes, and where no command
       * could see it there are none: then the project is checked.
       */
      const checksOf = Effect.fnUntraced(function* (
        { checks = [], files = [], task: { name: task } }: Refinement,
        round: number,
        made: ReadonlySet<string>
      ) {
        const isWhole = files.every(({ path }) => made.has(path))
        if (isWhole && (checks.length > 0 || (yield* commands.copies).mechanism !== "none")) return checks
        return yield* checksOfHost.run({ task, round, turn: 0 }, [...made], checks)
      })

      const run = Effect.fnUntraced(function* ({ refinement, round }: ExecutionOrder) {
        const { calls, files = [], looks = [], result = noReport, seen, task } = refinement
        const planned = refinement.items
        const { outcomes } = yield* Effect.mapError(runCalls(task.name, round, calls), (error) =>
          taskFailure(task, "execution", error, looks)
        )
        const changes = [...looks.filter(isChange), ...outcomes]
        const made = new Set(changes.filter((one) => one.result.success).map(targetOf))
        const changed = files.filter((file) => made.has(file.path))
        const items = planned?.map((item) => itemAfter(item, outcomes))
        const checked = changed.length === 0 ? [] : yield* checksOf(refinement, round, made)
        return new TaskResult({
          task,
          calls: [...looks, ...outcomes],
          result: items === undefined ? withOutcomes(result, outcomes) : resultOfSummary(itemsReport(items)),
          ...(items === undefined ? {} : { items }),
          ...(changed.length === 0 ? {} : { files: changed }),
          ...(checked.length === 0 ? {} : { checks: checked }),
          ...(seen === undefined ? {} : { seen })
        })
      })

      return TaskRunner.of({ run })
    })
  )
}
