/**
 * A whole run against the server in an empty project: whatever the model writes, the run ends with a documented
 * status.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run, type RunHandle, type RunOptions } from "../../src/index.ts"
import { type Check, require, type Target } from "./Check.ts"

/** The possible ends of a run with a working server; the model decides which. */
const told: ReadonlySet<string> = new Set(["done", "failed", "no_valid_plan", "limit", "not_permitted"])

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** The order of a run in its own project; its runs are saved beside it. */
export const orderFor = (target: Target, prompt: string) =>
  Effect.map(folder, (made): RunOptions => {
    const project = join(made, "project")
    mkdirSync(project)
    writeFileSync(join(project, "notes.txt"), "The meeting is at noon.\n")
    return {
      project,
      prompt,
      model: target.api === "openai" ? `openai:${target.model}` : target.model,
      ...(target.api === "openai" ? { openaiBaseUrl: target.host } : { host: target.host }),
      stateFolder: join(made, "state"),
      ...(target.runWindow === undefined ? {} : { contextWindow: target.runWindow })
    }
  })

/** The status of the run; fails if it is none of the allowed ones. */
export const mustEnd = ({ report }: RunHandle) =>
  Effect.gen(function* () {
    const { message, status } = yield* Effect.promise(() => report)
    yield* require(told.has(status), () => `${status}: ${message}`)
    return message === "" ? status : `${status}: ${message}`
  })

export const runChecks: ReadonlyArray<Check> = [
  {
    name: "a whole run",
    check: (target) =>
      orderFor(target, "When is the meeting?").pipe(
        Effect.flatMap((order) => mustEnd(run({ ...order, keep: false }))),
        Effect.scoped
      )
  }
]
