/**
 * The MCP servers that a project and the person name, ready to be started: the project's file and the entries are read,
 * environment variables are filled in, names are unique. Nothing is started here.
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

/** A file may hold its servers alone, as those of plugins of other programs do. */
const isListOfServers = (file: Readonly<Record<string, unknown>>): boolean => {
  const entries = Object.entries(file).filter(([name]) => name !== "$schema")
  return (
    entries.length > 0 &&
    entries.every(([, entry]) => Predicate.hasProperty(entry, "command") || Predicate.hasProperty(entry, "url"))
  )
}

const isOldTransport = (entry: unknown): boolean =>
  Predicate.hasProperty(entry, "type") && Predicate.isString(entry.type) && entry.type.toLowerCase() === "sse"

const unknownKey = (path: ReadonlyArray<PropertyKey>, known: ReadonlyArray<string>): string => {
  const name = String(path.at(-1))
  return isPersonalEntryKey(name)
    ? `"${pathText(path)}" has no effect in a project's file, because only you decide it. Name the server in your user configuration.`
    : `unknown key "${pathText(path)}". Nearest: ${nearest(name, known)[0] ?? known.join(", ")}.`
}

/** True for a key that another program reads: it is not one of ours, nor one of ours misspelled. */
const isForeign = (name: string, value: unknown): boolean => {
  if (isPersonalEntryKey(name)) return name === "tools" && Array.isArray(value)
  return !entryKeys("project").some(
    (one) => distance(one.toLowerCase(), name.toLowerCase()) <= (one.length > 4 ? 2 : 1)
  )
}

/** The entry without the keys of other programs, which are returned beside it. */
const withoutForeign = (entry: unknown) => {
  if (!Predicate.isObject(entry)) return { own: entry, foreign: [] }
  const foreign = Object.entries(entry).flatMap(([name, value]) => (isForeign(name, value) ? [name] : []))
  const own = Object.entries(entry).filter(([name]) => !foreign.includes(name))
  return { own: Object.fromEntries(own), foreign }
}

/**
 * Reads a project's `.mcp.json`: `{ "mcpServers": { NAME: ENTRY } }`. An invalid entry leaves out only that server. Keys that
 * other programs read are ignored with a note; a misspelled key of ours is a mistake.
 */
