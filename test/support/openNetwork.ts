/** Commands in a sandbox that reaches some hosts and no others. */
import * as Effect from "effect/Effect"
import { openTools, type OpenTools } from "./OpenTools.ts"

interface Result {
  readonly exit_code: number
  readonly output: string
  readonly sandbox?: string
}

/** Runs programs of Node in a sandbox that reaches these hosts. */
export const openNetwork = Effect.fnUntraced(function* (
  network: ReadonlyArray<string> | boolean,
  given: OpenTools = {}
) {
  const { root, run } = yield* openTools({ ...given, commands: { sandbox: { mode: "required", network } } })
  const command = (argv: ReadonlyArray<string>) =>
    Effect.map(run("run_command", { argv }), ({ data }) => data as unknown as Result)
  return { root, command, program: (text: string) => command([process.execPath, "-e", text]) }
})
