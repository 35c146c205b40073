import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { briefing, openStages, type OpenStages } from "../../support/OpenStages.ts"
import { refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const order = {
  briefing,
  task: plainTask("Edit 1", "edit-files", "Make the limit 10.", "The changed line."),
  round: 1,
  step: 0,
  finished: []
}
const raised = "src/limit.ts\n<<<<<<< OLD\nexport const limit = 5\n=======\nexport const limit = 10\n>>>>>>> NEW\n"
const reading = refinementWith([{ name: "read_file", arguments: { path: "src/limit.ts" } }])

/** What a task that reads and then raises the limit comes to, and what the project holds then. */
const work = Effect.fnUntraced(function* (more: Partial<OpenStages>) {
  const fs = yield* FileSystem.FileSystem
  const { taskAgent, project } = yield* openStages({
    ...more,
    answers: [reading, raised, resultSaying("The limit is 10.")],
    files: { "src/limit.ts": "export const limit = 5\n" }
  })
  const refinement = yield* taskAgent.work(order)
  return { refinement, text: yield* fs.readFileString(`${project}/src/limit.ts`) }
})

describe("a change that is asked about first", () => {
  nodeTest("is made in the project when it is allowed, and its lines are known", function* () {
    const { refinement, text } = yield* work({ settings: { askFirst: true } })
    expect(text).toBe("export const limit = 10\n")
    expect(refinement.calls).toEqual([])
    expect(refinement.files).toEqual([{ path: "src/limit.ts", kind: "changed", insertions: 1, deletions: 1 }])
    expect(refinement.priorCalls?.map(({ call }) => call.name)).toEqual(["read_file", "edit_file"])
  })

  nodeTest("stays in the working copy without the setting", function* () {
    const { refinement, text } = yield* work({})
    expect(text).toBe("export const limit = 5\n")
    expect(refinement.calls.map(({ name }) => name)).toEqual(["edit_file"])
  })
})
