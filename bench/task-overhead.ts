/**
 * What a task costs besides its model calls and the parsing of their answers: its events, its records, the gate, and
 * one tool call. No model is used. Texts are as long as those of a small task.
 *
 *   node bench/task-overhead.ts [--tasks 1000] [--side 64] [--repeat 5] [--part all|events|activities|tool]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"
import { type ModelCallId, modelCallKey, stageKey } from "../src/domain/runs/ActivityKey.ts"
import { TaskOutcome } from "../src/domain/documents/TaskOutcome.ts"
import { ModelAnswer } from "../src/domain/models/ModelAnswer.ts"
import { plainTask } from "../src/domain/plan/Task.ts"
import { TaskResult } from "../src/domain/plan/TaskResult.ts"
import { makeSafeJson } from "../src/domain/text/Redaction.ts"
import { makeEventHistory } from "../src/library/EventHistory.ts"
import { definePlugin, tool } from "../src/plugin-kit.ts"
import { Activities } from "../src/services/journal/Activities.ts"
import { Journal } from "../src/services/journal/Journal.ts"
import { newProof, SealKey } from "../src/services/journal/JournalSeal.ts"
import { openJournal } from "../src/services/journal/JournalWriter.ts"
import { textHash } from "../src/services/files/Hash.ts"
import { Commands } from "../src/services/commands/Commands.ts"
import { Gate } from "../src/services/permissions/Gate.ts"
import { ProjectWriteLock } from "../src/services/files/ProjectWriteLock.ts"
import { Policies } from "../src/services/permissions/Policies.ts"
import { RunEvents } from "../src/services/runs/RunEvents.ts"
import { UsageMeter } from "../src/services/runs/UsageMeter.ts"
import { makeRunState } from "../src/services/runs/RunState.ts"
import { ToolRegistry } from "../src/services/tools/ToolRegistry.ts"
import { makeTaskCall, ToolRunner } from "../src/services/tools/ToolRunner.ts"
import { layerPublicWeb } from "../src/plugins/web/PublicWeb.ts"
import { Workspace } from "../src/services/files/Workspace.ts"
import { makeFolder, makeProject } from "../test/support/Project.ts"
import { layerAllowAll } from "../test/support/ScriptedApprover.ts"

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "1000" },
    side: { type: "string", default: "64" },
    repeat: { type: "string", default: "5" },
    part: { type: "string", default: "all" },
    nojournal: { type: "boolean", default: false }
  }
})
const tasks = Number(values.tasks)
const has = (part: string): boolean => values.part === "all" || values.part === part

const prompt =
  "Reference information: the project reads forty files, keeps three facts of each and writes one report.\n".repeat(30)
const output = "one line of the file that the tool has read\n".repeat(10)
const answer: ModelAnswer = {
  text: "## Result summary\n\nThe item is done.\n\n## Details\n\nIt was read and everything in it is as it should be.\n",
  thinking: "",
  usage: { promptTokens: 744, answerTokens: 62, durationMs: 168 }
}

const plugin = definePlugin({
  name: "bench",
  tools: Effect.succeed({
    bench_read: tool({
      description: "Reads an item. Use it for every item.",
      parameters: Schema.Struct({}),
      risk: "safe",
      effect: "pure",
      example: {},
      execute: () => Effect.succeed(output)
    })
  })
})

const work = Effect.gen(function* () {
  const activities = yield* Activities
  const { publish } = yield* RunEvents
  const journal = yield* Journal
  const meter = yield* UsageMeter
  const runCall = yield* makeTaskCall
  const state = yield* makeRunState

  const ask = Effect.fnUntraced(function* (name: string, attempt: number) {
    const call: ModelCallId = { stage: "task", round: 1, task: name, attempt }
    const key = modelCallKey(call)
    const input = textHash(prompt + name)
    if (!has("activities")) return
    yield* activities.run({
      key,
      input,
      success: ModelAnswer,
      error: Schema.Never,
      execute: Effect.gen(function* () {
        yield* journal.enqueue({ type: "prompt", key: `${key}#${input.slice(0, 16)}`, system: prompt, user: name })
        yield* publish({ type: "model.started", call, estimatedTokens: 745 })
        return answer
      }),
      emit: ({ usage }) => Effect.andThen(meter.modelCall(usage), publish({ type: "model.finished", call, usage }))
    })
  })

  const one = Effect.fnUntraced(function* (n: number) {
    const task = plainTask(
      `Item ${n}`,
      "bench",
      `Read what there is about Item ${n} and report what matters.`,
      "A short summary."
    )
    const owner = { task: task.name, round: 1, target: "project" as const }
    const where = { round: 1, step: 0, task: task.name }
    const call = { uid: `turn-1/call_${n}`, name: "bench_read", arguments: {} }
    const report = { summary: "The item is done.", document: answer.text }
    const worked = Effect.gen(function* () {
      if (has("events")) yield* publish({ type: "stage.started", stage: "task", round: 1, task: task.name })
      yield* ask(task.name, 1)
      if (has("events")) yield* publish({ type: "task.turn", ...where, turn: 1, calls: [call], changed: [] })
      const priorCalls = has("tool") ? [yield* runCall(owner, call)] : []
      yield* ask(task.name, 2)
      return { task, calls: [], result: report, ...(Arr.isReadonlyArrayNonEmpty(priorCalls) ? { priorCalls } : {}) }
    })
    const outcome: TaskOutcome = has("activities")
      ? yield* activities.runStage({ key: stageKey.worked(1, task.name), success: TaskOutcome }, worked)
      : yield* worked
    if (has("events")) {
      yield* publish({ type: "task.worked", ...where, calls: outcome.calls })
      yield* publish({ type: "task.started", ...where })
    }
    const ended = Effect.succeed(new TaskResult({ task, calls: outcome.priorCalls ?? [], result: report }))
    const result = has("activities")
      ? yield* activities.runStage({ key: stageKey.task(1, task.name), success: TaskResult }, ended)
      : yield* ended
    yield* state.add(result)
    if (has("events")) yield* publish({ type: "task.finished", ...where, result })
  })

  const cpu = process.cpuUsage()
  yield* Effect.forEach(
    Array.from({ length: tasks }, (_, n) => n),
    one,
    {
      concurrency: Number(values.side),
      discard: true
    }
  )
  const { system, user } = process.cpuUsage(cpu)
  return (system + user) / 1000
})

const measure = Effect.gen(function* () {
  const folder = yield* makeFolder
  const history = makeEventHistory((event: unknown) => event)
  const writer = yield* openJournal(`${folder}/journal.jsonl`, undefined, {
    write: makeSafeJson(["a secret of this machine"]),
    seal: { key: new SealKey(Buffer.alloc(32, 1), "bench"), proof: newProof }
  })
  const journal = values.nojournal ? Journal.layerNone : Journal.layer([], 1, writer)
  const events = Layer.effect(
    RunEvents,
    Effect.map(Effect.all([Journal, RunEvents]), ([{ enqueue }, { publish }]) =>
      RunEvents.of({ publish: (event) => Effect.andThen(enqueue({ type: "event", event }), publish(event)) })
    )
  ).pipe(Layer.provide(RunEvents.layerListener((recorded) => Effect.sync(() => history.push(recorded)))))
  const world = Layer.mergeAll(
    Workspace.layer(yield* makeProject({})),
    layerPublicWeb(),
    Policies.layerMemory(),
    layerAllowAll,
    Activities.layer,
    ProjectWriteLock.layerHeld,
    UsageMeter.layer,
    events
  ).pipe(Layer.provideMerge(journal))
  const tools = ToolRunner.layer().pipe(
    Layer.provideMerge(Gate.layer()),
    Layer.provideMerge(ToolRegistry.layer([plugin])),
    Layer.provideMerge(Commands.layer({ environment: {}, home: folder, hidden: [], scratch: folder })),
    Layer.provideMerge(world)
  )
  const cpu = yield* Effect.provide(work, tools)
  yield* writer.flush
  return cpu
}).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  const costs: Array<number> = []
  for (let n = 0; n < Number(values.repeat); n += 1) costs.push(Number(yield* measure))
  const sorted = costs.toSorted((a, b) => a - b)
  const perTask = (ms: number): string => (ms / tasks).toFixed(3)
  console.log(
    `${tasks} tasks, ms of CPU per task: best ${perTask(sorted[0] ?? 0)}, median ${perTask(sorted[sorted.length >> 1] ?? 0)}, all ${costs.map(perTask).join(" ")}`
  )
})
await Effect.runPromise(program.pipe(Effect.provide(NodeServices.layer)) as Effect.Effect<void>)
