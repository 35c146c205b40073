import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { plainTask, type Task } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { type Admit, makeAdmission } from "../../../src/services/pipeline/Admission.ts"
import { startRefinements } from "../../../src/services/pipeline/RefinementStarts.ts"
import { type Cell, makeCells, makeWaits } from "../../../src/services/pipeline/RoundCells.ts"

const task = (name: string, skill = "reads", references: ReadonlyArray<Reference> = []): Task =>
  plainTask(name, skill, "x", "y", { references })

const resultOf = (name: string): Reference => ({ kind: "task_result", title: name, href: `#${name}`, target: name })

const mayWrite = ({ skill }: Task): boolean => skill === "writes"

/** Starts the tasks of these steps in two places; a refinement lasts until it is told to end. */
const starting = Effect.fnUntraced(function* (...steps: ReadonlyArray<readonly [Task, ...ReadonlyArray<Task>]>) {
  const list = new TaskList({ goals: "", steps: steps.map((tasks) => new Step({ title: "Step", tasks: [...tasks] })) })
  const effects = { mayWrite, isBarrier: mayWrite }
  const cells = yield* makeCells(list, effects, { byWaiting: false, slots: 2 })
  const open = [...cells.values()]
  const waits = yield* makeWaits(steps.length, open, effects)
  const fibers: Array<string> = []
  const ends = new Map<string, Deferred.Deferred<void>>()
  for (const { task: one } of open) ends.set(one.name, yield* Deferred.make<void>())
  const prepare = (cell: Cell, admit: Admit) =>
    Effect.suspend(() => {
      fibers.push(cell.task.name)
      return admit(cell.turn, Deferred.await(ends.get(cell.task.name)!))
    })
  yield* startRefinements(open, { admission: makeAdmission(2), cells, waits, restsOnProject: () => true, prepare })
  return {
    fibers,
    end: (name: string) => Effect.andThen(Deferred.succeed(ends.get(name)!, undefined), Effect.yieldNow)
  }
})

it.effect("gives a task that waits for nothing else its fiber with its place, the most urgent first", () =>
  Effect.gen(function* () {
    const { end, fibers } = yield* starting([task("a"), task("b"), task("c")], [task("d"), task("e")])
    expect(fibers).toEqual(["a", "b"])
    yield* end("b")
    expect(fibers).toEqual(["a", "b", "c"])
    yield* end("a")
    yield* end("c")
    expect(fibers).toEqual(["a", "b", "c", "d", "e"])
  }).pipe(Effect.scoped)
)

it.effect("lets a task wait by itself for the result of another, or for those that may change the project", () =>
  Effect.gen(function* () {
    const { fibers } = yield* starting(
      [task("a"), task("b"), task("c", "writes")],
      [task("after a", "reads", [resultOf("a")]), task("after c")]
    )
    expect(fibers).toEqual(["a", "b", "after a", "after c"])
  }).pipe(Effect.scoped)
)
