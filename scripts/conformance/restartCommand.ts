/**
 * Restarts a server with a command of the user who runs the checks.
 */
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import { CheckFailed } from "./Check.ts"

const notDone = (command: string, why: string) =>
  Effect.fail(
    new CheckFailed({ what: `--restart ${JSON.stringify(command)} ${why}; run it by hand to see what it says` })
  )

/**
 * Runs the command in a shell and waits for its end. It gets no terminal and no streams of this process, since the
 * started server would keep them.
 */
export const restartWith = (command: string): Effect.Effect<void, CheckFailed> =>
  Effect.callback((resume) => {
    const shell = spawn(command, { shell: true, stdio: "ignore", detached: true })
    shell.once("error", ({ message }) => resume(notDone(command, `could not be started (${message})`)))
    shell.once("exit", (code, signal) =>
      resume(code === 0 ? Effect.void : notDone(command, `ended with ${code ?? signal}`))
    )
    return Effect.sync(() => void shell.kill())
  })
