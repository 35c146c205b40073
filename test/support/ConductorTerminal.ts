/** A command of the binary at a real terminal, in the project of a sandbox. */
import * as Effect from "effect/Effect"
import { environmentOf, program, type Sandbox } from "./binary.ts"
import { openTerminal } from "./PseudoTerminal.ts"
import { waitFor } from "./waitFor.ts"

export interface ConductorTerminalOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
  readonly rows?: number
}

/** Starts it. Then the exit code is shown, and the shell reads a line and shows it. */
export const conductAt = (
  { root }: Sandbox,
  words: string,
  { columns = 100, env = {}, rows = 40 }: ConductorTerminalOptions = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        openTerminal(
          `trap : INT; ${process.execPath} ${program} ${words}; echo "ended with $?"; read line; echo "got $line"`,
          { columns, rows, isDrawn: true, cwd: `${root}/project`, env: environmentOf(root, { TERM: "xterm", ...env }) }
        )
      ),
      ({ close }) => Effect.sync(close)
    ),
    (terminal) => {
      /** Without the blanks at the ends of lines and below the last one. */
      const screen = () =>
        terminal
          .screen()
          .replace(/[^\S\n]+$/gm, "")
          .trimEnd()
      return {
        screen,
        type: terminal.type,
        sees: (text: string) => Effect.promise(() => terminal.shows(text)),
        until: (pattern: RegExp) => waitFor(String(pattern), () => pattern.test(screen()), screen)
      }
    }
  )
