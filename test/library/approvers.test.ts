import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Approve, replay, resume, run } from "../../src/index.ts"
import { Approver, definePlugin } from "../../src/plugin-kit.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { scopedSandbox } from "../support/binary.ts"
import { stageOf } from "../support/ScriptedRun.ts"
import { freeSkill, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { liveTest } from "../support/liveTest.ts"

const model = ScriptedModel.layer((prompt) => {
  switch (stageOf(prompt)) {
    case "plan":
      return planOf([[{ name: "Write a", skill: "free" }]])
    case "refine":
      return refinementWith([{ name: "write_file", arguments: { path: "a.txt", content: "new\n" } }])
    case "execute":
      return resultSaying("Written.")
    case "iterate":
      return planOf(prompt.user.includes("and said: Write b.") ? [[{ name: "Write b", skill: "free" }]] : [])
    default:
      return "It is written."
  }
})

const makeWorld = Effect.gen(function* () {
  const { root } = yield* scopedSandbox({ "project/.task-conductor/skills/free/SKILL.md": freeSkill })
  const stateFolder = join(root, "state")
  return { stateFolder, order: { stateFolder, model, prompt: "Do it.", project: join(root, "project") } }
})

/** A plugin that says yes or no, and notes what it is asked. */
const answering = (answer: "step" | "decline", asked: Array<string>) =>
  definePlugin({
    name: "team",
    approver: Layer.succeed(Approver)({
      step: (title) =>
        Effect.sync(() => {
          asked.push(title)
          return { answer, by: "person" }
        }),
      call: () => Effect.succeed({ answer: "deny", by: "person" }),
      inDoubt: () => Effect.succeed({ answer: "stop", by: "person" }),
      canAsk: Effect.succeed(true)
    })
  })

const neverAsked = (): never => {
  throw new Error("The script is not asked.")
}

describe("an approver of a plugin", () => {
  liveTest.each([
    { answer: "step", status: "done" },
    { answer: "decline", status: "declined" }
  ] as const)("decides with $answer in the place of the script", function* ({ answer, status }) {
    const { order } = yield* makeWorld
    const asked: Array<string> = []
    const { report } = run({ ...order, plugins: [answering(answer, asked)], approve: neverAsked })
    expect((yield* Effect.promise(() => report)).status).toBe(status)
    expect(asked).toHaveLength(1)
    expect(existsSync(join(order.project, "a.txt"))).toBe(answer === "step")
  })
})

liveTest(
  "a no of a script with words is followed by a round that does what they say, and replays the same",
  function* () {
    const { order, stateFolder } = yield* makeWorld
    let asked = 0
    const approve: Approve = () => (asked += 1) > 1 || { instead: "Write b." }
    const { report, runId } = run({ ...order, approve })
    const { results, status } = yield* Effect.promise(() => report)
    expect([status, results.map(({ name }) => name), asked]).toEqual(["done", ["Write b"], 2])
    expect(yield* Effect.promise(() => replay(runId, { stateFolder }))).toMatchObject({ differences: [] })
    const again = yield* Effect.promise(() => resume(runId, { stateFolder, model, approve }).report)
    expect([again.results.map(({ name }) => name), asked]).toEqual([["Write b"], 2])
  }
)
