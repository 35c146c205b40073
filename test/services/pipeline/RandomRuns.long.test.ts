import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { RunReport } from "../../../src/domain/runs/RunReport.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { type HeldCall, HeldCalls, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { makeKeptRun } from "../../support/KeptRun.ts"
import { type Random, randomFrom } from "../../mutations/Damage.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import { answerOf, closedFile, randomFiles, randomWork, type RandomWork } from "../../support/RandomWork.ts"
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
const runOf = Effect.fnUntraced(function* (work: RandomWork, seed: number, slots: number) {
  const project = yield* makeProject({ ...testSkills, ...randomFiles })
  const services = layerTestRun({
    at: { project, home: yield* makeFolder },
    approver: approverOf(work),
    rules,
    settings: { parallel: slots }
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
    return { said: said(yield* Fiber.join(run), project), files }
  }).pipe(Effect.provide(Layer.provideMerge(services, TestClock.layer())))
})

/** Plans with second rounds, failures, denials and declined sections. RANDOM_RUN_SEEDS=500 takes others. */
const seeds =
  process.env["RANDOM_RUN_SEEDS"] === undefined
    ? [30, 31, 36]
    : Array.from({ length: Number(process.env["RANDOM_RUN_SEEDS"]) }, (_, index) => index + 1)

const late = { timeout: 3_600_000 }

it.effect(
  "gives the same results, report and files with any number of slots, whatever answer comes first",
  () =>
    Effect.gen(function* () {
      for (const seed of seeds) {
        const work = randomWork(seed)
        const one = yield* runOf(work, seed, 2)
        const other = yield* runOf(work, seed + 7, 1 + (seed % 8))
        expect({ seed, said: other.said, files: other.files }).toEqual({ seed, said: one.said, files: one.files })
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
  late
)

liveTest("is the same after an interruption at any call, and in a replay of every session", () =>
  Effect.gen(function* () {
    for (const seed of seeds.slice(0, process.env["RANDOM_RUN_SEEDS"] === undefined ? 2 : undefined)) {
      /* A section that is declined interrupts refinements of later ones, whose last event may not have been told. */
      const work = { ...randomWork(seed), declines: undefined }
      const one = yield* runOf(work, seed, 2)
      const kept = yield* makeKeptRun({ prompt: "Do it.", plan: work.plans[0] ?? "" })
      yield* putFiles(kept.project, randomFiles)
      const answer = answerOf(work, kept.project)
      const common = { approver: approverOf(work), rules, settings: { parallel: 3 } }
      const stopped = yield* Deferred.make<void>()
      let left = 3 + (seed % 9)
      yield* kept.session({
        ...common,
        until: Deferred.await(stopped),
        answer: (prompt) => {
          left -= 1
          if (left === 0) Deferred.doneUnsafe(stopped, Effect.void)
          return answer(prompt)
        }
      })
      expect({ seed, ...(yield* kept.replay()) }).toMatchObject({ seed, differences: [] })
      const { report } = yield* kept.session({ ...common, answer })
      expect({ seed, said: report && said(report, kept.project) }).toEqual({ seed, said: one.said })
      expect({ seed, ...(yield* kept.replay()) }).toMatchObject({ seed, isWhole: true, differences: [] })
    }
  })
)
