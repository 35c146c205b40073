import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { outcomeOf } from "../../../src/domain/checks/CheckOutcome.ts"
import type { TaskOutcome } from "../../../src/domain/documents/TaskOutcome.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import type { ToolCall } from "../../../src/domain/tools/ToolCall.ts"
import { Checks } from "../../../src/services/checks/Checks.ts"
import type { ApplyOrder } from "../../../src/services/pipeline/ChangeApplier.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { gave } from "../../support/sampleTasks.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const task = plainTask("Edit 1", "edit-files", "The text.", "A word.")
const report = { summary: "Both are changed.", document: "## Result summary\n\nBoth are changed.\n\n## Details\n\nNo." }

const orderOf = (calls: ReadonlyArray<ToolCall>, more: Partial<TaskOutcome> = {}): ApplyOrder => ({
  briefing,
  outcome: { task, calls, result: report, ...more },
  round: 2,
  step: 0,
  finished: []
})

const edit = (path: string, before: string, uid: string): ToolCall => ({
  uid,
  name: "edit_file",
  arguments: { path, old_text: before, new_text: "changed" }
})
const writing = (uid: string): ToolCall => ({
  uid,
  name: "write_file",
  arguments: { path: "out.txt", content: "new\n" }
})

const ended = (exitCode: number) =>
  outcomeOf({ argv: ["npm", "test"], kind: "tests" }, { exitCode, output: "", seconds: 1 })
const passed = ended(0)
const broken = ended(1)

const files = { "a.txt": "Hello.\n", "b.txt": "Bye.\n" }
const both = [edit("a.txt", "Hello.", "change-1"), edit("b.txt", "Bye.", "change-2")]

describe("ChangeApplier", () => {
  nodeTest("makes the changes in the project, asks no model, and gives the report with all calls", function* () {
    const { log, meter, project, prompts, applier } = yield* openStages({ files })
    const looked = gave("read_file", { path: "a.txt" }, "1: Hello.", "turn-1/call-1")
    const result = yield* applier.apply(orderOf(both, { priorCalls: [looked] }))
    const made = log.events().flatMap((event) => (event.type === "tool.finished" ? [event] : []))
    const ids = ["change-1", "change-2"].map((uid) => ({ round: 2, task: "Edit 1", uid }))
    expect(made.map(({ id }) => id)).toEqual(ids)
    const applied = both.map((call, index) => ({ call, result: made[index]!.result }))
    expect(result).toEqual(new TaskResult({ task, calls: [looked, ...applied], result: report }))
    const fs = yield* FileSystem.FileSystem
    expect(yield* fs.readFileString(`${project}/a.txt`)).toBe("changed\n")
    expect(yield* fs.readFileString(`${project}/b.txt`)).toBe("changed\n")
    expect(prompts).toEqual([])
    expect((yield* meter.total).toolCalls).toBe(2)
  })

  nodeTest("says before the report what could not be changed, such as a file that is another one by now", function* () {
    const { project, applier } = yield* openStages({ files })
    const fs = yield* FileSystem.FileSystem
    yield* fs.writeFileString(`${project}/b.txt`, "Somebody else wrote this.\n")
    const { result } = yield* applier.apply(orderOf(both))
    expect(result.summary).toMatch(
      /^Partly done:\n\n- b\.txt was not changed: [^\n]+\n\nThe report from before that:\n\nBoth are changed\.$/
    )
    expect(result.document).toBe(`## Result summary\n\n${result.summary}\n\n## Details\n\nNo.`)
    expect(yield* fs.readFileString(`${project}/b.txt`)).toBe("Somebody else wrote this.\n")
  })

  nodeTest("says nothing of the report when every change was denied", function* () {
    const person = scriptedApprover({ calls: ["deny", "deny"] })
    const { project, applier } = yield* openStages({ files, approver: person.layer })
    const { calls, result } = yield* applier.apply(orderOf(both))
    expect(calls.map(({ result: { error_type } }) => error_type)).toEqual(["permission_denied", "permission_denied"])
    expect(result.summary).toMatch(/^Nothing was changed:\n\n- a\.txt was not changed: .*\n- b\.txt was not changed: /)
    expect(result.document).toBe(`## Result summary\n\n${result.summary}`)
    const fs = yield* FileSystem.FileSystem
    expect(yield* fs.readFileString(`${project}/a.txt`)).toBe(files["a.txt"])
  })

  nodeTest("checks the project again when only a part of the checked changes was allowed", function* () {
    const asked: Array<unknown> = []
    const checks = Layer.succeed(Checks)(
      Checks.of({
        commandsFor: () => Effect.succeed([]),
        tryOut: Effect.void,
        run: (scope, paths, earlier) => Effect.sync(() => (asked.push([scope, paths, earlier]), [broken]))
      })
    )
    const person = scriptedApprover({ calls: ["once", "deny"] })
    const order = orderOf(both, {
      files: ["a.txt", "b.txt"].map((path) => ({ path, kind: "changed", insertions: 1, deletions: 1 })),
      checks: [passed]
    })
    const parted = yield* openStages({ files, approver: person.layer, checks })
    const result = yield* parted.applier.apply(order)
    const fs = yield* FileSystem.FileSystem
    expect(yield* fs.readFileString(`${parted.project}/a.txt`)).toBe("changed\n")
    expect(yield* fs.readFileString(`${parted.project}/b.txt`)).toBe(files["b.txt"])
    expect(result.result.summary).toMatch(/^Partly done:\n\n- b\.txt was not changed: /)
    expect([result.files?.map(({ path }) => path), result.checks]).toEqual([["a.txt"], [broken]])
    const scope = { task: "Edit 1", round: 2, turn: 0, request: expect.stringContaining("The text.") }
    expect(asked).toEqual([[scope, ["a.txt"], [passed]]])
    const whole = yield* openStages({ files, checks })
    expect((yield* whole.applier.apply(order)).checks).toEqual([passed])
    expect(asked.length).toBe(1)
  })

  nodeTest("gives the report of a task that changed nothing as it is", function* () {
    const { log, applier } = yield* openStages({ files })
    expect(yield* applier.apply(orderOf([]))).toEqual(new TaskResult({ task, calls: [], result: report }))
    expect(log.events()).toEqual([])
  })

  nodeTest("ends the task when a person denies the same effect again and again", function* () {
    const person = scriptedApprover({ calls: ["deny", "deny", "deny"] })
    const { project, applier } = yield* openStages({ approver: person.layer })
    const calls = ["call-1", "call-2", "call-3", "call-4"].map(writing)
    const target = `${project}/out.txt`
    const reason = `Permission denied: a person denied write_file on ${target} 3 times, so the task ends.`
    const cause = { _tag: "Denied", tool: "write_file", targets: [target], by: "person" } as const
    expect(yield* Effect.flip(applier.apply(orderOf(calls)))).toEqual(
      new TaskFailure({ task: "Edit 1", phase: "execution", reason, skipped: false, cause })
    )
    expect(person.asked.length).toBe(3)
  })
})
