import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import type { ToolCall } from "../../../src/domain/tools/ToolCall.ts"
import type { ExecutionOrder } from "../../../src/services/pipeline/TaskRunner.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { finished, gave } from "../../support/sampleTasks.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { resultSaying } from "../../support/TestRun.ts"

const task = plainTask("Look 1", "any", "The text.", "A word.")

const orderOf = (calls: ReadonlyArray<ToolCall>, more: Partial<ExecutionOrder> = {}): ExecutionOrder => ({
  briefing,
  refinement: { task, calls },
  round: 2,
  step: 0,
  finished: [],
  ...more
})

const reading = (path: string, uid: string): ToolCall => ({ uid, name: "read_file", arguments: { path } })
const writing = (uid: string): ToolCall => ({
  uid,
  name: "write_file",
  arguments: { path: "out.txt", content: "new\n" }
})

const files = { "a.txt": "Hello.\n" }
const found = { summary: "Found.", document: "## Result summary\n\nFound." }

layer(NodeServices.layer)("TaskRunner", (it) => {
  it.effect("runs the calls, shows their outputs to the model and gives its result with them", () =>
    Effect.gen(function* () {
      const { log, meter, prompts, taskRunner } = yield* openStages({ files, answers: [resultSaying("Found.")] })
      const call = reading("a.txt", "call-1")
      const result = yield* taskRunner.run(orderOf([call]))
      const calls = log.events().flatMap((event) => (event.type === "tool.finished" ? [event] : []))
      expect(calls.map(({ id }) => id)).toEqual([{ round: 2, task: "Look 1", uid: "call-1" }])
      expect(result).toEqual(new TaskResult({ task, calls: [{ call, result: calls[0]!.result }], result: found }))
      expect(calls[0]!.result.data).toContain("Hello.")
      expect(prompts.map(({ user }) => user)).toEqual([expect.stringContaining("### Tool call read_file (call-1)\n")])
      expect(prompts[0]!.user).toContain("Hello.")
      expect((yield* meter.total).toolCalls).toBe(1)
    })
  )

  it.effect("takes a tool that fails as an output for the model, and goes on", () =>
    Effect.gen(function* () {
      const { prompts, taskRunner } = yield* openStages({ files, answers: [resultSaying("Found.")] })
      const result = yield* taskRunner.run(orderOf([reading("missing.txt", "call-1"), reading("a.txt", "call-2")]))
      expect(result.calls.map(({ call, result: { error_type } }) => [call.uid, error_type])).toEqual([
        ["call-1", "not_found"],
        ["call-2", "none"]
      ])
      expect(result.result).toEqual(found)
      expect(prompts[0]!.user).toContain("ERROR (not_found): ")
    })
  )

  it.effect("asks again with the previous answer and its issues, without running the calls again", () =>
    Effect.gen(function* () {
      const { meter, prompts, taskRunner } = yield* openStages({
        files,
        answers: ["No heading.", resultSaying("Found.")]
      })
      const result = yield* taskRunner.run(orderOf([reading("a.txt", "call-1")]))
      expect(result.result).toEqual(found)
      expect(prompts[0]!.user).not.toContain("## Your previous answer")
      expect(prompts[1]!.user).toContain("## Your previous answer\n\n```markdown\nNo heading.\n```")
      expect(prompts[1]!.user).toContain("## Issues with your previous answer\n\n1. ")
      const { modelCalls, toolCalls } = yield* meter.total
      expect({ modelCalls, toolCalls }).toEqual({ modelCalls: 2, toolCalls: 1 })
    })
  )

  it.effect("fails as an execution without a valid answer when the model repeats an answer that has issues", () =>
    Effect.gen(function* () {
      const { log, taskRunner } = yield* openStages({ answers: Array.from({ length: 5 }, () => "No heading.") })
      const failure = yield* Effect.flip(taskRunner.run(orderOf([])))
      const rejected = log.events().flatMap((event) => (event.type === "answer.rejected" ? [event.issues] : []))
      const tried = "no valid result after 5 tries. The model gave the same answer every time."
      expect(failure).toEqual(
        new TaskFailure({
          task: "Look 1",
          phase: "execution",
          reason: `${tried} Last issues: ${rejected[1]!.map(({ what }) => what).join(" ")}`,
          skipped: false,
          cause: { _tag: "NoValidAnswer", attempts: 5, repeated: true }
        })
      )
    })
  )

  it.effect("names the line of a wrong link as it is in the answer, which may stand in a fence", () =>
    Effect.gen(function* () {
      const wrong = "```markdown\n## Result summary\n\nIn [it](missing.ts).\n```\n"
      const { log, prompts, taskRunner } = yield* openStages({ answers: [wrong, resultSaying("Found.")] })
      yield* taskRunner.run(orderOf([]))
      const rejected = log.events().flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
      expect(rejected.map(({ code, where }) => [code, where.line])).toEqual([["evidence-file", 4]])
      const [, previous = ""] = prompts[1]!.user.split("## Your previous answer\n\n")
      expect(previous.split("\n")[4]).toBe("In [it](missing.ts).")
      expect(previous).toContain('1. In task "Look 1", line 4: ')
    })
  )

  it.effect("ends the task without asking the model when a person denies the same effect again and again", () =>
    Effect.gen(function* () {
      const person = scriptedApprover({ calls: ["deny", "deny", "deny"] })
      const { project, prompts, taskRunner } = yield* openStages({ approver: person.layer })
      const calls = ["call-1", "call-2", "call-3", "call-4"].map(writing)
      const target = `${project}/out.txt`
      expect(yield* Effect.flip(taskRunner.run(orderOf(calls)))).toEqual(
        new TaskFailure({
          task: "Look 1",
          phase: "execution",
          reason: `Permission denied: a person denied write_file on ${target} 3 times, so the task ends.`,
          skipped: false,
          cause: { _tag: "Denied", tool: "write_file", targets: [target], by: "person" }
        })
      )
      expect(person.asked.length).toBe(3)
      expect(prompts).toEqual([])
    })
  )

  it.effect("shows the summary and parts of a referred result that is larger than the window", () =>
    Effect.gen(function* () {
      const referring = plainTask("Sum 1", "any", "The sum.", "A word.", {
        references: [{ kind: "task_result", title: "Look", href: "#look-1-results", target: "look-1" }]
      })
      const long = new TaskResult({
        task,
        calls: [gave("read_file", { path: "a.txt" }, "Hello.")],
        result: {
          summary: "It says hello.",
          document: `## Result summary\n\nIt says hello.\n\n${"word\n".repeat(4000)}`
        }
      })
      const { prompts, taskRunner } = yield* openStages({
        settings: { contextWindow: 4096 },
        answers: [resultSaying("Found.")]
      })
      yield* taskRunner.run(
        orderOf([], { refinement: { task: referring, calls: [] }, finished: [long, finished("Other 1", "Unseen.")] })
      )
      expect(prompts[0]!.user).toContain("## Result summary\n\nIt says hello.\n\nword\n")
      expect(prompts[0]!.user).toMatch(/\(\d+ lines left out\)/)
      expect(prompts[0]!.user).not.toContain("Unseen.")
    })
  )
})
