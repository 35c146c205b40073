import { assert, it } from "@effect/vitest"
import { askedCall, makeUpdates } from "../../../src/plugins/acp/SessionUpdates.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"

it("an editor sees the progress of a call in the call", () => {
  const updates = makeUpdates(1, "/p")
  const id = { round: 1, task: "T", uid: "a" }
  const of = (event: RunEvent) => updates.of({ at: "2026-01-01T00:00:00.000Z", event })
  of({ type: "tool.started", id, call: { uid: "a", name: "query", arguments: {} }, risk: "safe", targets: [] })
  const [started] = of({ type: "tool.progress", id, name: "query", done: 3, total: 10, text: "pages" })
  assert.deepInclude(started, {
    sessionUpdate: "tool_call_update",
    status: "in_progress",
    content: [{ type: "content", content: { type: "text", text: "3/10 pages" } }]
  })
})

it("an editor shows the details of a question as they are", () => {
  const item = {
    task: "T",
    tool: "comment_issue",
    risk: "high" as const,
    targets: ["comment:3"],
    details: ["<!-- hidden -->", "```", "It rains."],
    words: { does: "comment on issue 3", consequence: "It changes something.", isCalm: false }
  }
  const { content, title } = askedCall({ scope: "call", title: "T", items: [item] }, "1/question 1", "/p")
  assert.strictEqual(title, "comment on issue 3")
  assert.deepStrictEqual(content?.[0], {
    type: "content",
    content: { type: "text", text: "It changes something.\n\n````\n<!-- hidden -->\n```\nIt rains.\n````" }
  })
})

/** A call of a plugin; one without `origin` is built in. */
const commentOn = (issue: number, origin?: string) => ({
  task: "T",
  tool: "comment_issue",
  call: { uid: `${issue}`, name: "comment_issue", arguments: { issue, text: "It\u202e rains." } },
  ...(origin === undefined ? {} : { origin }),
  risk: "high" as const,
  targets: ["/p/issues"],
  words: { does: `comment on issue ${issue}`, consequence: "It changes something.", isCalm: false }
})

const commentText = (issue: number) => [
  `comment on issue ${issue}:`,
  `\`\`\`json\n{\n  "issue": ${issue},\n  "text": "It\\u202e rains."\n}\n\`\`\``,
  "It changes something."
]

it("an editor shows what each of several calls of plugins is called with", () => {
  const items = [commentOn(3, "issues"), commentOn(4, "issues"), commentOn(5)]
  const { content, rawInput } = askedCall({ scope: "step", title: "Comment", items }, "1/question 1", "/p")
  assert.isUndefined(rawInput)
  /* The words of a built-in tool say what it does. */
  assert.deepStrictEqual(
    content,
    [commentText(3), commentText(4), ["It changes something."]].map((lines) => ({
      type: "content",
      content: { type: "text", text: lines.join("\n\n") }
    }))
  )
  const [single] = items
  assert.deepStrictEqual(
    single && askedCall({ scope: "call", title: "T", items: [single] }, "1/T/3", "/p").rawInput,
    single?.call.arguments
  )
})
