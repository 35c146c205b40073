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

/** What a server reads or writes rather than runs, such as its database. */
const isData = (file: string): boolean =>
  /\.(?:conf|csv|db|env|ini|jsonl?|log|md|sqlite3?|toml|txt|xml|ya?ml)$/i.test(file)

/** The files that a server program runs, by path, with what they hold; none of a server that is only reached. */
export const programFiles = Effect.fn("programFiles")(function* (address: McpAddress, project: string) {
  if (address._tag !== "Program") return []
  const { command, cwd, env } = address
  const args = address.args.filter((word) => !isData(word))
  const root = (yield* pathFrom(project, ".")) ?? project
  const folders = (env["PATH"] ?? "").split(path.delimiter)
  const program = command.includes("/") ? command : ((yield* findProgram(command, folders)) ?? command)
  const files = new Map<string, RunScript>()
  for (const word of [program, ...args.map((one) => one.replace(/^-[^=]*=/, ""))]) {
    const file = yield* pathFrom(cwd, word)
    const script = file === undefined ? undefined : yield* readScript(file)
    if (file !== undefined && script !== undefined) files.set(file, { path: file, hash: script.hash })
  }
  for (const script of yield* commandScripts(root, [command, ...args], cwd)) files.set(script.path, script)
  return [...files.values()]
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ hash, path: file }) => ({ path: file, hash, isOwn: isWithin(root, file) }))
})
