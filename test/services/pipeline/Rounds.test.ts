/**
 * The rounds over a scheduler and a reviser that follow a script, with the real journal where sessions matter.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, layer } from "@effect/vitest"
import { outcomeOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { type BriefingParts, requestDocument } from "../../../src/domain/models/Briefing.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { TaskFailure, TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import { builtIns } from "../../../src/app/layers.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { layerNoCommands } from "../../support/NoCommands.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { Gate } from "../../../src/services/permissions/Gate.ts"
import { ProjectWriteLock } from "../../../src/services/files/ProjectWriteLock.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { Skills } from "../../../src/services/skills/Skills.ts"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import { layerPublicWeb } from "../../../src/plugins/web/PublicWeb.ts"
import { Checks } from "../../../src/services/checks/Checks.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { makeRounds } from "../../../src/services/pipeline/Rounds.ts"
import { Reviser } from "../../../src/services/pipeline/Reviser.ts"
import { type DeclinedStep, type RoundOrder, Scheduler } from "../../../src/services/pipeline/Scheduler.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { makeRunState } from "../../../src/services/runs/RunState.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import { EventLog } from "../../support/EventLog.ts"
import { inSession, makeJournal } from "../../support/JournalSession.ts"
import { makeProject } from "../../support/Project.ts"
import { taskFor } from "../../support/sampleTasks.ts"
import { testSkills } from "../../support/TestRun.ts"
import { leavesMachine } from "../../../src/app/providers.ts"

const parts: BriefingParts = { prompt: "Do it.", environment: "", projectDescription: "", openFiles: [] }
const briefing = { ...parts, requestDocument: requestDocument(parts) }

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
  const layerRounds = (project: string) =>
    Layer.mergeAll(Layer.succeed(Scheduler)(scheduler), Layer.succeed(Reviser)(reviser)).pipe(
      Layer.provideMerge(RunSettings.layer({ limits: { ...defaultLimits, rounds: 3 } })),
      Layer.provideMerge(Gate.layer()),
      Layer.provideMerge([Policies.layerMemory(), Approver.layerDenyAll, ProjectWriteLock.layerHeld]),
      Layer.provideMerge([ToolRegistry.layer([builtIns]), Skills.layer({ project, home: project }, leavesMachine)]),
      Layer.provideMerge([Workspace.layer(project), layerPublicWeb({ allowed: [] }), layerNoCommands, layerChecks]),
      Layer.provideMerge(EventLog.layer)
    )
  const run = (...names: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const state = yield* makeRunState
      const { end } = yield* (yield* makeRounds)(briefing, listOf(...names), state)
      const { checks, failures, isStale, results, rounds: count } = yield* state.get
      const commands = checks.map(({ command }) => command)
      const events = (yield* EventLog).events().map(({ type }) => type)
      const found = results.map(({ name }): string => name)
      return { end, results: found, failures: failures.length, rounds: count, events, commands, isStale }
    }).pipe((work) => Effect.flatMap(makeProject(testSkills), (project) => Effect.provide(work, layerRounds(project))))
  return { checked, orders, revisions, run }
}

const direct = Effect.provide(Activities.layerUnsaved)

layer(NodeServices.layer)("Rounds", (it) => {
  it.effect("checks once more what several tasks changed, in whichever rounds, and counts only that", () =>
    Effect.gen(function* () {
      const two = scripted([
        { finishes: ["A"], changes: true, next: ["B"] },
        { finishes: ["B"], changes: true }
      ])
      const { commands, isStale } = yield* two.run("A", "Z")
      expect(two.checked).toEqual([{ paths: ["A", "B"], earlier: ["test A", "test B"] }])
      expect([commands, isStale]).toEqual([["test all"], false])
      const one = scripted([{ finishes: ["A"], changes: true }])
      expect((yield* one.run("A")).commands).toEqual(["test A"])
      expect(one.checked).toEqual([])
    }).pipe(direct)
  )

  it.effect("leaves the checks stale after a no, since nobody is asked about another", () =>
    Effect.gen(function* () {
      const declined = { by: "person", step: "Task section 1" } as const
      const { checked, run } = scripted([{ finishes: ["A", "B"], changes: true, declined }])
      const { commands, isStale } = yield* run("A", "B", "C")
      expect([checked, commands, isStale]).toEqual([[], ["test A", "test B"], true])
    }).pipe(direct)
  )

  it.effect("runs the tasks that are left until there are none, with the results of earlier rounds", () =>
    Effect.gen(function* () {
      const { orders, revisions, run } = scripted([{ finishes: ["A"], next: ["B"] }, { finishes: ["B"] }])
      expect(yield* direct(run("A", "C"))).toMatchObject({
        end: { _tag: "GoalsMet" },
        results: ["A", "B"],
        failures: 0,
        rounds: 2,
        events: ["round.started", "round.finished", "round.started", "round.finished"]
      })
      expect(orders).toEqual([
        { round: 1, tasks: ["A", "C"], before: 0 },
        { round: 2, tasks: ["B"], before: 1 }
      ])
      expect(revisions).toEqual([
        { outstanding: ["C"], finished: 1 },
        { outstanding: [], finished: 2 }
      ])
    })
  )

  it.effect("plans nothing more after a single task that ended clean", () =>
    Effect.gen(function* () {
      const { revisions, run } = scripted([{ finishes: ["A"], next: ["B"] }])
      expect(yield* direct(run("A"))).toMatchObject({ end: { _tag: "GoalsMet" }, results: ["A"], rounds: 1 })
      expect(revisions).toEqual([])
    })
  )

  it.effect("runs no round for a list without tasks", () =>
    Effect.gen(function* () {
      const { orders, run } = scripted([])
      expect(yield* direct(run())).toMatchObject({ end: { _tag: "GoalsMet" }, rounds: 0, events: [] })
      expect(orders).toEqual([])
    })
  )

  it.effect("names what failed in the last round when nothing is left to do", () =>
    Effect.gen(function* () {
      const failure = failureOf("A")
      const { run } = scripted([{ fails: [failureOf("B")], next: ["A"] }, { fails: [failure] }])
      expect(yield* direct(run("A", "B"))).toMatchObject({
        end: { _tag: "Unresolved", failures: [failure] },
        failures: 2
      })
    })
  )

  it.effect("ends when a task fails the same way twice, without asking for more tasks", () =>
    Effect.gen(function* () {
      const { revisions, run } = scripted([{ fails: [failureOf("A")], next: ["A"] }, { fails: [failureOf("A")] }])
      expect(yield* direct(run("A"))).toMatchObject({
        end: { _tag: "FailedTwice", failure: failureOf("A") },
        rounds: 2
      })
      expect(revisions).toHaveLength(1)
    })
  )

  it.effect("ends with the step that was declined, and keeps what was finished before it", () =>
    Effect.gen(function* () {
      const declined = { by: "person", step: "Task section 2" } as const
      const { revisions, run } = scripted([{ finishes: ["A"], declined }])
      expect(yield* direct(run("A", "B"))).toMatchObject({ end: { _tag: "Declined", ...declined }, results: ["A"] })
      expect(revisions).toEqual([])
    })
  )

  it.effect("goes on when a task fails another way", () =>
    Effect.gen(function* () {
      const { run } = scripted([
        { fails: [failureOf("A")], next: ["A"] },
        { fails: [failureOf("A", "the tool is gone.")], next: ["B"] },
        { finishes: ["B"] }
      ])
      expect(yield* direct(run("A"))).toMatchObject({ end: { _tag: "GoalsMet" }, results: ["B"], rounds: 3 })
    })
  )

  it.effect("ends at the limit of rounds while tasks are left", () =>
    Effect.gen(function* () {
      const names = ["B", "C", "D"]
      const { orders, run } = scripted(names.map((name, at) => ({ finishes: [["A", "B", "C"][at]!], next: [name] })))
      expect(yield* direct(run("A", "Z"))).toMatchObject({
        end: { _tag: "MaxRounds" },
        results: ["A", "B", "C"],
        rounds: 3
      })
      expect(orders).toHaveLength(3)
    })
  )

  it.effect("reads a finished round from the journal in a later session", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const { orders, revisions, run } = scripted([{ finishes: ["A"], next: ["B"] }, { finishes: ["B"] }])
      const session = Effect.map(Effect.orDie(run("A", "Z")), ({ results }) => results).pipe(
        Effect.scoped,
        Effect.provide(NodeServices.layer)
      )
      expect(
        yield* inSession(file, Effect.andThen(session, Effect.fail("The program was killed."))).pipe(Effect.flip)
      ).toBe("The program was killed.")
      expect(yield* inSession(file, session)).toEqual(["A", "B"])
      expect(orders).toHaveLength(2)
      expect(revisions).toHaveLength(2)
    })
  )

  it.effect("runs a round again in a later session when a call of it was denied", () =>
    Effect.gen(function* () {
      const file = yield* makeJournal
      const { orders, run } = scripted([{ finishes: ["A"], denied: true }])
      const session = Effect.map(Effect.orDie(run("A")), ({ results }) => results).pipe(
        Effect.scoped,
        Effect.provide(NodeServices.layer)
      )
      yield* Effect.flip(inSession(file, Effect.andThen(session, Effect.fail("The program was killed."))))
      expect(yield* inSession(file, session)).toEqual(["A"])
      expect(orders.map(({ round }) => round)).toEqual([1, 1])
    })
  )
})
