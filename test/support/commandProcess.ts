/**
 * A process for tests of what is left of a command when its program is killed: runs a shell script as its argument orders, as
 * JSON.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import type { SandboxSettings } from "../../src/domain/commands/CommandSettings.ts"
import { CurrentCopy, makeWorkingCopy } from "../../src/services/files/WorkingCopy.ts"
import { openTools } from "./OpenTools.ts"

export interface CommandOrder {
  readonly project: string
  readonly script: string
  readonly sandbox?: SandboxSettings
  /** The folder for working copies; without it, the command runs in the project. */
  readonly scratch?: string
  /** How many of the command run at the same time; 1 when absent. */
  readonly times?: number
}

const { project, sandbox = {}, scratch, script, times = 1 } = JSON.parse(process.argv[2] ?? "") as CommandOrder

const run = Effect.gen(function* () {
  const tools = yield* openTools({ project, commands: { sandbox, ...(scratch === undefined ? {} : { scratch }) } })
  const command = tools.run("run_command", { argv: ["sh", "-c", script] })
  yield* Effect.all(
    Array.from({ length: times }, () => command),
    { concurrency: "unbounded" }
  )
})

const copy = scratch === undefined ? undefined : makeWorkingCopy()
await Effect.runPromise(
  run.pipe(Effect.scoped, Effect.provideService(CurrentCopy, copy), Effect.provide(NodeServices.layer))
)
