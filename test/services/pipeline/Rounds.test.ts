/**
 * The rounds over a scheduler and a reviser that follow a script, with the real journal where sessions matter.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect } from "@effect/vitest"
import { outcomeOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import { Checks } from "../../../src/services/checks/Checks.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { makeRounds } from "../../../src/services/pipeline/Rounds.ts"
import { Reviser } from "../../../src/services/pipeline/Reviser.ts"
import { type DeclinedStep, type RoundOrder, Scheduler } from "../../../src/services/pipeline/Scheduler.ts"
import { makeRunState } from "../../../src/services/runs/RunState.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { inSession, makeJournal } from "../../support/JournalSession.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { taskFor } from "../../support/sampleTasks.ts"

const listOf = (...names: ReadonlyArray<string>) => {
  const [first, ...others] = names.map((name) => taskFor("any", "It.", { name }))
  const steps = first === undefined ? [] : [new Step({ title: "Task section 1", tasks: [first, ...others] })]
  return new TaskList({ goals: "All is found.", steps })
}

/** The result of a task; `changes` names the file that it changed and checked. */
const resultOf = (name: string, calls: TaskResult["calls"] = [], changes?: string) =>
  new TaskResult({
    task: taskFor("any", "It.", { name }),
    calls,
    result: { summary: name, document: `## Result summary\n\n${name}` },
    ...(changes === undefined
      ? {}
      : { files: [{ path: changes, kind: "changed", insertions: 1, deletions: 0 }], checks: [checkOf(changes)] })
  })

const checkOf = (name: string) =>
  outcomeOf({ argv: ["test", name], kind: "tests" }, { exitCode: 0, output: "", seconds: 1 })

const failureOf = (task: string, reason = "the file is gone.") =>
  new TaskFailure({ task, phase: "execution", reason, skipped: false })

/** What one round brings: names of finished tasks and failures, and the names of the tasks after it. */
interface ScriptedRound {
  readonly finishes?: ReadonlyArray<string>
  readonly fails?: ReadonlyArray<TaskFailure>
  readonly declined?: DeclinedStep
  readonly next?: ReadonlyArray<string>
  /** Each finished task changes a file with its name. */
  readonly changes?: boolean
  /** A call of the finished tasks was denied: the round is not final. */
  readonly denied?: boolean
}

const deniedCall: TaskResult["calls"][number] = {
  call: { uid: "call-1", name: "write_file", arguments: {} },
  result: {
    success: false,
    data: null,
    error_message: "It was denied.",
    error_type: "permission_denied",
    metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 1 }
  }
}

const namesOf = (list: TaskList) => list.steps.flatMap(({ tasks }) => tasks.map(({ name }): string => name))

/** Runs scripted rounds; `orders` are the names that the scheduler got, and those that were finished before. */
const scripted = (rounds: ReadonlyArray<ScriptedRound>) => {
  const orders: Array<{ readonly round: number; readonly tasks: ReadonlyArray<string>; readonly before: number }> = []
  const checked: Array<{ readonly paths: ReadonlyArray<string>; readonly earlier: ReadonlyArray<string> }> = []
  const revisions: Array<{ readonly outstanding: ReadonlyArray<string>; readonly finished: number }> = []
  const scheduler = Scheduler.of({
    runRound: ({ list, round, state }: RoundOrder) =>
      Effect.gen(function* () {
        orders.push({ round, tasks: namesOf(list), before: (yield* state.get).results.length })
        const { changes, declined, denied, fails = [], finishes = [] } = rounds[round - 1] ?? {}
        const results = finishes.map((name) =>
          resultOf(name, denied === true ? [deniedCall] : [], changes === true ? name : undefined)
        )
        yield* Effect.forEach([...results, ...fails], state.add, { discard: true })
        return declined
      })
  })
  const reviser = Reviser.of({
    revise: ({ finished, outstanding, round }) =>
      Effect.sync(() => {
        revisions.push({ outstanding: namesOf(outstanding), finished: finished.length })
        return listOf(...(rounds[round - 1]?.next ?? []))
      })
  })
  const layerChecks = Layer.succeed(Checks)(
    Checks.of({
      commandsFor: () => Effect.succeed([]),
      tryOut: Effect.void,
      run: (_scope, paths, earlier = []) =>
        Effect.sync(() => {
          checked.push({ paths, earlier: earlier.map(({ command }) => command) })
          return [checkOf("all")]
        })
    })
  )
  const run = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
    const { log, within } = yield* openStages({
      checks: layerChecks,
      settings: { limits: { ...defaultLimits, rounds: 3 } }
    })
    const activities = yield* Activities
    const state = yield* makeRunState
    const { end } = yield* Effect.flatMap(makeRounds, (rounds) => rounds(briefing, listOf(...names), state)).pipe(
      Effect.provideService(Scheduler, scheduler),
      Effect.provideService(Reviser, reviser),
      Effect.provideService(Activities, activities),
      within
    )
    const { checks, failures, isStale, results, rounds: count } = yield* state.get
    return {
      end,
      results: results.map(({ name }): string => name),
      failures: failures.length,
      rounds: count,
      events: log.events().map(({ type }) => type),
      commands: checks.map(({ command }) => command),
      isStale
    }
  })
  return { checked, orders, revisions, run }
}