export const readMcpFile = (text: string) => {
  const servers = new Map<string, McpServerEntry>()
  const json = readJson(text, true)
  if (Result.isFailure(json)) return { servers, problems: [json.failure], notes: [] }
  const { placeOf, value } = json.success
  const given = Predicate.isObject(value) ? (value as Readonly<Record<string, unknown>>) : {}
  const key = ["mcpServers", "servers"].find((name) => Predicate.isObject(given[name]))
  const isBare = key === undefined && isListOfServers(given)
  const entries = key === undefined ? (isBare ? given : undefined) : given[key]
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
  const notes = Object.keys(given)
    .filter((name) => !isBare && name !== key && name !== "$schema")
    .map((name) => ignored([name]))
  for (const [name, entry] of Object.entries(entries)) {
    const { foreign, own } = withoutForeign(ownEntry(entry))
    notes.push(...foreign.map((foreignKey) => ignored([...above, name, foreignKey])))
    if (isOldTransport(entry)) notes.push(oldTransport([...above, name, "type"]))
    const decoded = Schema.decodeUnknownResult(ProjectMcpServerEntry)(own, {
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
  /** Who names it. One that a project names starts only when the person trusts it. */
  readonly scope: "project" | "user"
}

/** A server with all that is needed to start it. */
export interface McpServer extends NamedServer {
  /** The prefix of the names of its tools. */
  readonly prefix: string
  readonly entry: McpServerEntry
  readonly address: McpAddress
  /** What the files held that it runs, when they were read for the question: a hash. */
  readonly files: string
  /** The access that the gate decides about, with what a person is shown. */
  readonly start: Start & { readonly _tag: "StartServer" }
}

/** The environment variables that a program inherits besides those of its entry. */
const passedOn = (
  "HOME LANG LC_ALL LOGNAME PATH SHELL TERM TMPDIR TZ USER " +
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT " +
  "TEMP TMP USERNAME USERPROFILE WINDIR"
).split(" ")

/** The most files of the project that a question names. */
const maxFiles = 10

/** The most characters of a command that a person is asked to judge. */
const maxShown = 8000

/** The values of variables; `folder` is what VS Code calls `workspaceFolder`. */
const readVariables = Effect.fnUntraced(function* (names: ReadonlyArray<string>, folder?: string) {
  const values = new Map<string, string>(folder === undefined ? [] : [["workspaceFolder", folder]])
  for (const name of names) {
    const value = yield* environmentVariable(name)
    if (value !== undefined) values.set(name, value)
  }
  return values
})

const isWebAddress = (url: string): boolean => ["https:", "http:"].includes(URL.parse(url)?.protocol ?? "")

/** The address with its host in ASCII: one in another script may look like a host that the person knows. */
const addressLines = (url: string): ReadonlyArray<string> => {
  const { host, href } = new URL(url)
  return url.toLowerCase().includes(host) ? [`Address: ${url}`] : [`Address: ${href}`, `Written as: ${url}`]
}

const pairs = (label: string, values: Readonly<Record<string, string>> = {}, sign: string): ReadonlyArray<string> =>
  Object.entries(values).map(([name, value]) => `${label}: ${name}${sign}${value}`)

/** The address of a server, and what a person is shown: variables as they are written, not with their values. */
const addressOf = Effect.fnUntraced(function* (
  { entry, scope, written }: Pick<McpServer, "entry" | "scope"> & { readonly written: McpServerEntry },
  project: string
) {
  const { args = [], command, cwd = ".", env = {}, headers = {}, url } = entry
  if (command === undefined) {
    if (url === undefined || !isWebAddress(url)) {
      return yield* Effect.fail(`"url" must be an http or https URL, and is "${url}".`)
    }
    const address: McpAddress = { _tag: "Http", url, headers }
    return { address, place: url, does: [...addressLines(url), ...pairs("Header", written.headers, ": ")] }
  }
  const given = Object.fromEntries(yield* readVariables(passedOn))
  /* Trust in a server of the project covers its program, wherever it is found. */
  const own = scope === "project" ? given : { ...given, PATH: trustedSearchPath(given["PATH"], project) }
  const folder = (yield* Path.Path).resolve(project, cwd)
  const address: McpAddress = { _tag: "Program", command, args, env: { ...own, ...env }, cwd: folder }
  const does = [
    `Command: ${command}`,
    ...args.map((argument) => `Argument: ${argument}`),
    ...pairs("Environment", written.env, "="),
    `Folder: ${folder}`
  ]
  return { address, place: folder, does }
})

/** What a server reads or writes rather than runs, such as its database. */
const isData = (file: string): boolean =>
  /\.(?:conf|csv|db|env|ini|jsonl?|log|md|sqlite3?|toml|txt|xml|ya?ml)$/i.test(file)

/**
 * The files that a server program runs, by path, with what they hold, so that trust in it covers more than its command: the
 * program, the files among its arguments, and the files of the project that those run in turn. None of a server that is only
 * reached.
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
  written: McpServerEntry,
  project: string
) {
  const problem = (detail: string) => new McpProblem({ server: name, detail })
  const prefix = serverPrefix(name)
  if (prefix === undefined) {
    return yield* problem("its name must have 1 to 50 ASCII letters or digits. Rename it.")
  }
  const { entry, missing } = expandEntry(written, yield* readVariables(variablesOf(written), project))
  if (missing.length > 0) {
    const names = missing.join(", ")
    return yield* problem(`the environment has no ${names}. Set ${names}, or write \${${missing[0]}:-default}.`)
  }
  const { address, does, place } = yield* Effect.mapError(addressOf({ entry, scope, written }, project), problem)
  if (scope === "project" && does.join("\n").length > maxShown) {
    return yield* problem(`its command is longer than ${maxShown} characters, too long to be judged. Shorten it.`)
  }
  /* Nobody is asked about one that the person names. */
  const files = scope === "project" ? yield* programFiles(address, project) : []
  const own = files.filter(({ isOwn }) => isOwn).map((file) => file.path)
  const more = own.length > maxFiles ? [`Files of the project that it runs: ${own.length - maxFiles} more`] : []
  const runs = [...own.slice(0, maxFiles).map((file) => `File of the project that it runs: ${file}`), ...more]
  const hash = hashOf([name, written, entry, place, files])
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
 * The servers of the person, then those of the project that the person does not name, and the problems of all others. One
 * that is disabled is not started; if it is the person's, neither is that of the project with its name.
 */
export const readMcpServers = Effect.fn("readMcpServers")(function* (options: {
  /** Absolute. */
  readonly project: string
  /** Those of the person's own configuration. */
  readonly own: Readonly<Record<string, McpServerEntry>>
}) {
  const file = yield* readProjectFile(options.project)
  const named = [
    ...Object.entries(options.own).map(([name, entry]) => ({ name, entry, scope: "user" as const })),
    ...[...file.servers]
      .filter(([name]) => !Object.hasOwn(options.own, name))
      .map(([name, entry]) => ({ name, entry, scope: "project" as const }))
  ]
  const servers = new Map<string, McpServer>()
  const problems: Array<McpProblem> = [...file.problems]
  const disabled = named.filter(({ entry }) => entry.disabled === true)
  for (const { entry, name, scope } of named.filter((one) => !disabled.includes(one))) {
    const server = yield* Effect.result(resolve(name, scope, entry, options.project))
    const other = Result.isSuccess(server) ? servers.get(server.success.prefix) : undefined
    if (Result.isFailure(server)) problems.push(server.failure)
    else if (other === undefined) servers.set(server.success.prefix, server.success)
    else {
      const detail = `its tools would have the names of those of "${other.name}". Rename one of the two.`
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
