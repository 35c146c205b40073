/**
 * What the journal costs: runs with and without it take turns in one process. The model answers in a fixed time. Also
 * measures how long it takes to resume a run whose tasks have all finished.
 *
 *   node bench/journal-overhead.ts [--tasks 1000] [--latency 20] [--parallel 8] [--repeat 3]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { layerNewRun, layerResumedRun } from "../src/services/history/JournalLayers.ts"
import { Pipeline } from "../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../src/services/providers/ScriptedModel.ts"
import { makeFolder, makeProject } from "../test/support/Project.ts"
import { layerTestRun, planOf, refinementWith, resultSaying, testSkills } from "../test/support/TestRun.ts"
import { stageName } from "../test/support/stageName.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "1000" },
    latency: { type: "string", default: "20" },
    parallel: { type: "string", default: "8" },
    repeat: { type: "string", default: "3" }
  }
})
const tasks = Number(values.tasks)
const latency = Number(values.latency)
const settings = { parallel: Number(values.parallel), contextWindow: 1_000_000 }
const runId = "20261120-183000-k3x9"
const width = 50

const plan = planOf(
  Array.from({ length: Math.ceil(tasks / width) }, (_, step) =>
    Array.from({ length: Math.min(width, tasks - step * width) }, (_, n) => ({ name: `Task ${step + 1} ${n + 1}` }))
  )
)
const order = { runId, prompt: "Tell the time.", plan }

const answers: Readonly<Record<string, string>> = {
  refinement: refinementWith([{ name: "get_current_time", arguments: {} }]),
  execution: resultSaying("It is told."),
  iteration: planOf([]),
  conclusion: "It is told."
}

const quick = ScriptedModel.layer((prompt) => answers[stageName(prompt)] ?? "")

/** The scripted model with a fixed answer time. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  Effect.map(LanguageModel.LanguageModel, (service) => {
    const say: (...given: ReadonlyArray<never>) => Stream.Stream<unknown, unknown, unknown> = service.streamText
    const streamText = (...given: ReadonlyArray<never>) =>
      Stream.unwrap(Effect.as(Effect.sleep(latency), say(...given)))
    return { ...service, streamText: streamText as typeof service.streamText }
  })
).pipe(Layer.provide(quick))

type TestRun = NonNullable<Parameters<typeof layerTestRun>[0]>

/** In ms. */
interface Cost {
  readonly wall: number
  readonly cpu: number
}

/** One run to its end. */
const timed = (at: TestRun["at"], journal?: TestRun["journal"]) =>
  Effect.gen(function* () {
    const begun = performance.now()
    const cpu = process.cpuUsage()
    const report = yield* Pipeline.use((pipeline) => pipeline.run(order))
    if (report.status !== "done" || report.results.length !== tasks)
      throw new Error(JSON.stringify(report).slice(0, 500))
    const { system, user } = process.cpuUsage(cpu)
    return { wall: performance.now() - begun, cpu: (system + user) / 1000 }
  }).pipe(
    Effect.provide(
      layerTestRun({
        settings,
        ...(at === undefined ? {} : { at }),
        ...(journal === undefined ? {} : { journal })
      }).pipe(Layer.provideMerge(model))
    )
  )

const whole = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.map(effect, () => performance.now() - begun)
  })

/** Removes everything after the last task from the journal. */
const cutBehindTasks = (file: string): void => {
  const text = readFileSync(file, "utf8")
  const last = text.lastIndexOf('"record":{"type":"settled","key":"round-1/task/')
  writeFileSync(file, text.slice(0, text.indexOf("\n", last) + 1))
}

const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

const measure = Effect.gen(function* () {
  const without: Array<Cost> = []
  const kept: Array<Cost> = []
  const finished: Array<number> = []
  const goingOn: Array<number> = []
  let bytes = 0
  /** The first pair of runs warms up the process. It does not count. */
  for (let n = -1; n < Number(values.repeat); n += 1) {
    const at = { project: yield* makeProject(testSkills), home: yield* makeFolder }
    const place = {
      state: `${at.home}/state`,
      locks: `${at.home}/state/locks`,
      runId,
      project: at.project,
      program: "0.0.0",
      secrets: [],
      readOnly: false
    }
    const file = `${place.state}/runs/${runId}/journal.jsonl`
    const begin = timed(at, layerNewRun(place, { project: at.project, order, settings: {} }))
    const bare = Effect.map(timed(at), (time) => void without.push(time))
    if (n % 2 === 0) yield* bare
    kept.push(yield* begin)
    if (n % 2 !== 0) yield* bare
    if (n === -1) {
      without.length = 0
      kept.length = 0
      continue
    }
    bytes = statSync(file).size
    finished.push(yield* whole(timed(at, layerResumedRun(place))))
    cutBehindTasks(file)
    goingOn.push(yield* whole(timed(at, layerResumedRun(place))))
  }
  const row = (what: string, costs: ReadonlyArray<Cost>): string =>
    `${what}${median(costs.map(({ wall }) => wall))
      .toFixed(0)
      .padStart(7)} ms, ${median(costs.map(({ cpu }) => cpu))
      .toFixed(0)
      .padStart(6)} ms of CPU`
  const more = median(kept.map(({ wall }, n) => (wall / (without[n]?.wall ?? 0) - 1) * 100))
  console.log(
    `${tasks} tasks, ${2 * tasks + 2} calls of ${latency} ms, ${settings.parallel} at a time, median of ${values.repeat}`
  )
  console.log(row("without a journal              ", without))
  console.log(row(`with a journal of ${(bytes / 1e6).toFixed(1).padStart(5)} MB     `, kept))
  console.log(`more wall time, pair by pair   ${more.toFixed(1).padStart(7)} %`)
  console.log(`resume of the finished run     ${median(finished).toFixed(0).padStart(7)} ms`)
  console.log(`resume behind the last task    ${median(goingOn).toFixed(0).padStart(7)} ms, two calls among it`)
})

await Effect.runPromise(measure.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
