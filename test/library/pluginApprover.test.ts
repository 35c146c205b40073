/**
 * A plugin that answers the questions of a run in the place of a script.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { run } from "../../src/index.ts"
import { Approver, definePlugin } from "../../src/plugin-kit.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { makeSandbox } from "../support/binary.ts"
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
      return planOf([])
    default:
      return "It is written."
  }
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

describe("an approver of a plugin", () => {
  liveTest.each([
    { answer: "step", status: "done" },
    { answer: "decline", status: "declined" }
  ] as const)("decides with $answer", function* ({ answer, status }) {
    const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
    sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
    const asked: Array<string> = []
    const { report } = run({
      prompt: "Do it.",
      project: join(sandbox.root, "project"),
      stateFolder: join(sandbox.root, "state"),
      model,
      plugins: [answering(answer, asked)],
      approve: () => {
        throw new Error("The script is not asked.")
      }
    })
    expect((yield* Effect.promise(() => report)).status).toBe(status)
    expect(asked).toHaveLength(1)
    expect(existsSync(join(sandbox.root, "project/a.txt"))).toBe(answer === "step")
  })
})
