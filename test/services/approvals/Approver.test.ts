import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { beforeRunTask, type ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import {
  Approver,
  type CallAnswer,
  type DoubtAnswer,
  type StepAnswer
} from "../../../src/services/approvals/Approver.ts"
import { type FakeTerminal, makeFakeTerminal } from "../../support/FakeTerminal.ts"

const readItem: ApprovalItem = {
  task: "Research 1",
  call: { uid: "call-1", name: "read_file", arguments: { path: "README.md" } },
  tool: "read_file",
  risk: "medium",
  targets: ["/p/README.md"],
  offers: { session: "read_file for every file of the project", remember: "read_file for /p/README.md" }
}
const writeItem: ApprovalItem = {
  task: "Edit 1",
  call: { uid: "call-1", name: "write_file", arguments: { path: "a", content: "b\n" } },
  tool: "write_file",
  risk: "high",
  targets: ["/p/a"],
  preview: "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+b",
  offers: { session: "exactly this call" }
}

const callScreen = `
Permission request
Tool: read_file   Risk: MEDIUM
Arguments: {"path":"README.md"}
Target: /p/README.md
Task: Research 1
Session allows read_file for every file of the project.
Remember allows read_file for /p/README.md, in every run of every project.
[1] Allow once  [2] Session  [3] Remember  [4] Deny
Answer [4]: `

const highScreen = `
Permission request
Tool: write_file   Risk: HIGH
Arguments: {"path":"a","content":"b\\n"}
Target: /p/a
--- /dev/null
+++ a
@@ -0,0 +1 @@
+b
Task: Edit 1
Warning: high risk. This can change or destroy things outside the control of this program.
Session allows exactly this call.
[1] Allow once  [2] Session  [4] Deny
Answer [4]: `

const stepScreen = `
Approval request: Task section 2
1. Task: Edit 1
   Tool: write_file   Risk: HIGH
   Arguments: {"path":"a","content":"b\\n"}
   Target: /p/a
   --- /dev/null
   +++ a
   @@ -0,0 +1 @@
   +b
2. Task: Think 1
   No tool call.
Warning: high risk. This can change or destroy things outside the control of this program.
[1] This step  [2] All remaining steps of this round  [3] Deny  [4] Choose single calls
Answer [3]: `

const both = { stdin: true, stderr: true }

/** Asks, and lets the time pass in which typed-ahead lines are dropped. */
const asked = Effect.fnUntraced(function* <A>(
  terminal: FakeTerminal,
  use: (approver: Approver["Service"]) => Effect.Effect<A>
) {
  const fiber = yield* Effect.forkChild(
    Effect.provide(Approver.use(use), Layer.provide(Approver.layerTerminal, terminal.layer))
  )
  yield* TestClock.adjust("1 second")
  return fiber
})

const wish = "What should be done instead? (Enter for nothing): "

/** Enters nothing at the question after a no, if it was one. */
const wishNothing = Effect.fnUntraced(function* (terminal: FakeTerminal, answer: unknown = "deny") {
  if (answer !== "deny" && answer !== "decline") return ""
  yield* TestClock.adjust("1 second")
  yield* terminal.type("")
  return wish
})

describe("Approver.layerTerminal", () => {
  const answers: ReadonlyArray<[typed: string, answer: CallAnswer]> = [
    ["1", "once"],
    [" 2 ", "session"],
    ["3", "remember"],
    ["4", "deny"],
    ["", "deny"]
  ]
  for (const [typed, answer] of answers) {
    it.effect(`takes ${JSON.stringify(typed)} for a call as ${answer}`, () =>
      Effect.gen(function* () {
        const terminal = yield* makeFakeTerminal(both)
        const fiber = yield* asked(terminal, (approver) => approver.call(readItem, "question-1"))
        yield* terminal.type(typed)
        const after = yield* wishNothing(terminal, answer)
        assert.deepStrictEqual(yield* Fiber.join(fiber), { answer, by: "person" })
        assert.strictEqual(terminal.screen(), callScreen + after)
      })
    )
  }

  it.effect("does not offer to remember what is of high risk", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const fiber = yield* asked(terminal, (approver) => approver.call(writeItem, "question-1"))
      yield* terminal.type("3", "2")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "session", by: "person" })
      assert.strictEqual(terminal.screen(), `${highScreen}Answer with one of: 1, 2, 4.\nAnswer [4]: `)
    })
  )

  const stepAnswers: ReadonlyArray<[typed: string, answer: StepAnswer]> = [
    ["1", "step"],
    ["2", "remaining"],
    ["3", "decline"],
    ["", "decline"]
  ]
  for (const [typed, answer] of stepAnswers) {
    it.effect(`takes ${JSON.stringify(typed)} for a step as ${answer}`, () =>
      Effect.gen(function* () {
        const terminal = yield* makeFakeTerminal(both)
        const items: ReadonlyArray<ApprovalItem> = [
          writeItem,
          { task: "Think 1", tool: "none", risk: "safe", targets: [] }
        ]
        const fiber = yield* asked(terminal, (approver) => approver.step("Task section 2", items, "question-1"))
        yield* terminal.type(typed)
        const after = yield* wishNothing(terminal, answer)
        assert.deepStrictEqual(yield* Fiber.join(fiber), { answer, by: "person" })
        assert.strictEqual(terminal.screen(), stepScreen + after)
      })
    )
  }

  const doubtAnswers: ReadonlyArray<[typed: string, answer: DoubtAnswer]> = [
    ["1", "again"],
    ["2", "done"],
    ["3", "stop"],
    ["", "stop"]
  ]
  for (const [typed, answer] of doubtAnswers) {
    it.effect(`takes ${JSON.stringify(typed)} for a call in doubt as ${answer}`, () =>
      Effect.gen(function* () {
        const terminal = yield* makeFakeTerminal(both)
        const fiber = yield* asked(terminal, (approver) => approver.inDoubt(writeItem, "question-1"))
        yield* terminal.type(typed)
        assert.deepStrictEqual(yield* Fiber.join(fiber), { answer, by: "person" })
        assert.include(terminal.screen(), "Tool: write_file")
        assert.isTrue(terminal.screen().endsWith("\nAnswer [3]: "))
      })
    )
  }

  it.effect("stops at a call in doubt when there is no terminal", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal({ stdin: false, stderr: true })
      const fiber = yield* asked(terminal, (approver) => approver.inDoubt(writeItem, "question-1"))
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "stop", by: "nobody" })
    })
  )

  it.effect("offers neither session nor remember for what is asked each time", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const fiber = yield* asked(terminal, (approver) => approver.call({ ...writeItem, offers: {} }, "question-1"))
      yield* terminal.type("2", "3", "1")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "once", by: "person" })
      assert.include(terminal.screen(), "\n[1] Allow once  [4] Deny\nAnswer [4]: Answer with one of: 1, 4.\n")
    })
  )

  const choices: ReadonlyArray<[typed: string, answer: StepAnswer]> = [
    ["1,3", { chosen: [1, 3] }],
    [" 3 1 3 ", { chosen: [3, 1] }],
    ["3", { chosen: [3] }],
    ["", "decline"]
  ]
  const threeItems = [writeItem, { task: "Think 1", tool: "none", risk: "safe" as const, targets: [] }, readItem]
  for (const [typed, answer] of choices) {
    it.effect(`takes ${JSON.stringify(typed)} for single calls of a step`, () =>
      Effect.gen(function* () {
        const terminal = yield* makeFakeTerminal(both)
        const fiber = yield* asked(terminal, (approver) => approver.step("Task section 2", threeItems, "question-1"))
        yield* terminal.type("4")
        yield* TestClock.adjust("1 second")
        yield* terminal.type(typed)
        yield* wishNothing(terminal, answer)
        assert.deepStrictEqual(yield* Fiber.join(fiber), { answer, by: "person" })
      })
    )
  }

  it.effect("takes no number that is not one of the calls, and says which there are", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const fiber = yield* asked(terminal, (approver) => approver.step("Task section 2", threeItems, "question-1"))
      yield* terminal.type("4")
      yield* TestClock.adjust("1 second")
      yield* terminal.type("2", "1,4", "all")
      yield* wishNothing(terminal)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "decline", by: "person" })
      const complaint = "Answer with numbers of calls, such as 1,3. There are: 1, 3.\n"
      const prompt = "Calls [none]: "
      assert.isTrue(
        terminal
          .screen()
          .endsWith(
            `The numbers of the calls that may run, such as 1,3. The others are denied.\n${`${prompt}${complaint}`.repeat(3)}${wish}`
          )
      )
    })
  )

  const long: ApprovalItem = { ...readItem, details: Array.from({ length: 30 }, (_, index) => `detail ${index + 1}`) }

  it.effect("takes an answer for a long question only after its end was shown", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both, { columns: 80, rows: 21 })
      const fiber = yield* asked(terminal, (approver) => approver.call(long, "question-1"))
      assert.isTrue(terminal.screen().endsWith("detail 15\n-- page 1 of 2: Enter shows more, q denies -- "))
      yield* terminal.type("1", "1")
      yield* TestClock.adjust("1 second")
      assert.include(terminal.screen(), "detail 30\n")
      assert.isTrue(terminal.screen().endsWith("Answer [4]: "))
      assert.isUndefined(fiber.pollUnsafe())
      yield* terminal.type("1")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "once", by: "person" })
    })
  )

  it.effect("denies when the person stops before the end of a long question", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both, { columns: 80, rows: 21 })
      const fiber = yield* asked(terminal, (approver) => approver.call(long, "question-1"))
      yield* terminal.type("q")
      yield* wishNothing(terminal)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "deny", by: "person" })
      assert.notInclude(terminal.screen(), "Answer")
    })
  )

  it.effect("denies after three answers that are none", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const fiber = yield* asked(terminal, (approver) => approver.call(readItem, "question-1"))
      yield* terminal.type("y", "yes", "constructor")
      yield* wishNothing(terminal)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "deny", by: "person" })
    })
  )

  it.effect("asks after a no what should be done instead, and keeps the words", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const call = yield* asked(terminal, (approver) => approver.call(readItem, "question-1"))
      yield* terminal.type("4")
      yield* TestClock.adjust("1 second")
      yield* terminal.type("  read only the index ")
      const instead = "read only the index"
      assert.deepStrictEqual(yield* Fiber.join(call), { answer: "deny", by: "person", instead })
      const step = yield* asked(terminal, (approver) => approver.step("Task section 1", [writeItem], "question-2"))
      yield* terminal.type("3")
      yield* TestClock.adjust("1 second")
      yield* terminal.type("write b instead")
      const answered = { answer: "decline" as const, by: "person" as const, instead: "write b instead" }
      assert.deepStrictEqual(yield* Fiber.join(step), answered)
    })
  )

  it.effect("asks for nothing instead of a plugin or server that is not started", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const item = { ...readItem, task: beforeRunTask, tool: "load_plugin" }
      const fiber = yield* asked(terminal, (approver) => approver.call(item, "question-1"))
      yield* terminal.type("4")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "deny", by: "person" })
    })
  )

  it.effect("takes the end of input as a denial", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const fiber = yield* asked(terminal, (approver) => approver.step("Task section 1", [writeItem], "question-1"))
      yield* terminal.end
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "decline", by: "person" })
    })
  )

  it.effect("does not take lines that were typed before the question for answers", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      yield* terminal.type("1", "1")
      const fiber = yield* asked(terminal, (approver) => approver.call(readItem, "question-1"))
      yield* terminal.type("2")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "session", by: "person" })
      assert.strictEqual(terminal.screen(), callScreen)
    })
  )

  for (const isTerminal of [
    { stdin: false, stderr: true },
    { stdin: true, stderr: false }
  ]) {
    it.effect(`asks nobody when ${isTerminal.stdin ? "stderr" : "stdin"} is no terminal, and reads no answer`, () =>
      Effect.gen(function* () {
        const terminal = yield* makeFakeTerminal(isTerminal)
        yield* terminal.type("1")
        const fiber = yield* asked(terminal, (approver) => approver.call(readItem, "question-1"))
        assert.deepStrictEqual(yield* Fiber.join(fiber), { answer: "deny", by: "nobody" })
        const stepFiber = yield* asked(terminal, (approver) =>
          approver.step("Task section 1", [readItem], "question-1")
        )
        assert.deepStrictEqual(yield* Fiber.join(stepFiber), { answer: "decline", by: "nobody" })
        assert.strictEqual(terminal.screen(), "")
      })
    )
  }

  it.effect("shows control sequences, bidi overrides and line breaks of foreign text as code points", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const fiber = yield* asked(terminal, (approver) =>
        approver.call(
          {
            ...readItem,
            origin: "evil\u001b[2J",
            call: { uid: "c", name: "read_file", arguments: { path: "\u202efdp.md\u001b[1A" } },
            targets: ["/p/a\nTarget: /p/harmless"]
          },
          "question-1"
        )
      )
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(
        terminal.screen(),
        callScreen
          .replace("read_file  ", "read_file (plugin evil\\u{1b}[2J)  ")
          .replace('"README.md"', '"\\u{202e}fdp.md\\u001b[1A"')
          .replace("/p/README.md", "/p/a\\u{a}Target: /p/harmless")
      )
    })
  )

  it.effect("shows the beginning and the end of long arguments and how much is missing", () =>
    Effect.gen(function* () {
      const terminal = yield* makeFakeTerminal(both)
      const content = `begin${"x".repeat(5000)}end`
      const fiber = yield* asked(terminal, (approver) =>
        approver.call({ ...readItem, call: { uid: "c", name: "read_file", arguments: { content } } }, "question-1")
      )
      yield* Fiber.interrupt(fiber)
      const shown = terminal.screen().split("\n")[3] ?? ""
      assert.isTrue(shown.startsWith('Arguments: {"content":"beginxxx'))
      assert.isTrue(shown.endsWith('xxxend"}'))
      assert.include(shown, " ... (3022 of 5022 characters not shown) ... ")
    })
  )
})

