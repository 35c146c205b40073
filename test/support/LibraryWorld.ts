/** Runs of the library, with a model that does a plan of two tasks. */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { type RunOptions } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { scopedSandbox } from "./binary.ts"
import type { LibraryOrder } from "./libraryProcess.ts"
import { stageName } from "./stageName.ts"
import { answerIn, freeSkill, planOf, refinementWith, resultSaying } from "./TestRun.ts"

export const libraryProcess = fileURLToPath(new URL("./libraryProcess.ts", import.meta.url))

export const stageOf = (system: string, user: string): string => stageName({ system, user })
export const taskOf = (user: string): string =>
  /^- \*\*Name\*\* (.+)$/m.exec(user.slice(user.lastIndexOf("## Task\n")))?.[1] ?? ""

export const plan = planOf([
  [{ name: "Look 1", skill: "free" }],
  [{ name: "Look 2", skill: "free", references: "[a](#look-1-results)" }]
])

/** What a model says that does the plan as it stands; `call` is what each task calls. */
export const answerTo = (system: string, user: string, call = "get_current_time"): string =>
  answerIn(stageOf(system, user), {
    creation: plan,
    refinement: refinementWith([{ name: call, arguments: {} }]),
    execution: resultSaying(`Result of ${taskOf(user)}.`),
    conclusion: "The answer."
  })

export const makeWorld = Effect.gen(function* () {
  const sandbox = yield* scopedSandbox({ "project/.task-conductor/skills/free/SKILL.md": freeSkill })
  const project = join(sandbox.root, "project")
  const stateFolder = join(sandbox.root, "home/.local/state/task-conductor")
  const here = { project, stateFolder, allow: ["get_current_time"] }
  return {
    ...sandbox,
    project,
    stateFolder,
    /** A run in this process, on a model that answers by itself. */
    order: (more: Partial<RunOptions> = {}): RunOptions => ({
      prompt: "Do it.",
      model: ScriptedModel.layer(({ system, user }) => answerTo(system, user)),
      ...here,
      ...more
    }),
    script: (order: LibraryOrder) => sandbox.start([JSON.stringify(order)], { module: libraryProcess }),
    cli: (...words: ReadonlyArray<string>) => Effect.promise(() => sandbox.run(words))
  }
})

export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )
