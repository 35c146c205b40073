import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { mostUselessAnswers } from "../../../src/domain/documents/UselessAnswers.ts"
import { modelCallKey } from "../../../src/domain/runs/ActivityKey.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { HeldCalls, type HeldCall, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../../support/EventLog.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import {
  freeSkill,
  layerTestRun,
  planOf,
  refinementWith,
  resultSaying,
  type TestRunOptions
} from "../../support/TestRun.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const clock = { name: "get_current_time", arguments: {} }

const skillOf = (name: string, tool: string) =>
  `---\nname: ${name}\ndescription: Is for tests. Use it in tests.\nallowed-tools: ${tool}\n---\n\n## Execution\n\nSay it.\n`

const see = "see"

/** Section 1: A and B. Section 2: C, which uses what A found, and D. All of them only read. */
const readingPlan = planOf([
  [
    { name: "A", skill: see },
    { name: "B", skill: see }
  ],
  [
    { name: "C", skill: see, references: "[A](#a-results)" },
    { name: "D", skill: see }
  ]
])

/** The first turn of a task, which looks, and the second, which reports. */
const r = (task: string) => `round-1/turn/${task}/attempt-1`
const e = (task: string) => `round-1/turn/${task}/attempt-2`

/** Drives a run whose model answers only when it is told to. */
const startRun = Effect.fnUntraced(function* (plan = readingPlan) {
  const pipeline = yield* Pipeline
  const held = yield* HeldCalls
  const log = yield* EventLog
  const open = new Map<string, HeldCall>()
  const run = yield* pipeline.run({ runId: "run-1", prompt: "Tell the time.", plan }).pipe(Effect.forkChild)
  let count = 0

  /** Asserts that exactly these calls reach the model next, in this order. */
  const asked = Effect.fnUntraced(function* (...keys: ReadonlyArray<string>) {
    const seen: Array<string> = []
    for (const _ of keys) {
      const call = yield* held.next
      const started = log.events().filter((event) => event.type === "model.started")[count++]
      const key = started?.type === "model.started" ? modelCallKey(started.call) : "unknown"
      seen.push(key)
      open.set(key, call)
    }
    yield* untilQuiet
    expect([seen, yield* held.waiting]).toEqual([keys, 0])
  })

  /** A slot may be kept for a moment after a refinement. */
  const answer = Effect.fnUntraced(function* (key: string, text: string) {
    yield* open.get(key)!.answer(text)
    yield* untilQuiet
    yield* TestClock.adjust("20 millis")
  })
  const refine = (task: string) => answer(r(task), refinementWith([clock]))
  const execute = (task: string) => answer(e(task), resultSaying(`${task} is done.`))
  /** A task looks, and its second turn is asked for next. */
  const look = (task: string) => Effect.andThen(refine(task), asked(e(task)))
  return { run, held, log, asked, answer, look, refine, execute }
})

const withSlots = (slots: number, more: TestRunOptions = {}) =>
  layerTestRun({
    ...more,
    settings: { parallel: slots, ...more.settings },
    files: { ".task-conductor/skills/see/SKILL.md": skillOf(see, "get_current_time"), ...more.files }
  }).pipe(Layer.provideMerge(ScriptedModel.layerHeld))

/** A test of a run whose tasks have these slots. */
const slotTest = (
  name: string,
  slots: ReturnType<typeof withSlots>,
  body: () => Generator<Effect.Effect<unknown, unknown, Layer.Success<typeof slots>>, unknown, never>
) => nodeTest(name, () => Effect.gen(body).pipe(Effect.provide(slots)))

slotTest("with one slot lets no turn of a later step stand in the way of an earlier one", withSlots(1), function* () {
  const { asked, execute, answer, run, look } = yield* startRun()
  yield* asked(r("a"), r("b"))
  // The refinement of D would wait in the server before the executions of the first step.
  yield* look("a")
  yield* look("b")
  yield* execute("a")
  yield* asked()
  yield* execute("b")
  yield* asked(r("d"), r("c"))
  yield* look("d")
  yield* look("c")
  yield* execute("d")
  yield* asked()
  yield* execute("c")
  yield* asked("round-1/iterate/attempt-1")
  yield* answer("round-1/iterate/attempt-1", planOf([]))
  yield* asked("round-1/conclude/attempt-1")
  yield* answer("round-1/conclude/attempt-1", "It is late.")
  const report = yield* Fiber.join(run)
  expect([report.status, report.answer]).toEqual(["done", "It is late."])
})

