/** When a change that failed counts as made after all. */
import { assert, it } from "@effect/vitest"
import { missingChanges, type RoundWork } from "../../../src/domain/runs/NotDone.ts"
import { TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import type { Arguments, CallOutcome } from "../../../src/domain/tools/ToolCall.ts"
import { failed, gave, taskFor } from "../../support/sampleTasks.ts"

/** A round of one task with these calls. */
const round = (name: string, ...calls: ReadonlyArray<CallOutcome>): RoundWork => {
  const task = taskFor("edit-files", "Change it.", { name })
  return {
    tasks: [task],
    results: [new TaskResult({ task, calls, result: { summary: "Done.", document: "Done." } })],
    failures: []
  }
}

/** `send` changes something without a name; the other tools change the file at their path. */
const missing = (...rounds: ReadonlyArray<RoundWork>) =>
  missingChanges(rounds, {
    promisesChange: () => false,
    changeOf: ({ arguments: { path }, name }) =>
      typeof path === "string"
        ? { what: path, target: path, isFile: true, isRemoval: name === "remove_file" }
        : { what: name, target: name, isFile: false }
  }).map(({ task }) => task)

const sent = (text: string) => gave("send", { text }, null)
const unsent = (text: string) => failed("send", { text }, "internal_error", "It cannot be done.")
const edited = (given: Arguments) => gave("edit_file", given, null)
const unedited = (given: Arguments) => failed("edit_file", given, "internal_error", "It cannot be done.")

it("a change without a name is made up for by one later change each", () => {
  const failures = [round("A", unsent("1")), round("B", unsent("2"))]
  assert.deepStrictEqual(missing(...failures), ["A", "B"])
  assert.deepStrictEqual(missing(round("A", unsent("1")), round("C", sent("3"))), [])
  const twice = round("A", unsent("1"), unsent("2"))
  assert.deepStrictEqual(missing(twice, round("C", sent("3"))), ["A"])
  assert.deepStrictEqual(missing(twice, round("C", sent("3"), sent("4"))), [])
})

it("every failed change of a file is made up for by one later change of it", () => {
  const twice = round("A", unedited({ path: "a.ts", n: 1 }), unedited({ path: "a.ts", n: 2 }))
  assert.deepStrictEqual(missing(twice, round("B", edited({ path: "b.ts" }))), ["A", "A"])
  assert.deepStrictEqual(missing(twice, round("B", edited({ path: "a.ts" }))), [])
})

it("only the same call makes up for a failure in its own round, and only a removal for one of a removal", () => {
  assert.deepStrictEqual(missing(round("A", unsent("1"), sent("2"))), ["A"])
  assert.deepStrictEqual(missing(round("A", unsent("1"), sent("1"))), [])
  const unremoved = failed("remove_file", { path: "a.ts" }, "internal_error", "It cannot be done.")
  assert.deepStrictEqual(missing(round("A", unremoved), round("B", edited({ path: "a.ts" }))), ["A"])
  const removed = gave("remove_file", { path: "a.ts" }, null)
  assert.deepStrictEqual(missing(round("A", unremoved), round("B", removed)), [])
})

it("a call that was denied is no missing change", () => {
  assert.deepStrictEqual(missing(round("A", failed("send", {}, "permission_denied", "No."))), [])
})
