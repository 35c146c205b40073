import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { RunReport } from "../../../src/domain/runs/RunReport.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { type HeldCall, HeldCalls, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../../support/EventLog.ts"
import { makeKeptRun } from "../../support/KeptRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import {
  answerOf,
  closedFile,
  type Random,
  randomFiles,
  randomFrom,
  randomWork,
  type RandomWork
} from "../../support/RandomWork.ts"
import { layerTestRun, testSkills } from "../../support/TestRun.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

/** Approves everything but the section that the work says. */
const approverOf = ({ declines }: RandomWork) =>
  Layer.succeed(Approver)(
    Approver.of({
      step: (title) => Effect.succeed({ answer: title === declines ? "decline" : "step", by: "person" }),
      call: () => Effect.succeed({ answer: "once", by: "person" }),
      inDoubt: () => Effect.succeed({ answer: "again", by: "person" })
    })
  )

const rules = [
  { verdict: "allow", tool: "read_file" },
  { verdict: "deny", tool: "read_file", pattern: closedFile }
] as const

/** Everything that a report says but when and at what cost. */
const said = (report: RunReport, root: string): unknown =>
  JSON.parse(
    JSON.stringify({
      status: report.status,
      message: report.message.split("\n").toSorted(),
      answer: report.answer,
      rounds: report.rounds,
      results: report.results.map(({ calls, result, task }) => ({
        task,
        result,
        calls: calls.map(({ call, result: { metadata: _metadata, ...outcome } }) => ({ call, outcome }))
      })),
      failures: report.failures
    }).replaceAll(root, "PROJECT")
  )

const isAhead = (events: ReadonlyArray<RunEvent>): number => {
  const steps = new Map<number, number>()
  let ahead = 0
  for (const event of events) {
    if (event.type === "step.started") steps.set(event.round, event.step)
    if (event.type === "task.started" && event.step > (steps.get(event.round) ?? -1)) ahead += 1
  }
  return ahead
}

/** Answers the calls in a random order until the run has ended. */
const drive = Effect.fnUntraced(function* (
  run: Fiber.Fiber<unknown, unknown>,
  answer: ReturnType<typeof answerOf>,
  random: Random
) {
  const held = yield* HeldCalls
  const open: Array<HeldCall> = []
  while (run.pollUnsafe() === undefined) {
    yield* untilQuiet
    while ((yield* held.waiting) > 0) open.push(yield* held.next)
    const [call] = open.splice(Math.floor(random() * open.length), 1)
    if (call !== undefined) yield* call.answer(answer(call.prompt))
    // A slot may be kept for a moment.
    else if (run.pollUnsafe() === undefined) yield* TestClock.adjust("20 millis")
  }
})

/** One run of the work; `seed` decides which answer comes first. */
const runOf = Effect.fnUntraced(function* (
  work: RandomWork,
  seed: number,
  settings: { parallel: number; strictSections: boolean }
) {
  const project = yield* makeProject({ ...testSkills, ...randomFiles })
  const world = layerTestRun({
    at: { project, home: yield* makeFolder },
    approver: approverOf(work),
    rules,
    settings
  }).pipe(Layer.provideMerge(ScriptedModel.layerHeld))
  return yield* Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const run = yield* pipeline
      .run({ runId: "run-1", prompt: "Do it.", plan: work.plans[0] ?? "" })
      .pipe(Effect.forkChild)
    yield* drive(run, answerOf(work, project), randomFrom(seed))
    const fs = yield* FileSystem.FileSystem
    const files = yield* Effect.forEach(["f0.md", "f1.md", "f2.md", "f3.md"], (name) =>
      fs.readFileString(`${project}/${name}`)
    )
    return { said: said(yield* Fiber.join(run), project), files, ahead: isAhead((yield* EventLog).events()) }
  }).pipe(Effect.provide(Layer.provideMerge(world, TestClock.layer())))
})

/** Plans with many early starts, second rounds, failures, denials and declined sections. EARLY_START_SEEDS=500 takes others. */
const seeds =
  process.env["EARLY_START_SEEDS"] === undefined
    ? [30, 31, 36, 39, 48]
    : Array.from({ length: Number(process.env["EARLY_START_SEEDS"]) }, (_, index) => index + 1)

const late = { timeout: 3_600_000 }

it.effect(
  "gives the results, the report and the files of strict sections, whatever answer comes first",
  () =>
    Effect.gen(function* () {
      let ahead = 0
      for (const seed of seeds) {
        const work = randomWork(seed)
        const strict = yield* runOf(work, seed, { parallel: 2, strictSections: true })
        expect(strict.ahead).toBe(0)
        const early = yield* runOf(work, seed + 7, { parallel: 1 + (seed % 8), strictSections: false })
        expect({ seed, said: early.said, files: early.files }).toEqual({ seed, said: strict.said, files: strict.files })
        ahead += early.ahead
      }
      expect(ahead).toBeGreaterThan(seeds.length)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
  late
)

liveTest("is the same after an interruption at any call, and in a replay of every session", () =>
  Effect.gen(function* () {
    let ahead = 0
    for (const seed of seeds.slice(0, process.env["EARLY_START_SEEDS"] === undefined ? 3 : undefined)) {
      /* A section that is declined interrupts refinements of later ones, whose last event may not have been told. */
      const work = { ...randomWork(seed), declines: undefined }
      const strict = yield* runOf(work, seed, { parallel: 2, strictSections: true })
      const kept = yield* makeKeptRun({ prompt: "Do it.", plan: work.plans[0] ?? "" })
      yield* putFiles(kept.project, randomFiles)
      const answer = answerOf(work, kept.project)
      const common = { approver: approverOf(work), rules, settings: { parallel: 3 } }
      const stopped = yield* Deferred.make<void>()
      let left = 3 + (seed % 9)
      const first = yield* kept.session({
        ...common,
        until: Deferred.await(stopped),
        answer: (prompt) => {
          left -= 1
          if (left === 0) Deferred.doneUnsafe(stopped, Effect.void)
          return answer(prompt)
        }
      })
      expect({ seed, ...(yield* kept.replay()) }).toMatchObject({ seed, differences: [] })
      const { events, report } = yield* kept.session({ ...common, answer })
      expect({ seed, said: report && said(report, kept.project) }).toEqual({ seed, said: strict.said })
      expect({ seed, ...(yield* kept.replay()) }).toMatchObject({ seed, isWhole: true, differences: [] })
      ahead += isAhead(first.events) + isAhead(events)
    }
    expect(ahead).toBeGreaterThan(0)
  })
)
