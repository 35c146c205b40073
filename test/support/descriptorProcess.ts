/**
 * A program that uses the services of commands as a library would: runs the shell script of its first argument without a
 * sandbox, and writes its output.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { runChild } from "../../src/services/commands/ChildRun.ts"

const argv = ["/bin/sh", "-c", process.argv[2] ?? ""]
const run = runChild({ argv, cwd: "/", env: { PATH: process.env["PATH"] ?? "" }, sandboxed: false, seconds: 20 })
const { output } = await Effect.runPromise(Effect.provide(Effect.scoped(run), NodeServices.layer))
process.stdout.write(output)
