import { assert, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { type FailureCause, TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import { outcomeOf, type RoundsEnd, type Shortfall } from "../../../src/domain/runs/RunOutcome.ts"
import { leftBlock } from "../../../src/domain/runs/NotDone.ts"

const denials = [
  { message: "Permission denied: read_file on a was declined." },
  { message: "Permission denied: read_file on a was declined." },
  { message: "Permission denied: a rule forbids write_file." }
]

const failure = (reason: string, cause?: FailureCause) =>
  new TaskFailure({ task: "Look 1", phase: "execution", reason, skipped: false, ...(cause && { cause }) })

const denied: FailureCause = { _tag: "Denied", tool: "read_file", targets: ["/a"], by: "person" }
const exhausted: FailureCause = { _tag: "NoValidAnswer", attempts: 5, repeated: false }

const decline = (by: "person" | "nobody"): RoundsEnd => ({ _tag: "Declined", by, step: "Task section 1" })

const shortfall: Shortfall = { denials, deniedTasks: [], missing: [], notRun: [], unfollowed: [], runId: "run-1" }

const endOf = (end: RoundsEnd, more: Partial<Shortfall> = {}) => {
  const { message, status } = outcomeOf(end, "The answer.", { ...shortfall, ...more })
  return [status, message]
}
const goalsMet: RoundsEnd = { _tag: "GoalsMet" }

it("is done when the goals are met and nothing was denied", () => {
  const done = { status: "done", message: "", issues: [], answer: "The answer." }
  assert.deepStrictEqual<object>(outcomeOf(goalsMet, "The answer.", { ...shortfall, denials: [] }), done)
})

it("is not permitted when something was denied on the way, and says each denial once", () => {
  assert.deepStrictEqual(endOf(goalsMet), ["not_permitted", `${denials[0]?.message}\n${denials[2]?.message}`])
})

it("is done when only reads were denied, unless a task came to nothing else", () => {
  const read = { message: "Permission denied: read_file on a.", isRead: true }
  const change = { message: "Permission denied: write_file on b." }
  assert.deepStrictEqual(endOf(goalsMet, { denials: [read] }), ["done", ""])
  assert.deepStrictEqual(endOf(goalsMet, { denials: [read], deniedTasks: ["Look 1"] }), ["not_permitted", read.message])
  assert.deepStrictEqual(endOf(goalsMet, { denials: [read, change] }), ["not_permitted", change.message])
})

it("says in one sentence what --read-only left out, however the run ended", () => {
  const left = { message: "m", tool: "write_file", leftOut: true }
  const denials = ["/a", "/b", "/a"].map((target) => Object.assign({ targets: [target] }, left))
  const sentence =
    "Left out because of --read-only: write_file on /a; write_file on /b. Without it, task-conductor asks before these changes."
  assert.deepStrictEqual(endOf(goalsMet, { denials }), ["not_permitted", sentence])
  assert.include(endOf({ _tag: "MaxRounds", rounds: 5 }, { denials })[1], `\n${sentence}`)
  assert.notInclude(JSON.stringify(endOf(decline("nobody"), { denials })), "--yes-this-run")
})

it("is failed when a change is missing, and says what, why and what to do", () => {
  const missing = [{ task: "Edit 1", what: "src/a.ts (edit_file)", why: "It failed: The text does not occur." }]
  assert.deepStrictEqual(endOf(goalsMet, { denials: [], missing }), [
    "failed",
    '"Edit 1" did not change src/a.ts (edit_file). It failed: The text does not occur.\nMake the change by hand, or try the task again: task-conductor fork run-1 --from "Edit 1"'
  ])
  const [status, message = ""] = endOf(goalsMet, { missing })
  assert.deepStrictEqual([status, message.split("\n").length], ["not_permitted", 4])
})

it("says that items of a task have no result, and nothing of changes", () => {
  const missing = [{ task: "Read 1", what: "2 of 9 items", why: "No result for: a; b.", isResult: true }]
  const { message, notDone } = outcomeOf(goalsMet, "", { ...shortfall, denials: [], missing })
  const lacks = "gave no result for 2 of 9 items. No result for: a; b."
  assert.strictEqual(message, `"Read 1" ${lacks}\nTry the task again: task-conductor fork run-1 --from "Read 1"`)
  assert.deepStrictEqual(notDone, [{ task: "Read 1", why: `It ${lacks}` }])
  const left = leftBlock({ failures: [], missing })
  assert.match(left, /^## Results that are missing\n\n- "Read 1" gave no result for 2 of 9 items\./)
  assert.notInclude(left, "not made")
})

it.each<[what: string, end: RoundsEnd, status: string, message: string]>([
  [
    "a limit after the last round, whatever was denied",
    { _tag: "MaxRounds", rounds: 5 },
    "limit",
    "Max rounds reached. The limit limits.rounds is 5: resume the run with --max-rounds 10, or raise it in your configuration."
  ],
  ["declined when a person said so", decline("person"), "declined", 'You declined "Step 1".'],
  [
    "not permitted when nobody could approve",
    decline("nobody"),
    "not_permitted",
    '"Step 1" was not approved: no terminal to ask on. Use --yes to approve beforehand.'
  ]
])("is %s", (_, end, status, message) => assert.deepStrictEqual(endOf(end), [status, message]))

it("is told by the causes of failures, and not by their words", () => {
  const quoting = `no valid result after 5 tries. Last issues: ${denials[0]?.message}`
  for (const [failures, status] of [
    [[failure("gone"), failure("declined", denied)], "not_permitted"],
    [[failure(quoting, exhausted)], "failed"],
    [[failure(quoting)], "failed"]
  ] as const) {
    const message = failures.map((one) => one.message).join("\n")
    assert.deepStrictEqual(endOf({ _tag: "Unresolved", failures }), [status, message])
  }
  for (const [cause, status] of [
    [denied, "not_permitted"],
    [exhausted, "failed"]
  ] as const) {
    const twice = failure(quoting, cause)
    const message = `${twice.message} It failed the same way before.`
    assert.deepStrictEqual(endOf({ _tag: "FailedTwice", failure: twice }), [status, message])
  }
})

it("the failure of a task keeps its cause where it is written down, and is read from journals that have none", () => {
  const codec = Schema.toCodecJson(TaskFailure)
  const { cause, ...older } = Schema.encodeSync(codec)(failure("declined", denied)) as Record<string, Schema.Json>
  assert.deepStrictEqual(Schema.decodeUnknownSync(codec)({ ...older, cause }).cause, denied)
  const read = Schema.decodeUnknownSync(codec)(older)
  assert.deepStrictEqual([read.message, read.cause], ['Task execution: "Look 1": declined', undefined])
})
