import { assert, describe, it } from "@effect/vitest"
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
  new TaskFailure({
    task: "Look 1",
    phase: "execution",
    reason,
    skipped: false,
    ...(cause === undefined ? {} : { cause })
  })

const denied: FailureCause = { _tag: "Denied", tool: "read_file", targets: ["/a"], by: "person" }
const exhausted: FailureCause = { _tag: "NoValidAnswer", attempts: 5, repeated: false }

const decline = (by: "person" | "nobody"): RoundsEnd => ({ _tag: "Declined", by, step: "Task section 1" })

const shortfall: Shortfall = { denials, deniedTasks: [], missing: [], notRun: [], unfollowed: [], runId: "run-1" }

const statusOf = (end: RoundsEnd) => {
  const { message, status } = outcomeOf(end, "The answer.", shortfall)
  return [status, message]
}

describe("the outcome of a run", () => {
  it("is done when the goals are met and nothing was denied", () => {
    assert.deepStrictEqual(outcomeOf({ _tag: "GoalsMet" }, "The answer.", { ...shortfall, denials: [] }), {
      status: "done",
      message: "",
      issues: [],
      answer: "The answer."
    })
  })

  it("is not permitted when something was denied on the way, and says each denial once", () => {
    assert.deepStrictEqual(statusOf({ _tag: "GoalsMet" }), [
      "not_permitted",
      `${denials[0]?.message}\n${denials[2]?.message}`
    ])
  })

  it("is done when only reads were denied, unless a task came to nothing else", () => {
    const denials = [{ message: "Permission denied: read_file on a.", isRead: true }]
    const ended = (deniedTasks: ReadonlyArray<string>, more: Shortfall["denials"] = []) => {
      const all = [...denials, ...more]
      const { message, status } = outcomeOf({ _tag: "GoalsMet" }, "", { ...shortfall, denials: all, deniedTasks })
      return [status, message]
    }
    assert.deepStrictEqual(ended([]), ["done", ""])
    assert.deepStrictEqual(ended(["Look 1"]), ["not_permitted", "Permission denied: read_file on a."])
    const change = { message: "Permission denied: write_file on b." }
    assert.deepStrictEqual(ended([], [change]), ["not_permitted", change.message])
  })

  it("says in one sentence what --read-only left out, however the run ended", () => {
    const left = { message: "m", tool: "write_file", leftOut: true }
    const denials = ["/a", "/b", "/a"].map((target) => Object.assign({ targets: [target] }, left))
    const sentence =
      "Left out because of --read-only: write_file on /a; write_file on /b. Without it, task-conductor asks before these changes."
    const found = (end: RoundsEnd) => outcomeOf(end, "", { ...shortfall, denials })
    assert.deepStrictEqual(
      [found({ _tag: "GoalsMet" }).status, found({ _tag: "GoalsMet" }).message],
      ["not_permitted", sentence]
    )
    assert.include(found({ _tag: "MaxRounds", rounds: 5 }).message, `\n${sentence}`)
    assert.notInclude(JSON.stringify(found(decline("nobody"))), "--yes-this-run")
  })

  it("is failed when a change is missing, and says what, why and what to do", () => {
    const missing = [{ task: "Edit 1", what: "src/a.ts (edit_file)", why: "It failed: The text does not occur." }]
    const { message, status } = outcomeOf({ _tag: "GoalsMet" }, "The answer.", { ...shortfall, denials: [], missing })
    assert.deepStrictEqual(
      [status, message],
      [
        "failed",
        [
          '"Edit 1" did not change src/a.ts (edit_file). It failed: The text does not occur.',
          'Make the change by hand, or try the task again: task-conductor fork run-1 --from "Edit 1"'
        ].join("\n")
      ]
    )
    const both = outcomeOf({ _tag: "GoalsMet" }, "", { ...shortfall, missing })
    assert.deepStrictEqual([both.status, both.message.split("\n").length], ["not_permitted", 4])
  })

  it("says that items of a task have no result, and nothing of changes", () => {
    const missing = [{ task: "Read 1", what: "2 of 9 items", why: "No result for: a; b.", isResult: true }]
    const { message, notDone } = outcomeOf({ _tag: "GoalsMet" }, "", { ...shortfall, denials: [], missing })
    assert.strictEqual(
      message,
      '"Read 1" gave no result for 2 of 9 items. No result for: a; b.\nTry the task again: task-conductor fork run-1 --from "Read 1"'
    )
    assert.deepStrictEqual(notDone, [
      { task: "Read 1", why: "It gave no result for 2 of 9 items. No result for: a; b." }
    ])
    const left = leftBlock({ failures: [], missing })
    assert.match(left, /^## Results that are missing\n\n- "Read 1" gave no result for 2 of 9 items\./)
    assert.notInclude(left, "not made")
  })

  it("is a limit after the last round, whatever was denied", () => {
    assert.deepStrictEqual(statusOf({ _tag: "MaxRounds", rounds: 5 }), [
      "limit",
      "Max rounds reached. The limit limits.rounds is 5: resume the run with --max-rounds 10, or raise it in your configuration."
    ])
  })

  it("is declined when a person said so, and not permitted when nobody could approve", () => {
    assert.deepStrictEqual(statusOf(decline("person")), ["declined", 'You declined "Step 1".'])
    assert.deepStrictEqual(statusOf(decline("nobody")), [
      "not_permitted",
      '"Step 1" was not approved: no terminal to ask on. Use --yes to approve beforehand.'
    ])
  })

  it("is told by the causes of failures, and not by their words", () => {
    const quoting = `no valid result after 5 tries. Last issues: ${denials[0]?.message}`
    const cases = [
      [[failure("gone"), failure("declined", denied)], "not_permitted"],
      [[failure(quoting, exhausted)], "failed"],
      [[failure(quoting)], "failed"]
    ] as const
    for (const [failures, status] of cases) {
      const message = failures.map((one) => one.message).join("\n")
      assert.deepStrictEqual(statusOf({ _tag: "Unresolved", failures }), [status, message])
    }
    for (const [cause, status] of [
      [denied, "not_permitted"],
      [exhausted, "failed"]
    ] as const) {
      const twice = failure(quoting, cause)
      assert.deepStrictEqual(statusOf({ _tag: "FailedTwice", failure: twice }), [
        status,
        `${twice.message} It failed the same way before.`
      ])
    }
  })
})

describe("the failure of a task", () => {
  const codec = Schema.toCodecJson(TaskFailure)

  it("is read from journals that have no causes", () => {
    const { cause: _, ...older } = Schema.encodeSync(codec)(failure("declined", denied)) as Record<string, Schema.Json>
    const read = Schema.decodeUnknownSync(codec)(older)
    assert.deepStrictEqual([read.message, read.cause], ['Task execution: "Look 1": declined', undefined])
  })

  it("keeps its cause where it is written down", () => {
    const whole = failure("declined", denied)
    assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(Schema.encodeSync(codec)(whole)).cause, denied)
  })
})
