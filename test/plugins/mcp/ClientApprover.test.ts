import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { layerClientApprover } from "../../../src/plugins/mcp/ClientApprover.ts"
import type { Choose } from "../../../src/plugins/mcp/McpToolServer.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const comment: ApprovalItem = {
  task: "T",
  tool: "comment_issue",
  call: { uid: "a", name: "comment_issue", arguments: { issue: 3, text: "It rains." } },
  origin: "issues",
  risk: "high",
  targets: ["issue:3"],
  words: { does: "use comment_issue of issues", consequence: "It can change things.", isCalm: false },
  offers: { always: ["comment_issue"] }
}

/** Asks about a step and about a call; gives the messages and the answers. */
const asked = Effect.fnUntraced(function* (items: readonly [ApprovalItem, ...Array<ApprovalItem>], choose: Choose) {
  const messages: Array<string> = []
  const approver = layerClientApprover((message, choices) => {
    messages.push(message)
    return choose(message, choices)
  })
  const answers = yield* Approver.use((service) =>
    Effect.all([service.step("Step", items, "1"), service.call(items[0], "2")])
  ).pipe(Effect.provide(approver))
  return { messages, answers }
})

nodeTest("a form shows what a tool of a plugin or a server is called with", function* () {
  const other: ApprovalItem = { ...comment, call: { uid: "b", name: "comment_issue", arguments: { issue: 4 } } }
  const { messages } = yield* asked([comment, other], () => Effect.succeed({ by: "person", choice: "allow" }))
  assert.include(messages[0], '"issue": 3,\n  "text": "It rains."')
  assert.include(messages[0], '"issue": 4')
  assert.include(messages[1], '"text": "It rains."')
  const { words: _words, ...unsaid } = comment
  const plain = yield* asked([unsaid], () => Effect.succeed({ by: "person", choice: "allow" }))
  assert.include(plain.messages[1], "use comment_issue (plugin issues) on issue:3")
})

nodeTest("a form leaves out arguments that the words of a built-in tool say", function* () {
  const read: ApprovalItem = {
    task: "T",
    tool: "read_file",
    call: { uid: "a", name: "read_file", arguments: { path: "notes.md" } },
    risk: "safe",
    targets: ["/p/notes.md"],
    words: { does: "read notes.md", consequence: "The model sees its text.", isCalm: true }
  }
  const { messages } = yield* asked([read], () => Effect.succeed({ by: "person", choice: "allow" }))
  assert.notInclude(messages[0], '"path"')
})

nodeTest("a form that could not be shown is answered by nobody, and a closed one by the user", function* () {
  for (const by of ["nobody", "person"] as const) {
    const { answers } = yield* asked([comment], () => Effect.succeed({ by }))
    assert.deepStrictEqual(answers, [
      { answer: "decline", by },
      { answer: "deny", by }
    ])
  }
  const { answers } = yield* asked([comment], () => Effect.succeed({ by: "person", choice: "allow and remember" }))
  assert.deepStrictEqual(answers, [
    { answer: "step", by: "person", always: ["comment_issue"] },
    { answer: "remember", by: "person", always: ["comment_issue"] }
  ])
})
