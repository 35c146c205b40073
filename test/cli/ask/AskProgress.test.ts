import { assert, it } from "@effect/vitest"
import { askLine } from "../../../src/cli/ask/AnswerPrinter.ts"
import { sessionLines } from "../../../src/cli/ask/slashCommands.ts"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import type { AskReport } from "../../../src/domain/runs/RunReport.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { ToolResult } from "../../../src/domain/tools/ToolCall.ts"
import { answered, asked, liveAfter, started } from "../../support/LiveEvents.ts"

const id = { round: 1, task: "ask", uid: "a" }
const live = liveAfter([0, started])

const lineOf = (result: Pick<ToolResult, "data" | "error_message" | "error_type" | "success">): string | undefined => {
  const metadata = { execution_time_ms: 6, data_size_bytes: 1, timestamp: 0 }
  const event: RunEvent = { type: "tool.finished", id, name: "edit_file", result: { ...result, metadata } }
  return askLine(event, makePaint(false), { live })
}

const failed = (error_type: ToolResult["error_type"], error_message: string) =>
  lineOf({ success: false, data: null, error_type, error_message })

const done = (data: ToolResult["data"]) => lineOf({ success: true, data, error_type: "none", error_message: null })

it("tells the size of a change, not its JSON", () => {
  const diff = "--- /p/a.ts\n+++ /p/a.ts\n@@ -1 +1,2 @@\n-a\n+b\n+c"
  assert.strictEqual(done({ path: "/p/a.ts", diff }), "  ok edit_file 6 ms: +2 -1")
})

it("tells how a command ended, and never calls a failed one ok", () => {
  const ok = done({ exit_code: 0, output: "one\n2 passed\n" })
  assert.strictEqual(ok, "  ok edit_file 6 ms: 2 passed (2 lines)")
  assert.strictEqual(done({ exit_code: 137, output: "" }), "  exit code 137 edit_file 6 ms: nothing")
  assert.strictEqual(done({ exit_code: null, output: "x" }), "  stopped edit_file 6 ms: x")
})

it("tells why a call failed without the lines that are for the model, with relative paths", () => {
  const message =
    "Nothing was changed. The old_text does not occur in /p/a.ts. Line 3 is nearest; copy from here exactly:\n  x"
  assert.strictEqual(
    failed("validation_failed", message),
    "  call failed edit_file 6 ms: Nothing was changed. The old_text does not occur in a.ts. Line 3 is nearest."
  )
})

it("leaves a denial to the answer of the user and the end of the message", () => {
  assert.isUndefined(failed("permission_denied", "Permission denied: a person denied edit_file on /p/a.ts."))
  assert.strictEqual(
    askLine(
      { type: "message", level: "error", text: "Permission denied: a person denied edit_file on /p/a.ts." },
      makePaint(false),
      { live }
    ),
    "note: You denied edit_file on a.ts."
  )
})

it("leaves the time of the user out of the time of each message", () => {
  const report: AskReport = {
    message: 1,
    status: "done",
    reason: "",
    answer: "",
    iterations: 2,
    toolCalls: 1,
    durationMs: 42_000
  }
  const ended = { type: "ask.finished", report } as const
  const talk = [
    [0, started],
    [1, { type: "ask.started", message: 1, text: "?" }],
    [2, asked("h")],
    [32, answered("h")]
  ] as const
  const after = (...more: ReadonlyArray<readonly [number, RunEvent]>) =>
    askLine(ended, makePaint(false), { live: liveAfter(...talk, ...more) })
  assert.strictEqual(after(), "done: 2 model calls, 1 tool call, 12.0 s and 30.0 s for your answers")
  assert.strictEqual(
    after([50, { type: "ask.started", message: 2, text: "!" }]),
    "done: 2 model calls, 1 tool call, 42.0 s"
  )
})

it("lists conversations in a line each, and a second one for the title where there is little room", () => {
  const kept = {
    id: "a",
    title: "Where is the timeout?",
    model: "m",
    savedAt: "2026-11-20T18:30:00Z",
    messages: 3,
    end: ""
  }
  const now = new Date("2026-11-20T18:31:00Z")
  const [line = "", ...others] = sessionLines([kept], now, 80).split("\n")
  assert.deepStrictEqual(others, [])
  assert.match(line, /^ 1 {2}.+ {2}3 messages {2}Where is the timeout\?$/)
  const narrow = sessionLines([kept, { ...kept, title: "x".repeat(60) }], now, 40).split("\n")
  assert.lengthOf(narrow, 4)
  assert.strictEqual(narrow[1], "    Where is the timeout?")
  assert.isAtMost(Math.max(...narrow.map(({ length }) => length)), 40)
})
