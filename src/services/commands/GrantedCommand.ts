/**
 * Runs the command that a call was granted and words its end as the result of a tool. Called by run_command and by the
 * tools of the configuration.
 */
import * as Effect from "effect/Effect"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import { Commands } from "./Commands.ts"

const tooMuch = "It wrote more than 10 MB and was stopped."

/** `{ exit_code, output }`; `exit_code` is null and `stopped` says why for a command that wrote too much. */
export const runGranted = Effect.fnUntraced(function* (granted: CanonicalAccess | undefined, seconds?: number) {
  if (granted?._tag !== "RunCommand") return yield* Effect.die("the tool got no command to run")
  const { exitCode, output } = yield* (yield* Commands).run(granted, seconds === undefined ? {} : { seconds })
  return { exit_code: exitCode, ...(exitCode === null ? { stopped: tooMuch } : {}), output }
})
