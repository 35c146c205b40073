/**
 * Reads the MCP servers of the project and the user: parses entries, replaces variables, and makes names unique. Starts
 * nothing.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { distance } from "fastest-levenshtein"
import * as path from "node:path"
import {
  commandScripts,
  findProgram,
  hashOf,
  isWithin,
  pathFrom,
  readBoundedFile,
  readScript,
  trustedSearchPath
} from "../../kit/files.ts"
import { type JsonProblem, nearest, pathText, readJson, schemaProblems } from "../../kit/text.ts"
import {
  entryKeys,
  isPersonalEntryKey,
  McpProblem,
  type McpServerEntry,
  ownEntry,
  ProjectMcpServerEntry,
  type RunScript,
  type Start
} from "../../kit/tools.ts"
import { environmentVariable } from "../../plugin-kit.ts"
import { expandEntry, variablesOf } from "./EntryVariables.ts"
import { serverPrefix } from "./McpTool.ts"
import type { McpAddress } from "./McpAddress.ts"

/** True if the file lists servers without the key `mcpServers`, as in plugins of other programs. */
const isListOfServers = (file: Readonly<Record<string, unknown>>): boolean => {
  const entries = Object.entries(file).filter(([name]) => name !== "$schema")
  return (
    entries.length > 0 &&
    entries.every(([, entry]) => Predicate.hasProperty(entry, "command") || Predicate.hasProperty(entry, "url"))
  )
}

const isOldTransport = (entry: unknown): boolean =>
  Predicate.hasProperty(entry, "type") && Predicate.isString(entry.type) && entry.type.toLowerCase() === "sse"

const unknownKey = (path: ReadonlyArray<PropertyKey>, knownKeys: ReadonlyArray<string>): string => {
  const name = String(path.at(-1))
  return isPersonalEntryKey(name)
    ? `"${pathText(path)}" has no effect in a project's file, because only you decide it. Name the server in your user configuration.`
    : `unknown key "${pathText(path)}". Nearest: ${nearest(name, knownKeys)[0] ?? knownKeys.join(", ")}.`
}

/**
 * True if the key belongs to another program. False if it resembles a key of this program, because it is then probably
 * misspelled.
 */
const isForeign = (name: string, value: unknown): boolean => {
  if (isPersonalEntryKey(name)) return name === "tools" && Array.isArray(value)
  return !entryKeys("project").some(
    (one) => distance(one.toLowerCase(), name.toLowerCase()) <= (one.length > 4 ? 2 : 1)
  )
}

/** Separates keys of this program from keys of other programs. */
const withoutForeign = (entry: unknown) => {
  if (!Predicate.isObject(entry)) return { own: entry, foreign: [] }
  const foreign = Object.entries(entry).flatMap(([name, value]) => (isForeign(name, value) ? [name] : []))
  const own = Object.entries(entry).filter(([name]) => !foreign.includes(name))
  return { own: Object.fromEntries(own), foreign }
}

/**
 * Reads a project's `.mcp.json`: `{ "mcpServers": { NAME: ENTRY } }`. An invalid entry drops only its server. Keys of
 * other programs give a note. A misspelled key makes its entry invalid.
 */
export const readMcpFile = (text: string) => {
  const servers = new Map<string, McpServerEntry>()
  const json = readJson(text, true)
  if (Result.isFailure(json)) return { servers, problems: [json.failure], notes: [] }
  const { placeOf, value } = json.success
  const content = Predicate.isObject(value) ? (value as Readonly<Record<string, unknown>>) : {}
  const key = ["mcpServers", "servers"].find((name) => Predicate.isObject(content[name]))
  const isBare = key === undefined && isListOfServers(content)
  const entries = key === undefined ? (isBare ? content : undefined) : content[key]
  const above = key === undefined ? [] : [key]
  if (!Predicate.isObject(entries)) {
    const what = 'the file does not hold an object "mcpServers". Write { "mcpServers": { "NAME": { ... } } }.'
    return { servers, problems: [{ ...placeOf([]), what }], notes: [] }
  }
  const ignored = (path: ReadonlyArray<string>): JsonProblem => {
    const { column, line } = placeOf(path)
    return { line, column, what: `"${pathText(path)}" is a key of another program and is ignored.` }
  }
  const oldTransport = (path: ReadonlyArray<string>): JsonProblem => {
    const { column, line } = placeOf(path)
    const what = `"${pathText(path)}" is "sse", a transport that is no longer part of the protocol. task-conductor tries streamable HTTP at its address.`
    return { line, column, what }
  }
  const problems: Array<JsonProblem> = []
  const notes = Object.keys(content)
    .filter((name) => !isBare && name !== key && name !== "$schema")
    .map((name) => ignored([name]))
  for (const [name, entry] of Object.entries(entries)) {
    const { foreign, own: ownKeys } = withoutForeign(ownEntry(entry))
    notes.push(...foreign.map((foreignKey) => ignored([...above, name, foreignKey])))
    if (isOldTransport(entry)) notes.push(oldTransport([...above, name, "type"]))
    const decoded = Schema.decodeUnknownResult(ProjectMcpServerEntry)(ownKeys, {
      onExcessProperty: "error",
      errors: "all"
    })
    if (Result.isSuccess(decoded)) servers.set(name, decoded.success)
    else {
      const unknown = (path: ReadonlyArray<PropertyKey>) => unknownKey(path, entryKeys("project"))
      problems.push(...schemaProblems(decoded.failure, json.success, unknown, [...above, name]))
    }
  }
  return { servers, problems, notes }
}