const direct = Effect.provide(Activities.layerUnsaved)
const declined: DeclinedStep = { by: "person", step: "Task section 2" }

/** What each round brings, the first tasks, what comes of it, and how often the list was revised. */
const rows: ReadonlyArray<
  readonly [
    name: string,
    rounds: ReadonlyArray<ScriptedRound>,
    tasks: ReadonlyArray<string>,
    ended: object,
    revisions: number
  ]
> = [
  [
    "plan nothing more after a single task that ended clean",
    [{ finishes: ["A"], next: ["B"] }],
    ["A"],
    { end: { _tag: "GoalsMet" }, results: ["A"], rounds: 1 },
    0
  ],
  ["are none for a list without tasks", [], [], { end: { _tag: "GoalsMet" }, rounds: 0, events: [] }, 0],
  [
    "name what failed in the last one when nothing is left to do",
    [{ fails: [failureOf("B")], next: ["A"] }, { fails: [failureOf("A")] }],
    ["A", "B"],
    { end: { _tag: "Unresolved", failures: [failureOf("A")] }, failures: 2 },
    2
  ],
  [
    "end when a task fails the same way twice, without asking for more tasks",
    [{ fails: [failureOf("A")], next: ["A"] }, { fails: [failureOf("A")] }],
    ["A"],
    { end: { _tag: "FailedTwice", failure: failureOf("A") }, rounds: 2 },
    1
  ],
  [
    "end with the step that was declined, and keep what was finished before it",
    [{ finishes: ["A"], declined }],
    ["A", "B"],
    { end: { _tag: "Declined", ...declined }, results: ["A"] },
    0
  ],
  [
    "go on when a task fails another way",
    [
      { fails: [failureOf("A")], next: ["A"] },
      { fails: [failureOf("A", "the tool is gone.")], next: ["B"] },
      { finishes: ["B"] }
    ],
    ["A"],
    { end: { _tag: "GoalsMet" }, results: ["B"], rounds: 3 },
    3
  ],
  [
    "end at their limit while tasks are left",
    ["B", "C", "D"].map((name, at) => ({ finishes: [["A", "B", "C"][at]!], next: [name] })),
    ["A", "Z"],
    { end: { _tag: "MaxRounds" }, results: ["A", "B", "C"], rounds: 3 },
    3
  ]
]

describe("rounds", () => {
  for (const [name, rounds, tasks, ended, count] of rows) {
    nodeTest(name, function* () {
      const { revisions, run } = scripted(rounds)
      expect(yield* direct(run(...tasks))).toMatchObject(ended)
      expect(revisions).toHaveLength(count)
    })
  }

  nodeTest("run the tasks that are left until there are none, with the results of earlier ones", function* () {
    const { orders, revisions, run } = scripted([{ finishes: ["A"], next: ["B"] }, { finishes: ["B"] }])
    const events = ["round.started", "round.finished", "round.started", "round.finished"]
    const ended = { end: { _tag: "GoalsMet" }, results: ["A", "B"], failures: 0, rounds: 2, events }
    expect(yield* direct(run("A", "C"))).toMatchObject(ended)
    expect(orders).toEqual([
      { round: 1, tasks: ["A", "C"], before: 0 },
      { round: 2, tasks: ["B"], before: 1 }
    ])
    expect(revisions).toEqual([
      { outstanding: ["C"], finished: 1 },
      { outstanding: [], finished: 2 }
    ])
  })

  nodeTest("check once more what several tasks changed, in whichever of them, and count only that", function* () {
    const two = scripted([
      { finishes: ["A"], changes: true, next: ["B"] },
      { finishes: ["B"], changes: true }
    ])
    expect(yield* direct(two.run("A", "Z"))).toMatchObject({ commands: ["test all"], isStale: false })
    expect(two.checked).toEqual([{ paths: ["A", "B"], earlier: ["test A", "test B"] }])
    const one = scripted([{ finishes: ["A"], changes: true }])
    expect((yield* direct(one.run("A"))).commands).toEqual(["test A"])
    expect(one.checked).toEqual([])
  })

  nodeTest("leave the checks stale after a no, since nobody is asked about another", function* () {
    const { checked, run } = scripted([{ finishes: ["A", "B"], changes: true, declined }])
    const ended = yield* direct(run("A", "B", "C"))
    expect([checked, ended.commands, ended.isStale]).toEqual([[], ["test A", "test B"], true])
  })

  nodeTest("are read from the journal in a later session, and run again when a call of one was denied", function* () {
    for (const [rounds, tasks, results, orders] of [
      [
        [{ finishes: ["A"], next: ["B"] }, { finishes: ["B"] }],
        ["A", "Z"],
        ["A", "B"],
        [1, 2]
      ],
      [[{ finishes: ["A"], denied: true }], ["A"], ["A"], [1, 1]]
    ] as const) {
      const file = yield* makeJournal
      const script = scripted(rounds)
      const session = Effect.map(Effect.orDie(script.run(...tasks)), (ended) => ended.results).pipe(
        Effect.scoped,
        Effect.provide(NodeServices.layer)
      )
      const killed = Effect.andThen(session, Effect.fail("The program was killed."))
      expect(yield* Effect.flip(inSession(file, killed))).toBe("The program was killed.")
      expect(yield* inSession(file, session)).toEqual(results)
      expect(script.orders.map(({ round }) => round)).toEqual(orders)
    }
  })
})
