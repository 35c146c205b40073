/** Runs of the library that are kept: they are resumed, shown and told apart. */
import { describe, expect } from "@effect/vitest"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { JournalError, replay, resume, run, RunNotFound, runs, showRun, showTask } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { stageOf, taskOf, answerTo, makeWorld, failureOf } from "../support/LibraryWorld.ts"
import { liveTest } from "../support/liveTest.ts"

describe("a run of the library", () => {
  liveTest("that is aborted can be resumed", function* () {
    const { order, stateFolder } = yield* makeWorld
    const controller = new AbortController()
    const answered: Array<string> = []
    const first = run(
      order({
        signal: controller.signal,
        model: ScriptedModel.layer(({ system, user }) => {
          if (stageOf(system, user) === "execution") answered.push(taskOf(user))
          if (answered.length === 2) controller.abort()
          return answerTo(system, user)
        })
      })
    )
    expect((yield* Effect.promise(() => first.report)).status).toBe("interrupted")
    const [kept] = yield* Effect.promise(() => runs({ stateFolder }))
    expect([kept?.runId, kept?.standing]).toEqual([first.runId, "interrupted"])

    const nameless = yield* Effect.promise(() => failureOf(resume(first.runId, { stateFolder }).report))
    expect((nameless as Error).message).toBe(
      `The run ${first.runId}: a script started it with a model object of its own. Give a model: "model", or in the script.`
    )
    const { allow = [], model = "" } = order()
    const second = resume(first.runId, { stateFolder, allow, model })
    const report = yield* Effect.promise(() => second.report)
    const goneOnWith = yield* Effect.promise(async () => {
      const names: Array<string> = []
      for await (const event of second.events) if (event.type === "task.kept") names.push(event.task)
      return names
    })
    expect([report.status, report.answer, goneOnWith]).toEqual(["done", "The answer.", ["Look 1"]])
  })

  liveTest("leaves nothing behind when nothing is to be kept, and reads beside another", function* () {
    const { order, stateFolder } = yield* makeWorld
    const first = run(order({ keep: false, model: ScriptedModel.layerHeld }))
    yield* Effect.promise(async () => {
      for await (const event of first.events) if (event.type === "model.started") break
    })
    expect((yield* Effect.promise(() => run(order({ keep: false })).report)).status).toBe("done")
    yield* Effect.promise(first.interrupt)
    expect([existsSync(stateFolder), yield* Effect.promise(() => runs({ stateFolder }))]).toEqual([false, []])
  })

  liveTest("is told apart by its whole id, and says what is wrong with its journal", function* () {
    const { order, stateFolder } = yield* makeWorld
    const { report, runId } = run(order())
    yield* Effect.promise(() => report)
    const where = { stateFolder }
    const unknown = yield* Effect.promise(() =>
      Promise.all([
        failureOf(resume("last", where).report),
        failureOf(showRun(runId.slice(0, 12), where)),
        failureOf(replay("nothing", where))
      ])
    )
    expect(unknown.every((error) => error instanceof RunNotFound)).toBe(true)
    expect((unknown[0] as Error).message).toBe(`There is no run "last". Nearest: ${runId}. See "task-conductor runs".`)

    const file = join(stateFolder, "runs", runId, "journal.jsonl")
    writeFileSync(file, readFileSync(file, "utf8").replace("Look 1", "Look 7"))
    const damaged = yield* Effect.promise(() =>
      Promise.all([failureOf(resume(runId, where).report), failureOf(showTask(runId, "Look 1", where))])
    )
    for (const error of damaged) {
      expect(error).toBeInstanceOf(JournalError)
      expect((error as JournalError).reason).toMatchObject({ _tag: "Damaged", what: "sum" })
    }
  })
})