const mcpFileName = ".mcp.json"

export interface NamedServer {
  readonly name: string
  /** Whose configuration names the server. A project's server starts only if the user trusts it. */
  readonly scope: "project" | "user"
}

export interface McpServer extends NamedServer {
  /** The beginning of the tools' names. */
  readonly prefix: string
  readonly entry: McpServerEntry
  readonly address: McpAddress
  /** A hash of the files that the server runs. It was computed when the user was asked whether to trust the server. */
  readonly files: string
  /** The access that the gate decides about, with the text of the question. */
  readonly start: Start & { readonly _tag: "StartServer" }
}

/** Environment variables that a server gets in addition to those of its entry. */
const passedOn = (
  "HOME LANG LC_ALL LOGNAME PATH SHELL TERM TMPDIR TZ USER " +
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT " +
  "TEMP TMP USERNAME USERPROFILE WINDIR"
).split(" ")

/** The maximum number of project files in a question about trust. */
const maxFiles = 10

/** The maximum length of a command. The user could not judge a longer one, so it is refused. */
const maxShown = 8000

/** The values of the named variables. `folder` is the value of `workspaceFolder`, a variable of VS Code. */
const readVariables = Effect.fnUntraced(function* (names: ReadonlyArray<string>, folder?: string) {
  const values = new Map<string, string>(folder === undefined ? [] : [["workspaceFolder", folder]])
  for (const name of names) {
    const value = yield* environmentVariable(name)
    if (value !== undefined) values.set(name, value)
  }
  return values
})

const isWebAddress = (url: string): boolean => ["https:", "http:"].includes(URL.parse(url)?.protocol ?? "")

/** Lines about an address, with the host in ASCII, because letters of other scripts could imitate a known host. */
const addressLines = (url: string): ReadonlyArray<string> => {
  const { host, href } = new URL(url)
  return url.toLowerCase().includes(host) ? [`Address: ${url}`] : [`Address: ${href}`, `Written as: ${url}`]
}

const pairs = (label: string, values: Readonly<Record<string, string>> = {}, sign: string): ReadonlyArray<string> =>
  Object.entries(values).map(([name, value]) => `${label}: ${name}${sign}${value}`)

/** The address of a server, and its description for the user, which hides the variables' values. */
const addressOf = Effect.fnUntraced(function* (
  { entry, scope, written: original }: Pick<McpServer, "entry" | "scope"> & { readonly written: McpServerEntry },
  project: string
) {
  const { args = [], command, cwd = ".", env = {}, headers = {}, url } = entry
  if (command === undefined) {
    if (url === undefined || !isWebAddress(url)) {
      return yield* Effect.fail(`"url" must be an http or https URL, and is "${url}".`)
    }
    const address: McpAddress = { _tag: "Http", url, headers }
    return { address, place: url, does: [...addressLines(url), ...pairs("Header", original.headers, ": ")] }
  }
  const given = Object.fromEntries(yield* readVariables(passedOn))
  /* The user trusts the files of a project's server, so its program may be in any folder. */
  const own = scope === "project" ? given : { ...given, PATH: trustedSearchPath(given["PATH"], project) }
  const folder = (yield* Path.Path).resolve(project, cwd)
  const address: McpAddress = { _tag: "Program", command, args, env: { ...own, ...env }, cwd: folder }
  const does = [
    `Command: ${command}`,
    ...args.map((argument) => `Argument: ${argument}`),
    ...pairs("Environment", original.env, "="),
    `Folder: ${folder}`
  ]
  return { address, place: folder, does }
})