slotTest("lets no task wait for a sibling, and takes reports in the order of steps", withSlots(4), function* () {
  const { asked, execute, log, look } = yield* startRun()
  yield* asked(r("a"), r("b"), r("d"))
  yield* look("a")
  yield* execute("a")
  yield* asked(r("c"))
  yield* look("c")
  yield* look("d")
  yield* execute("c")
  yield* execute("d")
  // C and D have their reports; their step waits for B.
  yield* asked()
  const finished = () => log.events().flatMap((event) => (event.type === "task.finished" ? [event.task] : []))
  expect(finished()).toEqual(["A"])
  yield* look("b")
  yield* execute("b")
  yield* asked("round-1/iterate/attempt-1")
  expect(finished()).toEqual(["A", "B", "C", "D"])
})

slotTest("goes on with the siblings of a task that fails, but not with what refers to it", withSlots(4), function* () {
  const { asked, execute, answer, log, look } = yield* startRun()
  yield* asked(r("a"), r("b"), r("d"))
  yield* answer(r("a"), "I would rather not.")
  for (const attempt of [2, 3]) {
    yield* asked(`round-1/turn/a/attempt-${attempt}`)
    yield* answer(`round-1/turn/a/attempt-${attempt}`, "I would rather not.")
  }
  yield* asked()
  yield* look("b")
  yield* look("d")
  yield* execute("b")
  yield* execute("d")
  yield* asked("round-1/iterate/attempt-1")
  const failures = log.events().flatMap((event) => (event.type === "task.failed" ? [event.failure] : []))
  expect(failures.map((failure) => [failure.skipped, failure.message])).toEqual([
    [
      false,
      expect.stringMatching(
        /^Task refinement: "A": no valid tool calls after 3 tries\. The model gave the same answer every time\./
      )
    ],
    [true, `Task refinement: "C": not run, because "A" has no result.`]
  ])
})

slotTest("interrupts every open call and reports what had finished", withSlots(4), function* () {
  const { asked, execute, run, held, log, look } = yield* startRun()
  yield* asked(r("a"), r("b"), r("d"))
  yield* look("a")
  yield* execute("a")
  yield* asked(r("c"))
  yield* Fiber.interrupt(run)
  expect(held.interrupted().length).toBe(3)
  const last = log.events().at(-1)
  expect(
    last?.type === "run.finished" && [last.exitCode, last.report.status, last.report.results.map((one) => one.name)]
  ).toEqual([130, "interrupted", ["A"]])
})

/** Section 1: A changes something, B only reads. Section 2: C changes something, D may look, E has no tools. */
const writingPlan = planOf([
  [{ name: "A" }, { name: "B", skill: see }],
  [{ name: "C" }, { name: "D", skill: see }, { name: "E", skill: "talk" }]
])

slotTest("begins what rests on the project when no earlier task can change it any more", withSlots(4), function* () {
  const { asked, execute, look } = yield* startRun(writingPlan)
  yield* asked(r("a"), r("b"))
  yield* look("b")
  yield* look("a")
  // B only reads: nothing waits for it.
  yield* execute("a")
  yield* asked(r("c"), r("d"), r("e"))
})

slotTest("begins what rests on the project after a task that failed, too", withSlots(4), function* () {
  const { answer, asked } = yield* startRun(writingPlan)
  yield* asked(r("a"), r("b"))
  yield* answer(r("a"), "I would rather not.")
  for (let attempt = 2; attempt <= mostUselessAnswers; attempt += 1) {
    yield* asked(`round-1/turn/a/attempt-${attempt}`)
    yield* answer(`round-1/turn/a/attempt-${attempt}`, "I would rather not.")
  }
  yield* asked(r("c"), r("d"), r("e"))
})

/** Section 1: A only reads and needs approval. Section 2: B may run commands. */
const actingPlan = planOf([[{ name: "A", skill: see, gated: true }], [{ name: "B", skill: "free" }]])
const freeFile = { ".task-conductor/skills/free/SKILL.md": freeSkill }

for (const [answer, begun, status] of [
  ["step", [r("b")], undefined],
  ["decline", [], "declined"]
] as const) {
  slotTest(
    `begins ${begun.length} tasks that may act after a step to which the answer was ${answer}`,
    withSlots(4, { files: freeFile, approver: scriptedApprover({ steps: [answer] }).layer }),
    function* () {
      const { asked, execute, run, look } = yield* startRun(actingPlan)
      yield* asked(r("a"))
      yield* look("a")
      yield* execute("a")
      yield* asked(...begun)
      if (status !== undefined) expect((yield* Fiber.join(run)).status).toBe(status)
    }
  )
}
