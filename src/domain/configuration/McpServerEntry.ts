/**
 * Defines the entry of an MCP server: a program to start, or an address to connect to. The user's configuration may
 * contain more keys than a project's `.mcp.json`. Entries of other programs are read too.
 */
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { EffectClass, Risk } from "../tools/Access.ts"

const key = <A>(schema: Schema.Codec<A>, description: string) => Schema.optionalKey(schema.annotate({ description }))

const texts = Schema.Record(Schema.String, Schema.String)

const kind = Schema.String.annotate({
  description: '"stdio" for a program, "http" for an address. Optional.'
}).check(
  Schema.makeFilter((type: string) => {
    if (type === "stdio" || type === "http") return true
    return `must be "stdio" or "http", but is ${JSON.stringify(type)}`
  })
)

/** Other programs' names for the two kinds of servers, without capitals and separators. */
const kindNames: Readonly<Record<string, "stdio" | "http">> = {
  stdio: "stdio",
  local: "stdio",
  command: "stdio",
  process: "stdio",
  http: "http",
  https: "http",
  remote: "http",
  url: "http",
  streamable: "http",
  streamablehttp: "http",
  httpstream: "http",
  sse: "http"
}

/** Other programs' names for the keys of an entry. */
const keyNames: Readonly<Record<string, keyof Fields>> = {
  environment: "env",
  httpUrl: "url",
  serverUrl: "url",
  workingDirectory: "cwd"
}

type Entry = Readonly<Record<string, unknown>>

const isScalar = (value: unknown): value is number | boolean => typeof value === "number" || typeof value === "boolean"

/** Converts variables to texts, because other programs also allow numbers. */
const asTexts = (values: unknown): unknown =>
  Predicate.isObject(values) && !Array.isArray(values)
    ? Record.map(values as Entry, (value) => (isScalar(value) ? String(value) : value))
    : values

/** Splits a list with the command and its arguments, as some programs write it. */
const splitCommandList = ({ args, command, ...entry }: Entry): Entry => {
  if (!Array.isArray(command))
    return { ...entry, ...(command === undefined ? {} : { command }), ...(args === undefined ? {} : { args }) }
  const [program, ...words] = command as ReadonlyArray<unknown>
  return { ...entry, command: program, args: [...words, ...(Array.isArray(args) ? args : [])] }
}

/**
 * Converts an entry of another program to the form of this program. Other programs have other names for the connection
 * type (`type`) and for some keys. They write "enabled" instead of "disabled".
 */
export const ownEntry = (entry: unknown): unknown => {
  if (!Predicate.isObject(entry) || Array.isArray(entry)) return entry
  const renamed = Object.entries(entry).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
    const own = keyNames[name]
    if (own !== undefined && !(own in entry)) return [[own, value]]
    if (name !== "enabled" || typeof value !== "boolean") return [[name, value]]
    return value || "disabled" in entry ? [] : [["disabled", true]]
  })
  const { env, type, ...settings } = splitCommandList(Object.fromEntries(renamed))
  const kind = typeof type === "string" ? kindNames[type.toLowerCase().replaceAll(/[^a-z]/g, "")] : undefined
  return {
    ...settings,
    ...(type === undefined ? {} : { type: kind ?? type }),
    ...(env === undefined ? {} : { env: asTexts(env) })
  }
}

const McpToolSettings = Schema.Struct({
  risk: key(Risk, "The risk of this tool, whatever the server says."),
  effect: key(EffectClass, "What happens if a call is repeated after a crash.")
})

/** All keys of an entry. `entryProblem` checks their combination. */
const fields = Schema.Struct({
  type: Schema.optionalKey(kind),
  command: key(Schema.NonEmptyString, "The program to start. No shell interprets it."),
  args: key(Schema.Array(Schema.String), "The arguments of the program."),
  env: key(
    texts,
    "Environment variables of the program. ${NAME} and ${NAME:-default} are replaced by the value of your variable."
  ),
  cwd: key(Schema.NonEmptyString, "The folder in which the program starts. Default: the project."),
  url: key(Schema.NonEmptyString, "The address of a server that speaks streamable HTTP."),
  headers: key(texts, "HTTP headers that are sent with every request."),
  disabled: key(Schema.Boolean, "True for a server that is not to be started."),
  startTimeout: key(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 })),
    "How many seconds the server may take to start. Default: 10."
  ),
  risk: key(Risk, "The risk of its tools. Default: medium. What a server says about a tool can only raise it."),
  tools: key(
    Schema.Record(Schema.String, McpToolSettings),
    "Settings of individual tools, by the name that the server uses."
  )
})

type Fields = typeof fields.Type

const ofPrograms = ["args", "env", "cwd"] as const satisfies ReadonlyArray<keyof Fields>

/** What is wrong with the fields of an entry together, and how to fix it. True if nothing is wrong. */
const entryProblem = ({ type, ...entry }: Fields): string | true => {
  const { command, headers, url } = entry
  if (command !== undefined && url !== undefined) return 'holds "command" and "url". Leave one of them out'
  if (command === undefined && url === undefined) {
    return 'has neither "command" nor "url". Add one of them'
  }
  if (command === undefined) {
    const foreign = ofPrograms.find((name) => entry[name] !== undefined)
    if (foreign !== undefined) return `holds "${foreign}", which a server with an address cannot have. Remove it`
    return type === "stdio" ? 'has the type "stdio" and an address. Use "http", or "command" instead of "url"' : true
  }
  if (headers !== undefined) return 'holds "headers", which a program cannot have. Remove them'
  return type === "http" ? 'has the type "http" and a program. Use "stdio", or "url" instead of "command"' : true
}

export const McpServerEntry = fields.check(Schema.makeFilter(entryProblem))
export type McpServerEntry = typeof McpServerEntry.Type

/** Keys for the user's configuration only, because they decide how far the program trusts a server. */
const personal = ["risk", "tools", "startTimeout"] as const

export const ProjectMcpServerEntry = fields.mapFields(Struct.omit(personal)).check(Schema.makeFilter(entryProblem))

export const entryKeys = (scope: "user" | "project"): ReadonlyArray<string> =>
  Object.keys(fields.fields).filter((name) => scope === "user" || !personal.some((one) => one === name))

export const isPersonalEntryKey = (name: string): boolean => personal.some((one) => one === name)