/** True for a data file of a server, such as a database. */
const isData = (file: string): boolean =>
  /\.(?:conf|csv|db|env|ini|jsonl?|log|md|sqlite3?|toml|txt|xml|ya?ml)$/i.test(file)

/**
 * The files that a server runs, with their hashes: its program, files among its arguments, and project files that these
 * run. The user's trust covers them as well as the command. Empty for a server on another machine.
 */
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

const resolve = Effect.fnUntraced(function* (
  name: string,
  scope: McpServer["scope"],
  original: McpServerEntry,
  project: string
) {
  const problem = (detail: string) => new McpProblem({ server: name, detail })
  const prefix = serverPrefix(name)
  if (prefix === undefined) {
    return yield* problem("its name must have 1 to 50 ASCII letters or digits. Rename it.")
  }
  const { entry, missing } = expandEntry(original, yield* readVariables(variablesOf(original), project))
  if (missing.length > 0) {
    const names = missing.join(", ")
    return yield* problem(`the environment has no ${names}. Set ${names}, or write \${${missing[0]}:-default}.`)
  }
  const { address, does, place } = yield* Effect.mapError(
    addressOf({ entry, scope, written: original }, project),
    problem
  )
  if (scope === "project" && does.join("\n").length > maxShown) {
    return yield* problem(`its command is longer than ${maxShown} characters, too long to be judged. Shorten it.`)
  }
  /* A user's server needs no question, so no files are hashed. */
  const files = scope === "project" ? yield* programFiles(address, project) : []
  const own = files.filter(({ isOwn }) => isOwn).map((file) => file.path)
  const more = own.length > maxFiles ? [`Files of the project that it runs: ${own.length - maxFiles} more`] : []
  const runs = [...own.slice(0, maxFiles).map((file) => `File of the project that it runs: ${file}`), ...more]
  const hash = hashOf([name, original, entry, place, files])
  const start: McpServer["start"] = { _tag: "StartServer", name, does: [...does, ...runs], hash }
  return { name, scope, prefix, entry, address, files: hashOf(files), start } satisfies McpServer
})

const readProjectFile = Effect.fnUntraced(function* (project: string) {
  const file = (yield* Path.Path).join(project, mcpFileName)
  const text = yield* Effect.result(readBoundedFile(file))
  if (Result.isSuccess(text)) {
    const { notes, problems, servers } = readMcpFile(text.success)
    const placed = ({ column, line, what }: JsonProblem) => `${file}:${line}:${column}: ${what}`
    const found = problems.map((problem) => new McpProblem({ detail: placed(problem) }))
    return { servers, problems: found, notes: notes.map(placed) }
  }
  const problems = text.failure.reason === "missing" ? [] : [new McpProblem({ detail: text.failure.message })]
  return { servers: new Map<string, McpServerEntry>(), problems, notes: [] }
})

/**
 * Returns the usable servers, the disabled servers, and the problems of unusable servers. The servers of the user come
 * before those of the project. If both define a server with the same name, only the user's entry counts, even if it is
 * disabled.
 */
export const readMcpServers = Effect.fn("readMcpServers")(function* (options: {
  /** The absolute path of the project. */
  readonly project: string
  /** The servers of the user's configuration. */
  readonly userServers: Readonly<Record<string, McpServerEntry>>
}) {
  const file = yield* readProjectFile(options.project)
  const candidates = [
    ...Object.entries(options.userServers).map(([name, entry]) => ({ name, entry, scope: "user" as const })),
    ...[...file.servers]
      .filter(([name]) => !Object.hasOwn(options.userServers, name))
      .map(([name, entry]) => ({ name, entry, scope: "project" as const }))
  ]
  const servers = new Map<string, McpServer>()
  const problems: Array<McpProblem> = [...file.problems]
  const disabled = candidates.filter(({ entry }) => entry.disabled === true)
  for (const { entry, name, scope } of candidates.filter((one) => !disabled.includes(one))) {
    const server = yield* Effect.result(resolve(name, scope, entry, options.project))
    const sameName = Result.isSuccess(server) ? servers.get(server.success.prefix) : undefined
    if (Result.isFailure(server)) problems.push(server.failure)
    else if (sameName === undefined) servers.set(server.success.prefix, server.success)
    else {
      const detail = `its tools would have the names of those of "${sameName.name}". Rename one of the two.`
      problems.push(new McpProblem({ server: name, detail }))
    }
  }
  return {
    servers: [...servers.values()],
    disabled: disabled.map(({ name, scope }): NamedServer => ({ name, scope })),
    problems,
    notes: file.notes
  }
})
