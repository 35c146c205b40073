/**
 * Runs of the library after a no with words: they continue with what the script says, are replayed the same, and are not
 * asked again when they are resumed. Also how evidence reaches a script.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { type Approve, replay, resume, run, type RunOptions, showRun } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { makeSandbox } from "../support/binary.ts"
import { inProcess } from "../support/inProcess.ts"
import { stageOf, taskOf } from "../support/ScriptedRun.ts"
import { freeSkill, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { liveTest } from "../support/liveTest.ts"

const plan = planOf([[{ name: "Look 1", skill: "free" }], [{ name: "Write a", skill: "free" }]])

/** Looks, writes `a.txt`, and after words about it `b.txt`. `iterations` takes the prompts of the iteration. */
const model = (iterations: Array<string> = []) =>
  ScriptedModel.layer((prompt) => {
    const task = taskOf(prompt.user)
    const path = task === "Write a" ? "a.txt" : "b.txt"
    switch (stageOf(prompt)) {
      case "plan":
        return plan
      case "refine":
        return refinementWith([
          task === "Look 1"
            ? { name: "get_current_time", arguments: {} }
            : { name: "write_file", arguments: { path, content: "new\n" } }
        ])
      case "execute":
        return resultSaying("See [notes](notes.md#L1) and [gone](gone.md).")
      case "iterate":
        iterations.push(prompt.user)
        return planOf(
          prompt.user.includes("## What the user wants instead") ? [[{ name: "Write b", skill: "free" }]] : []
        )
      default:
        return "It is as [Look 1](#look-1-results) says."
    }
  })

const makeWorld = Effect.gen(function* () {
  const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
  sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
  sandbox.write("project/notes.md", "A note.\n")
  const stateFolder = join(sandbox.root, "home/.local/state/task-conductor")
  const order = (more: Partial<RunOptions>): RunOptions => ({
    prompt: "Do it.",
    project: join(sandbox.root, "project"),
    stateFolder,
    model: model(),
    allow: ["get_current_time"],
    ...more
  })
  return {
    order,
    stateFolder,
    cli: (...words: ReadonlyArray<string>) => Effect.promise(() => inProcess(sandbox).run(words))
  }
})

/** Says no with words to the first step and approves the others. */
const redirecting =
  (asked: Array<string>): Approve =>
  ({ title }) => {
    asked.push(title)
    return asked.length === 1 ? { instead: "Write b.txt." } : true
  }

describe("a no with words", () => {
  liveTest("is followed by a round that does what they say, and replays the same", function* () {
    const { order, stateFolder } = yield* makeWorld
    const asked: Array<string> = []
    const iterations: Array<string> = []
    const handle = run(order({ approve: redirecting(asked), model: model(iterations) }))
    const report = yield* Effect.promise(() => handle.report)
    expect([report.status, report.results.map(({ name }) => name)]).toEqual(["done", ["Look 1", "Write b"]])
    expect(iterations[0]).toContain('- The user declined "Task section 2" and said: Write b.txt.')
    expect(asked).toEqual(["Task section 2", "Task section 1"])
    expect(yield* Effect.promise(() => replay(handle.runId, { stateFolder }))).toMatchObject({ differences: [] })

    const again = resume(handle.runId, { stateFolder, approve: redirecting(asked), model: model() })
    expect((yield* Effect.promise(() => again.report)).results.map(({ name }) => name)).toEqual(["Look 1", "Write b"])
    expect(asked.length).toBe(2)
  })
})

describe("evidence", () => {
  liveTest("is counted in the report and shown, and result links are followable", function* () {
    const { cli, order, stateFolder } = yield* makeWorld
    const handle = run(order({ approve: () => false }))
    const report = yield* Effect.promise(() => handle.report)
    expect(report.status).toBe("declined")
    expect(report.answer).toBe("It is as Look 1 ([notes](notes.md#L1)) says.")
    expect(report.results[0]?.result.summary).toBe("See [notes](notes.md#L1) and [gone](gone.md) (not found).")
    expect(report.evidence).toEqual({ checked: 3, wrong: 1 })
    expect((yield* Effect.promise(() => showRun(handle.runId, { stateFolder }))).evidence).toEqual(report.evidence)
    expect((yield* cli("show", handle.runId)).stdout).toContain("Links checked: 3. Wrong, and marked in the text: 1.")
    expect(yield* Effect.promise(() => replay(handle.runId, { stateFolder }))).toMatchObject({ differences: [] })
  })
})
