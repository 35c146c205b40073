import { assert, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { beforeRunTask, type ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { Answered } from "../../../src/domain/permissions/Answer.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { layerTerminal } from "../../../src/cli/approval/TerminalApprover.ts"
import { type FakeTerminal, makeFakeTerminal } from "../../support/FakeTerminal.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const readItem: ApprovalItem = {
  task: "Research 1",
  call: { uid: "call-1", name: "read_file", arguments: { path: "docs/a.md" } },
  tool: "read_file",
  risk: "medium",
  targets: ["/p/docs/a.md"],
  words: { does: "read docs/a.md", consequence: "Nothing is changed.", isCalm: true },
  offers: {
    session: "read_file for every file of the project",
    remember: "read_file for /p/docs/a.md",
    always: ["read_file", "read_file:docs/a.md", "read_file:docs/**"]
  }
}
const writeItem: ApprovalItem = {
  task: "Edit 1",
  call: { uid: "call-1", name: "write_file", arguments: { path: "a", content: "b\n" } },
  tool: "write_file",
  risk: "high",
  targets: ["/p/a"],
  diff: "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+b\n",
  words: { does: "create a (1 line)", consequence: "Adds a file to the project.", isCalm: true },
  offers: { session: "exactly this call" }
}
const thought: ApprovalItem = { task: "Think 1", tool: "none", risk: "safe", targets: [] }
const three = [writeItem, thought, { ...readItem, offers: { always: ["read_file:docs/**"] } }]

const repairable: ApprovalItem = { ...writeItem, offers: { repairs: "later changes of a by this task" } }

const callScreen = `
╭ Research 1 · wants to read docs/a.md
│ Nothing is changed.
│ k = read_file for every file of the project, until this run ends
│ p = read_file for everyday files of this project; also "p docs/a.md" or "p docs/**"
╰ y yes · n no · v view all · ? explain
  With Enter: k yes to all of this kind · p always in this project · e always everywhere
`

const both = { stdin: true, stderr: true }

type Use<A> = (approver: Approver["Service"]) => Effect.Effect<Answered<A>>

/** Asks, and lets the time pass in which typed-ahead lines are dropped. */
const asked = Effect.fnUntraced(function* <A>(terminal: FakeTerminal, use: Use<A>, bell = false) {
  const approver = layerTerminal({ bell, isColoured: false })
  const fiber = yield* Effect.forkChild(Effect.provide(Approver.use(use), Layer.provide(approver, terminal.layer)))
  yield* TestClock.adjust("1 second")
  return fiber
})

/** The answer, after the time in which more of a paste would come. */
const joined = <A>(fiber: Fiber.Fiber<A>) => Effect.andThen(TestClock.adjust("1 second"), Fiber.join(fiber))

/** Presses keys, and lets the time pass in which they are read. */
const pressed = (terminal: FakeTerminal, ...keys: ReadonlyArray<string>) =>
  Effect.andThen(terminal.press(...keys), TestClock.adjust("1 second"))

/** Presses the keys of a line one after another, with Enter at its end, unless it is one that counts alone. */
const typed = Effect.fnUntraced(function* (terminal: FakeTerminal, line: string) {
  const keys = /^[ynsv?]$/i.test(line) ? [line] : [...line, "\r"]
  yield* terminal.screen().endsWith("(Enter for nothing): ") ? terminal.type(line) : terminal.press(...keys)
  yield* TestClock.adjust(`${keys.length * 200 + 1000} millis`)
})

/** Asks and types lines, each after time has passed; the answer and what was shown. */
const answered = Effect.fnUntraced(function* <A>(use: Use<A>, ...lines: ReadonlyArray<string>) {
  const terminal = yield* makeFakeTerminal(both)
  const fiber = yield* asked(terminal, use)
  for (const line of lines) yield* typed(terminal, line)
  return { ...(yield* joined(fiber)), screen: terminal.screen() }
})

const call =
  (item: ApprovalItem): Use<unknown> =>
  (approver) =>
    approver.call(item, "question-1")
const step =
  (items: ReadonlyArray<ApprovalItem>): Use<unknown> =>
  (approver) =>
    approver.step("Task section 2", items, "question-1")
const doubt: Use<unknown> = (approver) => approver.inDoubt(writeItem, "question-1")

const person = (answer: unknown, more: object = {}) => ({ answer, by: "person", ...more })

const keys: ReadonlyArray<[what: string, use: Use<unknown>, lines: ReadonlyArray<string>, expected: object]> = [
  ["a call", call(readItem), ["y"], person("once")],
  ["a call", call(readItem), ["Y"], person("once")],
  ["a call", call(readItem), ["k"], person("session")],
  ["a call", call(readItem), [" KIND "], person("session")],
  ["a call", call(readItem), ["p"], person("remember", { always: ["read_file"] })],
  ["a call", call(readItem), ["p docs/**"], person("remember", { always: ["read_file:docs/**"] })],
  ["a call", call(readItem), ["project read_file:docs/a.md"], person("remember", { always: ["read_file:docs/a.md"] })],
  ["a call", call(readItem), ["p 3"], person("remember", { always: ["read_file:docs/**"] })],
  ["a call", call(readItem), ["e"], person("remember")],
  ["a call", call(repairable), ["r"], person("repairs")],
  ["a step", step([repairable, readItem]), ["repairs"], person("repairs")],
  ["a step without repairs", step(three), ["r", "y"], person("step")],
  ["a call", call(readItem), ["n", ""], person("deny")],
  [
    "a plugin that is not started",
    call({ ...readItem, task: beforeRunTask, tool: "load_plugin" }),
    ["n"],
    person("deny")
  ],
  ["a call", call(readItem), ["n", "  the index "], person("deny", { instead: "the index" })],
  ["a step", step(three), ["y"], person("step")],
  ["a step", step(three), ["a"], person("remaining")],
  ["a step", step(three), ["p"], person("step", { always: ["read_file:docs/**"] })],
  ["a step", step(three), ["1,3"], person({ chosen: [1, 3] })],
  ["a step", step(three), [" 3 1 3 "], person({ chosen: [3, 1] })],
  ["a step", step(three), ["n", "write b"], person("decline", { instead: "write b" })],
  ["a call in doubt", doubt, ["y"], person("done")],
  ["a call in doubt", doubt, ["n"], person("again")],
  ["a call in doubt", doubt, ["s"], person("stop")]
]

/** The words that the help of a question names. */
const wordsIn = (text: string) => /Whole words work too: ([^.]*)\./.exec(text.replaceAll(/\s+/g, " "))?.[1]

for (const [what, use, lines, expected] of keys) {
  nodeTest(`takes ${JSON.stringify(lines)} for ${what}`, function* () {
    const { screen: _screen, ...answer } = yield* answered(use, ...lines)
    assert.deepStrictEqual<object>(answer, expected)
  })
}

nodeTest("shows what the call does first, and what all of this kind is", function* () {
  const { screen } = yield* answered(call(readItem), "y")
  assert.strictEqual(screen, `${callScreen}Allow? y\n`)
})

nodeTest("shows how the checks of a task ended and which commands it ran, below its changes", function* () {
  const facts = ["passed: `npm test` (exit code 0)", "ran: `npm run format` (exit code 0)"]
  const { screen } = yield* answered(step([writeItem, { ...writeItem, facts }]), "y")
  expect(screen).toContain("+ b\n│   passed: `npm test` (exit code 0)\n│   ran: `npm run format` (exit code 0)\n")
})

nodeTest("offers to cover what repairs a change, and explains that", function* () {
  const { screen } = yield* answered(call(repairable), "?", "r")
  expect(screen).toContain("╰ y yes · n no · v view all · ? explain\n  With Enter: r yes, and repairs\n")
  expect(screen.replaceAll(/\s+/g, " ")).toContain(
    "r Yes, and to repairs when a check fails: later changes of a by this task. task-conductor asks about other files."
  )
})

nodeTest("takes Enter alone for no answer, however often", function* () {
  const lines = Array.from({ length: 20 }, () => "")
  const { answer, screen } = yield* answered(step([writeItem]), ...lines, "y")
  assert.strictEqual(answer, "step")
  assert.strictEqual(screen.split("Allow? ").length, 22)
  const inDoubt = yield* answered(doubt, "", "", "y")
  assert.strictEqual(inDoubt.answer, "done")
})

nodeTest("asks again without limit after what is no answer, and says the keys", function* () {
  const wrong = ["1", "d", "kind please", "constructor", "4", "p src/**", "kin", "x", "jein", "a", "s\r"]
  const { answer, screen } = yield* answered(call(readItem), ...wrong, "y")
  assert.strictEqual(answer, "once")
  assert.strictEqual(screen.split("That is not an answer here.").length, wrong.length + 1)
  assert.include(screen, "That is not an answer here. Press y, k, p, e, n, v or ?.\n")
  assert.include(screen, "That is not an answer here. Nothing can follow k. Press y,")
  assert.match(screen, /That is not an answer here\. Nothing, or one of \S.*, can follow p\. Press y,/)
  assert.include(screen, "Did you mean kind?")
  const numbers = yield* answered(step(three), "2", "1,4", "0", "d", "e", "n", "")
  assert.strictEqual(numbers.answer, "decline")
  assert.strictEqual(numbers.screen.split("That is not an answer here.").length, 6)
})

nodeTest("names only numbers that the question has", function* () {
  const { answer, screen } = yield* answered(step([writeItem, readItem]), "1,3", "?", "1")
  assert.deepStrictEqual(answer, { chosen: [1] })
  assert.include(screen, " · 1 only this\n")
  assert.include(screen, "v, ? or numbers of calls such as 1.\n")
  assert.include(screen, "\n  1   Only the calls with these numbers, of 1, 2.")
  const many = yield* answered(step([writeItem, readItem, writeItem]), "1,3")
  assert.include(many.screen, " · 1,3 only these\n")
  assert.include(many.screen, "╭ Step 2 · wants approval for 3 calls\n│ 1 Edit 1: create a (1 line)\n")
})

nodeTest("offers no key for what is asked each time, and no numbers for one call", function* () {
  const { answer, screen } = yield* answered(call({ ...writeItem, offers: {} }), "a", "p", "e", "y")
  assert.strictEqual(answer, "once")
  assert.include(screen, "╰ y yes · n no · v view all · ? explain\n")
  assert.notInclude(screen, "With Enter")
  assert.include(screen, "That is not an answer here. Press y, n, v or ?.\n")
  assert.notInclude((yield* answered(step([writeItem]), "y")).screen, "only these")
})

nodeTest("explains each key in this question", function* () {
  const { answer, screen } = yield* answered(call(readItem), "?", "?", "y")
  assert.strictEqual(answer, "once")
  const explained = `╰ y   Yes, once.
  k   Yes, and to all of this kind until this run ends: read_file for every file of the project.
`
  assert.strictEqual(screen.split(explained).length, 3)
  assert.include(screen, `; also "p docs/a.md" or "p docs/**". It is saved`)
  assert.include(screen, "always in every project: read_file for /p/docs/a.md.")
  assert.strictEqual(wordsIn(screen), "kind, project, everywhere")
  assert.strictEqual(wordsIn((yield* answered(step([writeItem]), "?", "y")).screen), "all")
})

const long: ApprovalItem = {
  ...writeItem,
  diff: `--- /dev/null\n+++ a\n@@ -0,0 +1,60 @@\n${Array.from({ length: 60 }, (_, at) => `+line ${at + 1}.\n`).join("")}`
}

nodeTest("fits the screen at first, and shows all of it page by page on request, never by Enter", function* () {
  const terminal = yield* makeFakeTerminal(both, { columns: 80, rows: 21 })
  const fiber = yield* asked(terminal, call(long))
  const short = terminal.screen()
  assert.isAtMost(short.split("\n").length, 21)
  assert.include(short, "... 47 more lines: v shows all\n")
  yield* pressed(terminal, "v")
  assert.include(terminal.screen(), "-- 1 of 4, space: next, q: question ")
  yield* pressed(terminal, "\r", "\r", "y", "n")
  assert.notInclude(terminal.screen(), "2 of 5")
  yield* pressed(terminal, " ", " ", " ", " ", " ")
  assert.isTrue(terminal.screen().endsWith("-- 4 of 4, b: back, q: question "))
  for (let line = 1; line <= 60; line++)
    assert.include(terminal.screen(), `│ ${String(line).padStart(2)} + line ${line}.\n`)
  yield* pressed(terminal, "b", "q")
  assert.isTrue(terminal.screen().endsWith(`${short.slice(short.indexOf("\n"))}`))
  assert.isUndefined(fiber.pollUnsafe())
  yield* terminal.press("y")
  assert.deepStrictEqual<object>(yield* joined(fiber), person("once"))
})

nodeTest("does not take lines that were typed before the question, or while it was read, for answers", function* () {
  const terminal = yield* makeFakeTerminal(both)
  yield* terminal.type("y", "y")
  const fiber = yield* asked(terminal, call(readItem))
  yield* pressed(terminal, "v")
  yield* pressed(terminal, "y", "q")
  assert.isUndefined(fiber.pollUnsafe())
  yield* terminal.press("k", "\r")
  assert.deepStrictEqual<object>(yield* joined(fiber), person("session"))
})

nodeTest("says that the end of input is no approval", function* () {
  for (const [use, answer] of [
    [step([writeItem]), "decline"],
    [call(readItem), "deny"],
    [doubt, "stop"]
  ] as const) {
    const terminal = yield* makeFakeTerminal(both)
    const fiber = yield* asked(terminal, use)
    yield* terminal.press("\u0004")
    assert.deepStrictEqual<object>(yield* joined(fiber), person(answer))
    assert.isTrue(terminal.screen().endsWith("\nNot approved: the input ended.\n"))
  }
})

nodeTest(
  "shows the question again when the process continues after it was stopped, and not once it is answered",
  function* () {
    const terminal = yield* makeFakeTerminal(both)
    const fiber = yield* asked(terminal, call(readItem))
    process.emit("SIGCONT")
    yield* TestClock.adjust("1 second")
    assert.strictEqual(terminal.screen(), `${callScreen}Allow? ${callScreen}Allow? `)
    yield* terminal.press("y")
    yield* joined(fiber)
    process.emit("SIGCONT")
    yield* TestClock.adjust("1 second")
    assert.strictEqual(terminal.screen().split("wants to read").length, 3)
  }
)

nodeTest("rings once when a question appears, unless the bell is off", function* () {
  for (const bell of [true, false]) {
    const terminal = yield* makeFakeTerminal(both)
    const fiber = yield* asked(terminal, call(readItem), bell)
    yield* pressed(terminal, "\r")
    yield* terminal.press("y")
    yield* joined(fiber)
    assert.strictEqual(terminal.screen().split("\u0007").length, bell ? 2 : 1)
  }
})

nodeTest("asks on the terminal of the process where stderr is redirected", function* () {
  const terminal = yield* makeFakeTerminal({ stdin: true, stderr: false }, { columns: 200, rows: 100 }, true)
  const fiber = yield* asked(terminal, call(readItem))
  yield* terminal.press("y")
  assert.deepStrictEqual<object>(yield* joined(fiber), person("once"))
  assert.strictEqual(terminal.screen(), `${callScreen}Allow? y\n`)
})

nodeTest("asks nobody when stdin is no terminal, or there is none to show it on, and reads no answer", function* () {
  for (const [stdin, stderr, hasOwn] of [
    [false, true, false],
    [false, false, true],
    [true, false, false]
  ] as const) {
    const terminal = yield* makeFakeTerminal({ stdin, stderr }, { columns: 80, rows: 24 }, hasOwn)
    yield* terminal.type("y")
    const answers = yield* Effect.forEach([call(readItem), step([readItem]), doubt], (use) =>
      Effect.flatMap(asked(terminal, use), Fiber.join)
    )
    const given = ["deny", "decline", "stop"].map((answer) => ({ answer, by: "nobody" }))
    assert.deepStrictEqual<object>([answers, terminal.screen()], [given, ""])
  }
})
