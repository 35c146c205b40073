import { describe, expect, it } from "vitest"
import type { JournalRecord } from "../../../src/domain/history/JournalRecord.ts"
import { taskEvidence } from "../../../src/domain/history/RunEvidence.ts"
import type { ToolResult } from "../../../src/domain/tools/ToolCall.ts"

const id = { round: 1, task: "Look 1", uid: "call-1" }
const call = { uid: "call-1", name: "read_file", arguments: {} }
const result: ToolResult = {
  success: true,
  data: "text",
  error_message: null,
  error_type: "none",
  metadata: { execution_time_ms: 1, data_size_bytes: 4, timestamp: 0 }
}
const started: JournalRecord = {
  type: "event",
  event: { type: "tool.started", id, call, risk: "safe", targets: [] }
}

describe("the evidence of a task", () => {
  it("has the result of a call that was kept and, because of a crash, never told", () => {
    const kept: JournalRecord = { type: "outcome", key: "round-1/tool/look-1/call-1#0123456789abcdef", value: result }
    expect(taskEvidence([started, kept], "Look 1").calls).toEqual([{ id, call, risk: "safe", targets: [], result }])
  })

  it("has the result of a call that was denied, which is told and not kept", () => {
    const denied: ToolResult = { ...result, success: false, data: null, error_type: "permission_denied" }
    const told: JournalRecord = {
      type: "event",
      event: { type: "tool.finished", id, name: "read_file", result: denied }
    }
    expect(taskEvidence([started, told], "look 1").calls).toEqual([
      { id, call, risk: "safe", targets: [], result: denied }
    ])
  })
})
