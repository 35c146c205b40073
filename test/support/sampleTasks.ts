/**
 * Tasks and outcomes for tests, with everything filled in that a test does not care about.
 */
import { Task } from "../../src/domain/plan/Task.ts"
import { TaskResult } from "../../src/domain/plan/TaskResult.ts"
import type { Arguments, CallOutcome, ToolErrorType } from "../../src/domain/tools/ToolCall.ts"
import type * as Schema from "effect/Schema"

const metadata = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 }

/** A task that needs `needed` with a skill. */
export const taskFor = (skill: string, needed: string, more: Partial<Task> = {}): Task =>
  new Task({
    name: "Task 1",
    whatIsNeeded: needed,
    skill,
    references: [],
    expectedOutput: "A result.",
    requiresApproval: false,
    codeBlocks: [],
    ...more
  })

/** A call that gave data. */
export const gave = (name: string, given: Arguments, data: Schema.Json, uid = "call-1"): CallOutcome => ({
  call: { uid, name, arguments: given },
  result: { success: true, data, error_message: null, error_type: "none", metadata }
})

/** A call that failed. */
export const failed = (
  name: string,
  given: Arguments,
  type: ToolErrorType,
  message: string,
  uid = "call-1"
): CallOutcome => ({
  call: { uid, name, arguments: given },
  result: { success: false, data: null, error_message: message, error_type: type, metadata }
})

/** A finished task with this summary. */
export const finished = (name: string, summary: string): TaskResult =>
  new TaskResult({
    task: taskFor("search-code", "Something.", { name }),
    calls: [],
    result: { summary, document: `## Result summary\n\n${summary}` }
  })
