import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { mostUselessAnswers } from "../../../src/domain/documents/UselessAnswers.ts"
import { modelCallKey } from "../../../src/domain/runs/ActivityKey.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { HeldCalls, type HeldCall, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../../support/EventLog.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import {
  freeSkill,
  layerTestRun,
  planOf,
  refinementWith,
  resultSaying,
  testSkills,
  type TestRunOptions
} from "../../support/TestRun.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

const clock = { name: "get_current_time", arguments: {} }

/** A skill that only reads. */
const seeSkill = `---
name: see
description: Tells the time. Use it in tests.
allowed-tools: get_current_time
---

## Execution

Say it.
`

const see = "see"

/** A skill that may edit. */
const editSkill = seeSkill.replace("name: see", "name: edit").replace("get_current_time", "edit_file")

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

  /** The calls that reach the model next, as many as these are. */
  const taken = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const seen: Array<string> = []
    for (const _ of keys) {
      const call = yield* held.next
      const started = log.events().filter((event) => event.type === "model.started")[count]
      count += 1
      const key = started?.type === "model.started" ? modelCallKey(started.call) : "unknown"
      seen.push(key)
      open.set(key, call)
    }
    yield* untilQuiet
    expect(yield* held.waiting).toBe(0)
    return seen
  })

  /** Asserts that exactly these calls reach the model next, in this order. */
  const asked = (...keys: ReadonlyArray<string>) => Effect.map(taken(keys), (seen) => expect(seen).toEqual(keys))

  /** Asserts that exactly these calls reach the model next, in any order: a file is read before some of them. */
  const askedTogether = (...keys: ReadonlyArray<string>) =>
    Effect.map(taken(keys), (seen) => expect(seen.toSorted()).toEqual(keys.toSorted()))

  /** A slot may be kept for a moment after a refinement. */
  const answer = Effect.fnUntraced(function* (key: string, text: string) {
    yield* open.get(key)!.answer(text)
    yield* untilQuiet
    yield* TestClock.adjust("20 millis")
  })
  const refine = (task: string) => answer(r(task), refinementWith([clock]))
  const execute = (task: string) => answer(e(task), resultSaying(`${task} is done.`))
  return { run, held, log, asked, askedTogether, answer, refine, execute }
})

const withSlots = (slots: number, more: TestRunOptions = {}) =>
  layerTestRun({
    ...more,
    settings: { parallel: slots, ...more.settings },
    files: { ".task-conductor/skills/see/SKILL.md": seeSkill, ...more.files }
  }).pipe(Layer.provideMerge(ScriptedModel.layerHeld))

it.effect("with one slot lets no turn of a later step stand in the way of an earlier one", () =>
  Effect.gen(function* () {
    const { asked, refine, execute, answer, run } = yield* startRun()
    yield* asked(r("a"), r("b"))
    yield* refine("a")
    // The refinement of D would wait in the server before the executions of the first step.
    yield* asked(e("a"))
    yield* refine("b")
    yield* asked(e("b"))
    yield* execute("a")
    yield* asked()
    yield* execute("b")
    yield* asked(r("d"), r("c"))
    yield* refine("d")
    yield* asked(e("d"))
    yield* refine("c")
    yield* asked(e("c"))
    yield* execute("d")
    yield* asked()
    yield* execute("c")
    yield* asked("round-1/iterate/attempt-1")
    yield* answer("round-1/iterate/attempt-1", planOf([]))
    yield* asked("round-1/conclude/attempt-1")
    yield* answer("round-1/conclude/attempt-1", "It is late.")
    const report = yield* Fiber.join(run)
    expect([report.status, report.answer]).toEqual(["done", "It is late."])
  }).pipe(Effect.provide(withSlots(1)))
)

