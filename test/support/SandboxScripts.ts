/** Shell scripts that are run as commands of a project, and folders that the sandbox does not empty. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { fileURLToPath } from "node:url"
import { openTools, type OpenTools } from "./OpenTools.ts"
import { putFiles } from "./Project.ts"

export interface CommandResult {
  /** -1 for a command that was not run. */
  readonly exit_code: number
  /** The error of a command that was not run. */
  readonly output: string
  readonly sandbox?: string
  readonly changed_controls?: ReadonlyArray<string>
}

/** Opens a project whose commands are started by their words, or as scripts of a shell. */
export const openScripts = Effect.fnUntraced(function* (given: OpenTools = {}) {
  const opened = yield* openTools(given)
  const command = (...argv: ReadonlyArray<string>) =>
    Effect.map(
      opened.run("run_command", { argv }),
      ({ data, error_message }) => (data ?? { exit_code: -1, output: error_message }) as unknown as CommandResult
    )
  const script = (text: string) => command("sh", "-c", text)
  const messages = () => opened.log.events().flatMap((event) => (event.type === "message" ? [event.text] : []))
  return { ...opened, command, script, messages }
})

/** A folder with files that is not below /tmp, which the sandbox empties anyway. */
export const makeFar = Effect.fnUntraced(function* (files: Readonly<Record<string, string>> = {}) {
  const fs = yield* FileSystem.FileSystem
  const directory = fileURLToPath(new URL("../../node_modules", import.meta.url))
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ directory, prefix: ".sandbox-test-" }))
  yield* putFiles(folder, files)
  return folder
})
