import { assert, it } from "@effect/vitest"
import { liveView, type ViewSize } from "../../../src/domain/runs/LiveView.ts"
import type { LiveState } from "../../../src/domain/runs/LiveState.ts"
import { marksAt } from "../../../src/domain/runs/LiveText.ts"
import { lineText, lineWidth } from "../../../src/domain/text/TextWidth.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import {
  answered,
  asked,
  callOf,
  done,
  liveAfter,
  notDone,
  planned,
  planWith,
  progressOf,
  sent,
  started,
  type Timed,
  zero
} from "../../support/LiveEvents.ts"
import { gave } from "../../support/sampleTasks.ts"

const sizes: ReadonlyArray<ViewSize> = [40, 80, 200].flatMap((columns) =>
  [4, 10, 24, 60].map((rows) => ({ columns, rows }))
)

const drawn = (state: LiveState, second: number, size: ViewSize = { columns: 80, rows: 24 }, isUnicode = true) =>
  liveView(state, { size, now: zero + second * 1000, marks: marksAt(0, isUnicode), stop: "stops" })

const text = (...given: Parameters<typeof drawn>) => drawn(...given).map(lineText)

const finishedFirst = (count: number): ReadonlyArray<Timed> =>
  Array.from({ length: count }, (_, index) => [30, done(`Search ${index + 1}`)] as const)

/** A run of so many tasks in the middle: a third is finished, one has failed, three are at work. */
const inTheMiddle = (tasks: number, perStep: number, name?: (number: number) => string): LiveState => {
  const list = planWith(tasks, perStep, name)
  const names = list.tasks.map((task) => task.name)
  const third = Math.floor(tasks / 3)
  return liveAfter(
    [0, started],
    [1, planned(list)],
    ...names.slice(0, third).map((task, index) => [30, index === 0 ? notDone(task) : done(task)] as const),
    ...names.slice(third, third + 3).flatMap((task): ReadonlyArray<Timed> => {
      const call = callOf("task", task, 2)
      return [
        [40, { type: "stage.started", stage: "task", round: 1, task }],
        [40, sent(call)],
        [44, progressOf(call, "writing", { seconds: 4, tokens: 120, tokensPerSecond: 30.4 })]
      ]
    }),
    ...names.slice(third + 3).map((task) => [45, progressOf(callOf("task", task), "queued")] as const)
  )
}

/** A call of a task has begun. */
const toolStarted = (task: string, name: string, given: Arguments, ...targets: ReadonlyArray<string>): Timed[1] => ({
  type: "tool.started",
  id: { round: 1, task, uid: "a" },
  call: { uid: "a", name, arguments: given },
  risk: "safe",
  targets
})

const longName = (n: number) => `Look at part ${n} of the program and its limits`

it("is nothing before a run and behind its end", () => {
  assert.deepStrictEqual(text(liveAfter(), 0), [])
  assert.deepStrictEqual(text(liveAfter([0, started]), 1), [])
})

it("says what a stage waits for, for how long, and how to stop", () => {
  const call = callOf("plan")
  const begun: ReadonlyArray<Timed> = [
    [0, started],
    [1, { type: "stage.started", stage: "plan", round: 0 }],
    [1, sent(call)]
  ]
  assert.strictEqual(
    text(liveAfter(...begun), 2).join("|"),
    "⠋ planning · waiting for the model · 1 s|2 s · Ctrl-C stops"
  )
  const phases = [
    ["loading", "loading qwen3:8b"],
    ["loading_or_reading", "loading the model or reading"],
    ["reading", "reading about 900 tokens"],
    ["turn", "waiting for its turn at the model server"],
    ["thinking", "thinking, 60 tokens, 30/s"]
  ] as const
  for (const [phase, words] of phases) {
    const more = phase === "thinking" ? { tokens: 60, tokensPerSecond: 29.7 } : {}
    const state = liveAfter(...begun, [15, progressOf(call, phase, { seconds: 12, ...more })])
    assert.deepStrictEqual(text(state, 17)[0], `⠋ planning · ${words} · 14 s`)
  }
})

