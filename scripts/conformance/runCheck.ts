/**
 * A whole run against the server, in an empty project: whatever the model writes, the run ends in a way that is told.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../../src/index.ts"
import { type Check, require } from "./Check.ts"

/** How a run may end when its server works; the model decides which it is. */
const told: ReadonlySet<string> = new Set(["done", "failed", "no_valid_plan", "limit"])

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

export const runChecks: ReadonlyArray<Check> = [
  {
    name: "a whole run",
    check: (target) =>
      Effect.gen(function* () {
        const project = yield* folder
        writeFileSync(join(project, "notes.txt"), "The meeting is at noon.\n")
        const { report } = run({
          project,
          prompt: "When is the meeting?",
          model: target.api === "openai" ? `openai:${target.model}` : target.model,
          ...(target.api === "openai" ? { openaiBaseUrl: target.host } : { host: target.host }),
          keep: false,
          ...(target.runWindow === undefined ? {} : { contextWindow: target.runWindow })
        })
        const { message, status } = yield* Effect.promise(() => report)
        yield* require(told.has(status), () => `${status}: ${message}`)
        return message === "" ? status : `${status}: ${message}`
      }).pipe(Effect.scoped)
  }
]
