/**
 * Runs a command in a real pseudo terminal, made by `script` of util-linux: what a test types arrives as keys, what the
 * command shows comes back.
 */
import { spawn, spawnSync } from "node:child_process"

/** False where there is no `script` that takes a command. */
export const hasPseudoTerminal = spawnSync("script", ["-qefc", "true", "/dev/null"], { stdio: "ignore" }).status === 0

export interface PseudoTerminal {
  /** Everything shown so far. */
  readonly screen: () => string
  readonly type: (keys: string) => void
  /** Resolves when the screen shows the text. */
  readonly shows: (text: string) => Promise<void>
  /** The exit code of the command. */
  readonly ended: Promise<number | null>
}

/** Starts a shell command in a terminal of 24 lines and 80 columns. */
export const openTerminal = (command: string): PseudoTerminal => {
  const child = spawn("script", ["-qefc", `stty rows 24 cols 80; ${command}`, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm" }
  })
  let screen = ""
  const waiting = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text
    for (const check of waiting) check()
  })
  child.stdin.on("error", () => undefined)
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)))
  const shows = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (!screen.includes(text)) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      void ended.then(() => reject(new Error(`ended without showing ${JSON.stringify(text)}:\n${screen}`)))
      check()
    })
  return { screen: () => screen, type: (keys) => void child.stdin.write(keys), shows, ended }
}
