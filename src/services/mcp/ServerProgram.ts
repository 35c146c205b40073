/**
 * What the start of an MCP server runs, so that trust in it covers more than its command: the program, the files among its
 * arguments, and the files of the project that those run in turn.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import type { RunScript } from "../../domain/tools/Access.ts"
import { commandScripts, readScript } from "../commands/CommandScripts.ts"
import { findProgram } from "../commands/ChildRun.ts"
import { isWithin, pathFrom } from "../files/CanonicalPath.ts"
import type { McpAddress } from "./McpConnection.ts"

/** The program and the files among its arguments, wherever they are. */
const namedFiles = Effect.fnUntraced(function* ({
  args,
  command,
  cwd,
  env
}: McpAddress & { readonly _tag: "Program" }) {
  const folders = (env["PATH"] ?? "").split(path.delimiter)
  const program = command.includes("/") ? command : ((yield* findProgram(command, folders)) ?? command)
  const found = new Map<string, RunScript>()
  for (const word of [program, ...args.map((one) => one.replace(/^-[^=]*=/, ""))]) {
    const file = yield* pathFrom(cwd, word)
    const script = file === undefined ? undefined : yield* readScript(file)
    /* What is no text among the arguments is data, such as a database that the server writes. */
    const isRun = word === program || script?.text !== undefined
    if (file !== undefined && script !== undefined && isRun) found.set(file, { path: file, hash: script.hash })
  }
  return found
})

/** The files that a server program runs, by path, with what they hold; none of a server that is only reached. */
export const programFiles = Effect.fn("programFiles")(function* (address: McpAddress, project: string) {
  if (address._tag !== "Program") return []
  const root = (yield* pathFrom(project, ".")) ?? project
  const scripts = yield* commandScripts(root, [address.command, ...address.args], address.cwd)
  const files = yield* namedFiles(address)
  for (const script of scripts) files.set(script.path, script)
  return [...files.values()]
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((file) => ({ ...file, isOwn: isWithin(root, file.path) }))
})
