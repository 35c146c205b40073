import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { layerRuleApprover } from "../../../src/plugins/check-tools/ruleApprover.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"

const item = (tool: string, risk: ApprovalItem["risk"], targets: ReadonlyArray<string>): ApprovalItem => ({
  task: "A",
  tool,
  risk,
  targets,
  call: { uid: "a", name: tool, arguments: {} }
})

const rules = [
  { verdict: "allow", tool: "write_file" },
  { verdict: "allow", tool: "fetch_url", pattern: "https://example.org/*" }
] as const

it.effect("layerRuleApprover chooses what the rules allow, and denies single calls", () =>
  Effect.gen(function* () {
    const approver = yield* Approver
    const step = yield* approver.step(
      "Task section 1",
      [
        item("write_file", "high", ["/project/a.md"]),
        item("write_file", "high", ["/elsewhere/a.md"]),
        item("write_file", "high", ["/project/a.md", "/project2/b.md"]),
        item("fetch_url", "medium", ["https://example.org/guide"]),
        item("fetch_url", "medium", ["https://example.com/guide"]),
        item("run_command", "high", ["npm test"]),
        item("search_files", "safe", []),
        { task: "B", tool: "none", risk: "safe", targets: [] }
      ],
      "question-1"
    )
    assert.deepStrictEqual(step, { answer: { chosen: [1, 4, 7, 8] }, by: "rule" })
    const single = yield* approver.call(item("write_file", "high", ["/project/a.md"]), "question-1")
    assert.deepStrictEqual(single, { answer: "deny", by: "nobody" })
  }).pipe(Effect.provide(layerRuleApprover(rules, "/project")))
)
