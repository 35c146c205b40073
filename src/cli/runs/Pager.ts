/**
 * Shows long text in the user's pager: `$PAGER`, or else `less -R`. Without a terminal, the text is printed unchanged.
 */
import { switchFlag } from "../terminal/Flags.ts"
import { spawn } from "node:child_process"
import { trustedSearchPath } from "../../services/files/SearchPath.ts"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"
import { shownWidth } from "../../domain/text/TextWidth.ts"
import { environmentVariable } from "../../services/configuration/UserFolders.ts"
import { Output } from "../terminal/Output.ts"
import { Signals } from "../terminal/Signals.ts"

export const noPagerFlag = switchFlag("no-pager", "Print all at once, also when it is longer than the screen")

interface Screen {
  readonly columns: number
  readonly rows: number
}

/** True if the text and one row for the shell's prompt do not fit the screen. */
export const isLongerThan = (text: string, { columns, rows }: Screen): boolean => {
  const taken = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(shownWidth(line) / columns)), 1)
  return columns > 0 && rows > 0 && taken > rows
}

/** The pager's command. Undefined if the user wants none. */
export const pagerCommand = (env: { readonly pager: string | undefined; readonly term: string | undefined }) => {
  if (env.term === "dumb" || env.pager?.trim() === "cat") return undefined
  return env.pager === undefined || env.pager.trim() === "" ? "less -R" : env.pager
}

/** A shell's exit code for an unknown command. */
const notFound = 127

/**
 * Shows a text in the pager until the user ends it. Returns false if the pager could not start. The pager handles
 * Ctrl-C itself.
 */
const page = (command: string, text: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const env = { ...process.env, PATH: trustedSearchPath(process.env["PATH"], process.cwd()) }
    const child = spawn("sh", ["-c", command], { env, stdio: ["pipe", "inherit", "ignore"] })
    child.on("error", () => resume(Effect.succeed(false)))
    child.on("close", (code) => resume(Effect.succeed(code !== notFound)))
    child.stdin.on("error", () => undefined).end(text.endsWith("\n") ? text : `${text}\n`)
  })

/** Shows long text in the pager, and passes short text to `print`. */
export const showLong = Effect.fn("showLong")(function* (
  text: string,
  { noPager, print }: { readonly noPager: boolean; readonly print: (text: string) => Effect.Effect<void> }
) {
  const { isWatched } = yield* Output
  const terminal = yield* Terminal.Terminal
  const command = pagerCommand({ pager: yield* environmentVariable("PAGER"), term: yield* environmentVariable("TERM") })
  const screen = { columns: yield* terminal.columns, rows: yield* terminal.rows }
  if (noPager || !isWatched || command === undefined || !isLongerThan(text, screen)) return yield* print(text)
  const { onInterrupt } = yield* Signals
  yield* onInterrupt(() => undefined)
  if (!(yield* page(command, text))) yield* print(text)
}, Effect.scoped)
