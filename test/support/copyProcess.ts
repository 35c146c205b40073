/**
 * A process for tests of working copies: `PROJECT SCRATCH SECONDS` runs a command on a working copy that writes `begun.txt`
 * and then sleeps.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { CurrentCopy, makeWorkingCopy } from "../../src/services/files/WorkingCopy.ts"
import { openTools } from "./OpenTools.ts"

const [project = "", scratch = "", seconds = ""] = process.argv.slice(2)

const run = Effect.gen(function* () {
  const tools = yield* openTools({ project, commands: { scratch } })
  yield* tools.run("run_command", { argv: ["sh", "-c", `echo 1 > begun.txt; sleep ${seconds}`] })
})

await Effect.runPromise(
  run.pipe(Effect.scoped, Effect.provideService(CurrentCopy, makeWorkingCopy()), Effect.provide(NodeServices.layer))
)
