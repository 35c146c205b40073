/** Lets the user write a message in an editor. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { spawn } from "node:child_process"
import { trustedSearchPath } from "../../services/files/SearchPath.ts"
import { splitCommand } from "../../domain/commands/CommandSplit.ts"
import { environmentVariable } from "../../services/configuration/UserFolders.ts"
import { Output } from "../terminal/Output.ts"
import { rawModeEnds } from "../terminal/Keys.ts"

/** Runs the editor on a file. Returns what is wrong if the editor cannot be used. */
const runEditor = (line: string, file: string) =>
  Effect.callback<string | undefined>((resume) => {
    const words = splitCommand(line)
    if (typeof words === "string") return resume(Effect.succeed(words))
    const [program, ...args] = words
    const env = { ...process.env, PATH: trustedSearchPath(process.env["PATH"], process.cwd()) }
    const child = spawn(program, [...args, file], { env, stdio: "inherit" })
    child.once("error", ({ message }) => resume(Effect.succeed(`The editor ${program} cannot be started: ${message}.`)))
    child.once("exit", (code) => resume(Effect.succeed(code === 0 ? undefined : `The editor ${program} failed.`)))
  })

/** Lets the user edit a text in $VISUAL or $EDITOR. Returns it unchanged if the editor fails. */
export const editText = Effect.fn("editText")(
  function* (text: string) {
    const { emit } = yield* Output
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const editor = (yield* environmentVariable("VISUAL")) ?? (yield* environmentVariable("EDITOR")) ?? "vi"
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "task-conductor-" })
    const file = path.join(folder, "message.md")
    yield* fs.writeFileString(file, text)
    yield* Effect.sleep(rawModeEnds)
    const problem = yield* runEditor(editor, file)
    if (problem === undefined) return (yield* fs.readFileString(file)).trimEnd()
    yield* emit(`${problem} Set $VISUAL or $EDITOR to another one.`)
    return text
  },
  Effect.scoped,
  (edited, text) => Effect.catch(edited, ({ message }) => Output.use(({ emit }) => Effect.as(emit(message), text)))
)