it.effect("with two slots works ahead when a slot is free", () =>
  Effect.gen(function* () {
    const { asked, refine, execute } = yield* startRun()
    yield* asked(r("a"), r("b"))
    yield* refine("b")
    yield* asked(e("b"))
    yield* execute("b")
    yield* asked(r("d"))
    yield* refine("a")
    yield* asked(e("a"))
    yield* refine("d")
    yield* asked(e("d"))
    yield* execute("a")
    yield* asked(r("c"))
  }).pipe(Effect.provide(withSlots(2)))
)

it.effect(
  "with two slots begins a task when the results that it refers to are there, not when their step has ended",
  () =>
    Effect.gen(function* () {
      const { asked, refine, execute } = yield* startRun()
      yield* asked(r("a"), r("b"))
      yield* refine("a")
      yield* asked(e("a"))
      yield* execute("a")
      yield* asked(r("d"))
      yield* refine("d")
      yield* asked(r("c"))
    }).pipe(Effect.provide(withSlots(2)))
)

it.effect(
  "with four slots lets no task wait for a sibling, and takes the reports of a step when its turn has come",
  () =>
    Effect.gen(function* () {
      const { asked, refine, execute, log } = yield* startRun()
      yield* asked(r("a"), r("b"), r("d"))
      yield* refine("a")
      yield* asked(e("a"))
      yield* execute("a")
      yield* asked(r("c"))
      yield* refine("c")
      yield* asked(e("c"))
      yield* refine("d")
      yield* asked(e("d"))
      yield* execute("c")
      yield* execute("d")
      // C and D have their reports; their step waits for B.
      yield* asked()
      const finished = () => log.events().flatMap((event) => (event.type === "task.finished" ? [event.task] : []))
      expect(finished()).toEqual(["A"])
      yield* refine("b")
      yield* asked(e("b"))
      yield* execute("b")
      yield* asked("round-1/iterate/attempt-1")
      expect(finished()).toEqual(["A", "B", "C", "D"])
    }).pipe(Effect.provide(withSlots(4)))
)

it.effect("goes on with the siblings of a task that fails, and does not run what refers to it", () =>
  Effect.gen(function* () {
    const { asked, refine, execute, answer, log } = yield* startRun()
    yield* asked(r("a"), r("b"), r("d"))
    yield* answer(r("a"), "I would rather not.")
    for (const attempt of [2, 3]) {
      yield* asked(`round-1/turn/a/attempt-${attempt}`)
      yield* answer(`round-1/turn/a/attempt-${attempt}`, "I would rather not.")
    }
    yield* asked()
    yield* refine("b")
    yield* asked(e("b"))
    yield* refine("d")
    yield* asked(e("d"))
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
  }).pipe(Effect.provide(withSlots(4)))
)

it.effect("interrupts every open call and reports what had finished", () =>
  Effect.gen(function* () {
    const { asked, refine, execute, run, held, log } = yield* startRun()
    yield* asked(r("a"), r("b"), r("d"))
    yield* refine("a")
    yield* asked(e("a"))
    yield* execute("a")
    yield* asked(r("c"))
    yield* Fiber.interrupt(run)
    expect(held.interrupted().length).toBe(3)
    const last = log.events().at(-1)
    expect(
      last?.type === "run.finished" && [last.exitCode, last.report.status, last.report.results.map((one) => one.name)]
    ).toEqual([130, "interrupted", ["A"]])
  }).pipe(Effect.provide(withSlots(4)))
)

/** Section 1: A changes something, B only reads. Section 2: C changes something, D may look, E has no tools. */
const writingPlan = planOf([
  [{ name: "A" }, { name: "B", skill: see }],
  [{ name: "C" }, { name: "D", skill: see }, { name: "E", skill: "talk" }]
])

it.effect("begins what rests on the project when no earlier task can change it any more", () =>
  Effect.gen(function* () {
    const { asked, refine, execute } = yield* startRun(writingPlan)
    yield* asked(r("a"), r("b"))
    yield* refine("b")
    yield* asked(e("b"))
    yield* refine("a")
    yield* asked(e("a"))
    // B only reads: nothing waits for it.
    yield* execute("a")
    yield* asked(r("c"), r("d"), r("e"))
  }).pipe(Effect.provide(withSlots(4)))
)