it("is a tree of steps and tasks, with finished work on one line", () => {
  const list = planWith(6, 2)
  const call = callOf("task", "Search 3", 2)
  const state = liveAfter(
    [0, started],
    [1, planned(list)],
    [5, done("Search 1")],
    [6, done("Search 2")],
    [7, { type: "stage.started", stage: "task", round: 1, task: "Search 3" }],
    [8, sent(call)],
    [9, progressOf(call, "writing", { seconds: 0, tokens: 10 })],
    [9, toolStarted("Search 4", "search_files", { pattern: "time", path: "src" }, "/p/src")]
  )
  assert.deepStrictEqual(text(state, 12), [
    "✔ Step 1 · 2 tasks",
    "▸ Step 2 · 2 tasks",
    "  ⠋ Search 3 · working on a task, turn 2 · writing, 10 tokens · 3 s",
    '  ⠋ Search 4 · search_files "time" in src · 3 s',
    "· Step 3 · 2 tasks",
    "2/6 · 12 s · Ctrl-C stops"
  ])
  assert.deepStrictEqual(text(state, 12, { columns: 40, rows: 24 }).slice(2, 4), [
    "  ⠋ Search 3 · writing, 10 tokens · 3 s",
    '  ⠋ Search 4 · search_files "t... · 3 s'
  ])
})

it("keeps what was settled when the plan changes, and counts both", () => {
  const state = liveAfter(
    [0, started],
    [1, planned(planWith(3, 3))],
    [2, done("Search 1")],
    [2, notDone("Search 2")],
    [3, { type: "plan.revised", round: 1, attempts: 1, taskList: planWith(2, 2, (n) => `More ${n}`) }],
    [4, sent(callOf("task", "More 1"))]
  )
  assert.deepStrictEqual(text(state, 4), [
    "✖ Step 1 · 2 tasks · 1 without a result",
    "▸ Step 1 · 2 tasks",
    "  ⠋ More 1 · working on a task · waiting for the model · 0 s",
    "  · More 2",
    "1/4 · 1 failed · 4 s · Ctrl-C stops"
  ])
})

it("shows the tasks of a step that was declined as skipped, not as ready", () => {
  const state = liveAfter(
    [0, started],
    [1, planned(planWith(2, 2))],
    [2, { type: "task.worked", round: 1, step: 0, task: "Search 1", calls: [] }],
    [3, { type: "step.finished", round: 1, step: 0, title: "Task section 1" }],
    [3, { type: "stage.started", stage: "iterate", round: 1 }]
  )
  assert.deepStrictEqual(text(state, 4), [
    "✖ Step 1 · 2 tasks · 2 without a result",
    "⠋ checking what is left",
    "0/2 · 2 skipped · 4 s · Ctrl-C stops"
  ])
})

it.each([
  ["a word for what is done on a narrow screen", (n: number) => `Search ${n}`, 34, "  ⠋ Search 1 · waiting · 2 s"],
  ["a long name without it", longName, 40, "  ⠋ Look at part 1 of the prog... · 2 s"],
  ["both where there is room", longName, 80, `  ⠋ ${longName(1)} · waiting for the model · 2 s`]
])("shows %s", (_, name, columns, line) => {
  const list = planWith(1, 1, name)
  const state = liveAfter([0, started], [1, planned(list)], [2, sent(callOf("task", name(1)))])
  assert.strictEqual(text(state, 4, { columns, rows: 24 })[1], line)
})

for (const [tasks = 0, perStep = 0] of [
  [3, 3],
  [30, 6],
  [300, 25],
  [300, 1],
  [300, 300]
]) {
  it(`fits every size with ${tasks} tasks in steps of ${perStep}, and shows what is at work`, () => {
    for (const name of [undefined, (n: number) => `検索 ${n} の結果をまとめて👩‍👩‍👧書く`]) {
      const state = inTheMiddle(tasks, perStep, name)
      for (const size of sizes) {
        const lines = drawn(state, 50, size)
        assert.isAtMost(lines.length, Math.max(1, size.rows - 2))
        assert.isAtMost(lines.length, 20)
        for (const line of lines) assert.isBelow(lineWidth(line), size.columns, lineText(line))
        assert.match(lineText(lines.at(-1) ?? []), new RegExp(`^${Math.max(0, Math.floor(tasks / 3) - 1)}/${tasks} `))
        const atWork = lines.filter((line) => lineText(line).startsWith("  ⠋"))
        assert.lengthOf(atWork, size.rows < 10 || tasks === 3 ? atWork.length : 3, lines.map(lineText).join("\n"))
      }
    }
  })
}