describe("Approver.layerApproveSteps", () => {
  it.effect("approves steps and leaves calls to the inner approver", () =>
    Effect.gen(function* () {
      const approver = yield* Approver
      assert.deepStrictEqual(yield* approver.step("Task section 1", [writeItem], "question-1"), {
        answer: "remaining",
        by: "rule"
      })
      assert.deepStrictEqual(yield* approver.call(readItem, "question-1"), { answer: "deny", by: "nobody" })
      assert.deepStrictEqual(yield* approver.inDoubt(writeItem, "question-1"), { answer: "stop", by: "nobody" })
    }).pipe(Effect.provide(Approver.layerApproveSteps(Approver.layerDenyAll)))
  )
})

describe("Approver.layerAllowAll", () => {
  it.effect("allows by rule", () =>
    Effect.gen(function* () {
      const approver = yield* Approver
      assert.deepStrictEqual(yield* approver.step("Task section 1", [writeItem], "question-1"), {
        answer: "remaining",
        by: "rule"
      })
      assert.deepStrictEqual(yield* approver.call(readItem, "question-1"), { answer: "once", by: "rule" })
      assert.deepStrictEqual(yield* approver.inDoubt(writeItem, "question-1"), { answer: "stop", by: "nobody" })
    }).pipe(Effect.provide(Approver.layerAllowAll))
  )
})