it.effect("begins what rests on the project after a task that failed, too", () =>
  Effect.gen(function* () {
    const { answer, asked } = yield* startRun(writingPlan)
    yield* asked(r("a"), r("b"))
    yield* answer(r("a"), "I would rather not.")
    for (let attempt = 2; attempt <= mostUselessAnswers; attempt += 1) {
      yield* asked(`round-1/turn/a/attempt-${attempt}`)
      yield* answer(`round-1/turn/a/attempt-${attempt}`, "I would rather not.")
    }
    yield* asked(r("c"), r("d"), r("e"))
  }).pipe(Effect.provide(withSlots(4)))
)

/** Section 1: A only reads and needs approval. Section 2: B may run commands. */
const actingPlan = planOf([[{ name: "A", skill: see, gated: true }], [{ name: "B", skill: "free" }]])
const freeFile = { ".task-conductor/skills/free/SKILL.md": freeSkill }

it.effect("begins a task that may act in its turns when the earlier step has ended", () =>
  Effect.gen(function* () {
    const { asked, refine, execute } = yield* startRun(actingPlan)
    yield* asked(r("a"))
    yield* refine("a")
    yield* asked(e("a"))
    yield* execute("a")
    yield* asked(r("b"))
  }).pipe(Effect.provide(withSlots(4, { files: freeFile, approver: scriptedApprover({ steps: ["step"] }).layer })))
)

it.effect("does not begin a task that may act when an earlier step is declined", () =>
  Effect.gen(function* () {
    const { asked, refine, execute, run } = yield* startRun(actingPlan)
    yield* asked(r("a"))
    yield* refine("a")
    yield* asked(e("a"))
    yield* execute("a")
    yield* asked()
    expect((yield* Fiber.join(run)).status).toBe("declined")
  }).pipe(Effect.provide(withSlots(4, { files: freeFile, approver: scriptedApprover({ steps: ["decline"] }).layer })))
)

it.effect("gives a task a turn whose file somebody changed while other tasks of the step were worked on", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const project = yield* makeProject({
      ...testSkills,
      ".task-conductor/skills/edit/SKILL.md": editSkill,
      "a.txt": "one\n"
    })
    const approver = scriptedApprover({ steps: ["decline"] })
    const services = withSlots(4, { at: { project, home: yield* makeFolder }, approver: approver.layer })
    yield* Effect.gen(function* () {
      const { answer, asked, execute, refine, run } = yield* startRun(
        planOf([
          [
            { name: "A", skill: "edit" },
            { name: "B", gated: true }
          ]
        ])
      )
      yield* asked(r("a"), r("b"))
      const edit = { name: "edit_file", arguments: { path: "a.txt", old_text: "one", new_text: "two" } }
      yield* answer(r("a"), refinementWith([edit]))
      yield* asked(e("a"))
      yield* execute("a")
      yield* asked()
      yield* fs.writeFileString(`${project}/a.txt`, "three\n")
      yield* refine("b")
      yield* asked(e("b"))
      yield* execute("b")
      yield* asked("round-1/turn/a/attempt-3")
      const again = { name: "edit_file", arguments: { path: "a.txt", old_text: "three", new_text: "four" } }
      yield* answer("round-1/turn/a/attempt-3", refinementWith([again]))
      yield* asked("round-1/turn/a/attempt-4")
      yield* answer("round-1/turn/a/attempt-4", resultSaying("A is done."))
      yield* Fiber.join(run)
    }).pipe(Effect.provide(services))
    expect(approver.asked[0]?.map(({ call, preview, warnings }) => [call?.uid, preview, warnings])).toEqual([
      ["joined-1-1", expect.stringContaining("-three\n+four"), undefined],
      [undefined, undefined, undefined]
    ])
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