it("collapses what is finished and what is to come of a long plan", () => {
  const lines = text(inTheMiddle(300, 10), 50, { columns: 100, rows: 24 })
  assert.strictEqual(lines.length, 12)
  assert.match(lines[0] ?? "", /^✔ 9 steps$|^✔ \d+ steps · \d+ tasks/)
  assert.include(lines, "▸ Step 11 · 10 tasks")
  assert.match(lines.at(-2) ?? "", /^· \d+ more steps/)
  assert.strictEqual(lines.at(-1), "99/300 · 1 failed · 197 waiting for a free slot · 50 s · Ctrl-C stops")
})

it("needs no signs beyond ASCII", () => {
  for (const line of text(inTheMiddle(30, 6), 50, { columns: 80, rows: 24 }, false)) {
    assert.match(line.replaceAll("·", ""), /^[\u0020-\u007e]*$/)
  }
})

it("does not count the time in which a question waited, and shows nothing meanwhile", () => {
  const before: ReadonlyArray<Timed> = [
    [0, started],
    [0, sent(callOf("plan"))],
    [10, asked("a")],
    [12, asked("b")],
    [40, answered("a")]
  ]
  assert.deepStrictEqual(text(liveAfter(...before), 41), [])
  const state = liveAfter(...before, [70, answered("b")])
  assert.strictEqual(state.questions.userMs, 60_000)
  assert.strictEqual(text(state, 75).at(-1), "15 s · Ctrl-C stops")
})

it("holds the end of an answer that is being written, between its lines", () => {
  const call = callOf("conclude")
  const state = liveAfter(
    [0, started],
    [1, planned(planWith(30, 3))],
    ...finishedFirst(30),
    [31, { type: "stage.started", stage: "conclude", round: 1 }],
    [31, sent(call)],
    [32, { type: "answer.piece", call, text: `# Found\n\n${"word ".repeat(200)}` }],
    [33, { type: "answer.piece", call, text: "and \u001b[31mthe end" }]
  )
  for (const size of sizes) {
    const lines = text(state, 40, size)
    for (const line of lines) assert.isBelow(line.length, size.columns)
    const whole = lines.map((line) => line.trim()).join(" ")
    if (size.rows >= 10) assert.include(whole, "word and \\u{1b}[31mthe end")
  }
  const rejected: Timed = [34, { type: "answer.rejected", call, answer: "x", issues: [] }]
  assert.isFalse(text(liveAfter([0, started], [1, sent(call)], rejected), 40).some((line) => line.includes("word")))
})

it("a call that says how far it is shows it beside its name, alone where both have no room, and not once it has ended", () => {
  const id = { round: 1, task: "Search 1", uid: "a" }
  const far: ReadonlyArray<Timed> = [
    [0, started],
    [1, planned(planWith(1, 1))],
    [2, { type: "task.started", round: 1, step: 1, task: "Search 1" }],
    [3, toolStarted("Search 1", "query", {})],
    [4, { type: "tool.progress", id, name: "query", done: 3, total: 10, text: "reading pages" }]
  ]
  const { result } = gave("query", {}, null)
  assert.match(text(liveAfter(...far), 5).join("\n"), /query · 3\/10 reading pages/)
  const narrow = text(liveAfter(...far), 5, { columns: 46, rows: 24 }).find((line) => line.includes("3/10"))
  assert.notInclude(narrow ?? "query", "query")
  const ended = liveAfter(...far, [5, { type: "tool.finished", id, name: "query", result }])
  assert.notInclude(text(ended, 6).join("\n"), "reading pages")
})
