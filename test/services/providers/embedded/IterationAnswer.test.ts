import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Step, TaskList } from "../../../../src/domain/plan/TaskList.ts"
import { readTaskList } from "../../../../src/domain/documents/TaskListFormat.ts"
import { TaskFailure } from "../../../../src/domain/plan/TaskResult.ts"
import { stageAnswer } from "../../../../src/services/providers/embedded/StageAnswer.ts"
import { finished, taskFor } from "../../../support/sampleTasks.ts"
import { StagePrompts } from "../../../support/StagePrompts.ts"

const outstanding = [
  new Step({ title: "Task section 2", tasks: [taskFor("summarize", "Sum it up.", { name: "Summary" })] })
]
const failures = [new TaskFailure({ task: "Search 1", phase: "execution", reason: "No.", skipped: false })]

layer(StagePrompts.layer)("iterationAnswer", (it) => {
  it.effect("keeps the goals and leaves no task when all have run", () =>
    Effect.gen(function* () {
      const { iteration } = yield* StagePrompts
      assert.strictEqual(
        stageAnswer(iteration("Where is it?", { finished: [finished("Search 1", "There.")] })),
        "## Original prompt\n\n```text\nWhere is it?\n```\n\n## Goals / summary\n\nIt is known.\n\n## Tasks"
      )
    })
  )

  it.effect.each([
    { name: "leaves no task when some failed: it knows no better way", state: { finished: [], failures, outstanding } },
    { name: "keeps tasks that were not reached yet", state: { finished: [], outstanding }, steps: outstanding }
  ])("$name", ({ state, steps }) =>
    Effect.gen(function* () {
      const { iteration } = yield* StagePrompts
      const reading = readTaskList(stageAnswer(iteration("Where is it?", state)), { allowEmpty: true })
      assert.deepStrictEqual([reading.issues, reading.repairs], [[], []])
      assert.deepStrictEqual(
        Option.getOrThrow(reading.value),
        new TaskList({ goals: "It is known.", steps: steps ?? [] })
      )
    })
  )
})
