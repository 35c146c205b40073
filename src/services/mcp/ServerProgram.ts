/**
 * The files that a server would run: its program, and the scripts that its arguments name. Trust in the server holds for what they say
 * now.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { scriptsOfCommand } from "../../domain/commands/CommandText.ts"
import { findProgram } from "../commands/ChildRun.ts"
import { commandScripts } from "../commands/Commands.ts"
import { contentState } from "../files/Hash.ts"
import type { McpAddress } from "./McpConnection.ts"

/** What a server reads or writes, rather than what it runs. */
const isData = (file: string): boolean =>
  /\.(?:conf|csv|db|env|ini|json|log|md|sqlite3?|toml|txt|xml|ya?ml)$/i.test(file)

/** The state of each file by its name; that of the program when it is found. */
export const serverProgram = Effect.fn("serverProgram")(
  function* ({ args, command, cwd, env }: McpAddress & { readonly _tag: "Program" }, project: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const argv = [command, ...args] as const
    const program = command.includes("/")
      ? path.resolve(cwd, command)
      : yield* findProgram(command, (env["PATH"] ?? "").split(":"))
    const named = scriptsOfCommand(argv).files.map((word) => path.resolve(cwd, word))
    const inProject = yield* commandScripts(project, argv, cwd)
    const files = new Set([...(program === undefined ? [] : [program]), ...named, ...inProject.map((one) => one.path)])
    const states: Array<readonly [file: string, state: string]> = []
    for (const file of files) {
      if (file !== program && isData(file)) continue
      const real = yield* Effect.orElseSucceed(fs.realPath(file), () => undefined)
      if (real === undefined || (yield* fs.stat(real)).type !== "File") continue
      states.push([file, yield* contentState(real)])
    }
    return states
  },
  Effect.orElseSucceed(() => [])
)
