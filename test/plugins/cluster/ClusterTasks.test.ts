import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { requestDocument } from "../../../src/domain/models/Briefing.ts"
import { TaskName } from "../../../src/domain/plan/TaskName.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import { makeValueRedaction, redacted } from "../../../src/domain/text/Redaction.ts"
import { notMeasured, ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { PermissionDenied } from "../../../src/services/permissions/GateQuestion.ts"
import { type AnswerSnapshot, RunAnswers } from "../../../src/services/permissions/RunAnswers.ts"
import { ReadTexts } from "../../../src/services/permissions/ReadTexts.ts"
import { TaskAgent } from "../../../src/services/pipeline/TaskAgent.ts"
import {
  claimedTask,
  layerClusterTasks,
  nobodyFits,
  type TaskContext
} from "../../../src/plugins/cluster/ClusterTasks.ts"
import { ClusterWork, CurrentLease } from "../../../src/plugins/cluster/ClusterWork.ts"
import { runWorkLoop, type WorkEnd } from "../../../src/plugins/cluster/WorkLoop.ts"
import { liveTest } from "../../support/liveTest.ts"
import { claimOne, held } from "../../support/LeasedRun.ts"
import { makeMemoryWork } from "../../support/MemoryWork.ts"
import { ChangeApplier } from "../../../src/services/pipeline/ChangeApplier.ts"
import { makeSecrets } from "../../../src/plugins/cluster/WithoutSecrets.ts"
import { ToolRunner } from "../../../src/services/tools/ToolRunner.ts"
import { secrets } from "../../support/SecretForms.ts"
import { taskFor } from "../../support/sampleTasks.ts"

const parts = { prompt: "Do it.", environment: "", projectDescription: "", openFiles: [] }
const briefing = { ...parts, requestDocument: requestDocument(parts) }
const task = taskFor("any", "It.")
const order = { briefing, round: 1, step: 0, finished: [] }

const redact = makeValueRedaction([])

const change = { uid: "call-1", name: "write_file", arguments: { path: "a.txt", content: "new" } }

const answers = (...approved: ReadonlyArray<string>): AnswerSnapshot => ({
  grants: { approved, excluded: [], session: {}, plans: {}, denied: {} },
  denials: []
})

/** What one worker knows of the answers of the run; notes those that it learns. */
const makeAnswers = (known: AnswerSnapshot) => {
  const reported: Array<AnswerSnapshot> = []
  const runAnswers = {
    snapshot: Effect.succeed(known),
    restore: (carried: AnswerSnapshot) => Effect.sync(() => void reported.push(carried))
  } as unknown as RunAnswers["Service"]

  return { runAnswers, reported }
}

const readTexts = ReadTexts.of({ noteRead: () => Effect.void, noteSaid: () => Effect.void, carriedBy: () => undefined })

/** A tool runner that wants to stop for a reason, and notes what it is stopped for. */
const makeToolRunner = (stopReason?: PermissionDenied) => {
  const stops: Array<PermissionDenied> = []
  const toolRunner = ToolRunner.of({
    run: () => Effect.die("no call"),
    wasBegun: () => Effect.succeed(false),
    stopped: Effect.never,
    stopReason: Effect.succeed(stopReason),
    stop: (reason) => Effect.sync(() => void stops.push(reason))
  })
  return { toolRunner, stops }
}

/** Carries out nothing, and says this. */
const applierSaying = (summary: string) =>
  ChangeApplier.of({
    apply: ({ outcome }) =>
      Effect.succeed(new TaskResult({ task: outcome.task, calls: [], result: { summary, document: summary } }))
  })

/** A run on one worker, whose tasks are worked on by another, as far as that one can get ready. */
const share = <A, E>(bench: TaskContext | string, body: Effect.Effect<A, E, TaskAgent | ChangeApplier>) =>
  Effect.gen(function* () {
    const { reported, runAnswers } = makeAnswers(answers("approved by the run"))
    const { stops, toolRunner } = makeToolRunner()
    const memory = makeMemoryWork()
    const work = Layer.succeed(ClusterWork)(memory.work)
    memory.submit("run-1", "0")
    const lease = yield* held(yield* claimOne(memory.work, { name: "leader", program: "0" }, "run"))

    const secretsThere = makeSecrets(redact)
    const there = runWorkLoop({
      worker: { name: "gpu-1-7", program: "0" },
      capacity: Effect.succeed({ run: 0, refine: 9, task: 9 }),
      report: () => Effect.void,
      carryOut: Effect.fnUntraced(function* (one): Effect.fn.Return<WorkEnd> {
        const task = yield* claimedTask("run-1", one, secretsThere)
        if (typeof bench === "string") return { _tag: "Finished", result: yield* task.failedWith(bench) }
        const end = yield* Effect.result(task.carryOut(bench))
        if (end._tag === "Success") return { _tag: "Finished", result: end.success.result }
        const { why } = end.failure
        return one.declined["gpu-1-7"] === undefined
          ? { _tag: "GivenBack", why }
          : { _tag: "Finished", result: yield* task.failedWith(nobodyFits(one.declined)) }
      })
    })
    const here = layerClusterTasks("run-1", makeSecrets(redact)).pipe(
      Layer.provide(
        Layer.mergeAll(
          Layer.succeed(RunAnswers)(runAnswers),
          Layer.succeed(ToolRunner)(toolRunner),
          Layer.succeed(ChangeApplier)(applierSaying("Done here.")),
          work
        )
      )
    )
    const leading = Effect.provideService(Effect.provide(Effect.result(body), here), CurrentLease, lease)
    const result = yield* Effect.raceFirst(leading, Effect.orDie(Effect.provide(there, work)))
    return { result, reported, stops }
  })

const doubt = new PermissionDenied({ tool: "run_command", targets: ["make"], by: "person" })

const agentWith = (work: TaskAgent["Service"]["work"]) =>
  TaskAgent.of({ work, firstAnswer: () => Effect.die("no single stage") })

/** Another worker, with an answer of its own. */
const makeRunContext = (more: Partial<TaskContext> = {}) => {
  const { reported, runAnswers } = makeAnswers(answers("approved by the run", "approved there"))
  const bench: TaskContext = {
    answers: runAnswers,
    readTexts,
    registry: { prepare: () => Effect.die("no call") },
    taskAgent: agentWith(({ task }) => Effect.succeed({ task, calls: [change] })),
    applier: applierSaying("Done there."),
    toolRunner: makeToolRunner().toolRunner,
    lacks: () => undefined,
    failed: Effect.never,
    ...more
  }
  return { bench, reported }
}

const resultSaying = (data: string) =>
  ({ success: true, data, error_message: null, error_type: "none", metadata: notMeasured }) as const

const resultOf = (name: string) =>
  new TaskResult({
    task: taskFor("any", "It.", { name: TaskName.make(name) }),
    calls: [],
    result: { summary: name, document: name }
  })

describe("tasks that workers share", () => {
  liveTest("are refined and carried out elsewhere, and answers travel with them and back", function* () {
    const { bench, reported: reportedThere } = makeRunContext()
    const { result, stops, reported } = yield* share(
      bench,
      Effect.gen(function* () {
        const outcome = yield* (yield* TaskAgent).work({ ...order, task })
        return yield* (yield* ChangeApplier).apply({ ...order, outcome })
      })
    )
    assert.strictEqual(result._tag === "Success" && result.success.result.summary, "Done there.")
    const sent = answers("approved by the run")
    const back = answers("approved by the run", "approved there")
    assert.deepStrictEqual([reportedThere, reported, stops], [[sent, sent], [back, back], []])
  })

  liveTest("are carried out by the worker of the run when nothing is left to make", function* () {
    const run = Effect.flatMap(ChangeApplier, (applier) => applier.apply({ ...order, outcome: { task, calls: [] } }))
    const { result } = yield* share(makeRunContext().bench, run)
    assert.strictEqual(result._tag === "Success" && result.success.result.summary, "Done here.")
  })

  liveTest("are the same work when the results of others came in another order", function* () {
    const worked: Array<string> = []
    const { bench } = makeRunContext({
      taskAgent: agentWith(({ task }) => {
        worked.push(task.name)
        return Effect.succeed({ task, calls: [] })
      })
    })
    const finished = [resultOf("Look 1"), resultOf("Look 2")]
    const refine = (results: typeof finished) =>
      Effect.flatMap(TaskAgent, (taskAgent) => taskAgent.work({ ...order, finished: results, task }))
    yield* share(bench, Effect.andThen(refine(finished), refine(finished.toReversed())))
    assert.deepStrictEqual(worked, [task.name])
  })

  for (const [where, isKnown] of [
    ["the worker that made it", true],
    ["another worker", false]
  ] as const) {
    liveTest(`are carried out with their secrets by ${where}, and leave none in what is saved`, function* () {
      const call = { uid: "call-1", name: "send", arguments: { token: secrets["GitHub"] ?? "" } }
      const whole = { task, calls: [call] }
      const sent = { task, calls: [{ ...call, arguments: { token: redacted } }] }
      let refined = 0
      const carriedOut: Array<unknown> = []
      const results = [{ call, result: resultSaying(secrets["npm"] ?? "") }]
      const { bench } = makeRunContext({
        registry: { prepare: () => Effect.fail(new ToolFailure({ type: "not_found", message: "" })) },
        taskAgent: agentWith(() => Effect.sync(() => ((refined += 1), whole))),
        applier: ChangeApplier.of({
          apply: ({ outcome }) => {
            carriedOut.push(outcome.calls)
            const result = { summary: "Done.", document: "Done." }
            return Effect.succeed(new TaskResult({ task, calls: results, result }))
          }
        })
      })
      const work = Effect.gen(function* () {
        const made = isKnown ? yield* (yield* TaskAgent).work({ ...order, task }) : sent
        const { calls } = yield* (yield* ChangeApplier).apply({ ...order, outcome: made })
        return { made: made.calls, calls: JSON.stringify(calls) }
      })
      const { result } = yield* share(bench, work)
      if (result._tag === "Failure") throw new Error(result.failure.message)
      const { calls, made } = result.success
      assert.deepStrictEqual([refined, carriedOut], [1, [whole.calls]])
      /* The run itself is on another worker, and sees what is saved. */
      assert.deepStrictEqual(made, sent.calls)
      assert.isFalse([secrets["GitHub"], secrets["npm"]].some((secret = "") => calls.includes(secret)))
    })
  }

  liveTest("stop the run when the worker of one is told to", function* () {
    const { bench } = makeRunContext({ toolRunner: makeToolRunner(doubt).toolRunner })
    const apply = ChangeApplier.use((applier) => applier.apply({ ...order, outcome: { task, calls: [change] } }))
    assert.deepStrictEqual((yield* share(bench, apply)).stops, [doubt])
  })

  liveTest("fail as they do on one machine, when a worker cannot get ready, and when none can do them", function* () {
    const failure = new TaskFailure({ task: task.name, phase: "refinement", reason: "no idea.", skipped: false })
    const lacks = 'This worker has no skill "send".'
    const refine = Effect.flatMap(TaskAgent, (taskAgent) => taskAgent.work({ ...order, task }))
    const rows: ReadonlyArray<[bench: Parameters<typeof share>[0], reason: string]> = [
      [makeRunContext({ taskAgent: agentWith(() => Effect.fail(failure)) }).bench, failure.reason],
      ["This worker has no folder /p.", "This worker has no folder /p."],
      [
        makeRunContext({ lacks: () => lacks }).bench,
        `${lacks} No other worker is there. Give it what it lacks, or start a worker that has it. Then start the run again.`
      ]
    ]
    for (const [bench, reason] of rows) {
      const { result } = yield* share(bench, refine)
      const failed = result._tag === "Failure" && result.failure._tag === "TaskFailure" ? result.failure : undefined
      assert.deepInclude(failed, { task: task.name, phase: "refinement", reason })
    }
  })

  it("are declined in one sentence for all workers", () => {
    const why = "This worker has no tool."
    assert.strictEqual(
      nobodyFits({ "gpu-2": why, "gpu-1": why }),
      `No worker can do this. gpu-2: ${why} gpu-1: ${why} Give one of them what it lacks, or start a worker that has it. Then start the run again.`
    )
  })
})
