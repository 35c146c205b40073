/**
 * How the database of a cluster is reached: its address, and what the variables and the password file of PostgreSQL's own
 * programs add to it. What the address says is used first. A password never comes from a flag, which other users of the
 * machine could read.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { environmentVariable } from "../configuration/UserFolders.ts"

/** The name of the variable that says where the database is. */
export const databaseVariable = "TASK_CONDUCTOR_DATABASE"

/** There is no database, or it does not answer as it should; `what` never holds its address, which has a password. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  what: Schema.String
}) {
  override get message(): string {
    return `The database that ${databaseVariable} names cannot be used: ${this.what}.`
  }
}

export interface PasswordPlace {
  readonly host: string
  readonly port: string
  readonly database: string
  readonly user: string
}

/** The fields of a line; the password may hold colons only behind a backslash, as the others. */
const fieldsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) => field.replaceAll(/\\(.)/g, "$1"))

/** True when a field of a line is one of these values, or any. */
const fits = (field: string | undefined, values: ReadonlyArray<string>): boolean =>
  field === "*" || (field !== undefined && values.includes(field))

/** The password for a place; nothing when no line fits. A folder of sockets is named by itself or as localhost. */
export const findPassword = (text: string, { database, host, port, user }: PasswordPlace): string | undefined => {
  const hosts = host === "" || host.startsWith("/") ? [host, "localhost"] : [host]
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue
    const [ofHost, ofPort, ofDatabase, ofUser, password] = fieldsOf(line)
    if (fits(ofHost, hosts) && fits(ofPort, [port]) && fits(ofDatabase, [database]) && fits(ofUser, [user])) {
      return password
    }
  }
  return undefined
}

interface Settings {
  readonly url: Redacted.Redacted
  readonly password?: Redacted.Redacted
  /** The certificates of TLS. */
  readonly ssl?: {
    readonly ca?: string
    readonly cert?: string
    readonly key?: string
    readonly checkServerIdentity?: () => undefined
  }
}

/** Values of `sslmode`; of those that ask for TLS, all check the certificate. */
const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/** What is wrong with a setting, for the person who gave it. */
const wrong = (what: string) => new DatabaseUnavailable({ what })

const readSetting = Effect.fnUntraced(function* (name: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.mapError(fs.readFileString(path), () => wrong(`the file ${path} of ${name} cannot be read`))
})

/** A value of the address, or else of the variable that means the same. */
const setting = (address: URL, parameter: string, variable: string) => {
  const given = address.searchParams.get(parameter)
  return given === null || given === "" ? environmentVariable(variable) : Effect.succeed(given)
}

/** The certificates of TLS; nothing when there is to be none, or when it is left to the server. */
const transportOf = Effect.fnUntraced(function* (address: URL) {
  const mode = yield* setting(address, "sslmode", "PGSSLMODE")
  if (mode !== undefined && !modes.includes(mode)) {
    return yield* wrong(`the sslmode "${mode}" is not known. It is one of ${modes.join(", ")}`)
  }
  if (mode === undefined || !["require", "verify-ca", "verify-full"].includes(mode)) return { mode, ssl: undefined }
  const read = Effect.fnUntraced(function* (parameter: string, variable: string) {
    const path = yield* setting(address, parameter, variable)
    return path === undefined || path === "system" ? undefined : yield* readSetting(variable, path)
  })
  const ca = yield* read("sslrootcert", "PGSSLROOTCERT")
  const cert = yield* read("sslcert", "PGSSLCERT")
  const key = yield* read("sslkey", "PGSSLKEY")
  const ssl = {
    ca,
    cert,
    key,
    ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {})
  }
  return { mode, ssl }
})

/** The password of the variables or of the password file; nothing when the address has one, or nobody gave one. */
const passwordOf = Effect.fnUntraced(function* (address: URL) {
  if (address.password !== "" || address.searchParams.has("password")) return undefined
  const given = yield* environmentVariable("PGPASSWORD")
  if (given !== undefined) return given
  const named = yield* environmentVariable("PGPASSFILE")
  const home = yield* environmentVariable("HOME")
  const path = named ?? (home === undefined ? undefined : `${home}/.pgpass`)
  if (path === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  if (Option.isNone(info))
    return named === undefined ? undefined : yield* wrong(`the file ${path} of PGPASSFILE is missing`)
  if ((info.value.mode & 0o077) !== 0) {
    return yield* wrong(`others can read the file of passwords ${path}. Make it your own: chmod 600 ${path}`)
  }
  const { pathname, searchParams } = address
  const user = searchParams.get("user") ?? decodeURIComponent(address.username)
  return findPassword(yield* readSetting("PGPASSFILE", path), {
    host: searchParams.get("host") ?? address.hostname,
    port: searchParams.get("port") ?? (address.port === "" ? "5432" : address.port),
    database: searchParams.get("dbname") ?? (pathname.length > 1 ? decodeURIComponent(pathname.slice(1)) : user),
    user
  })
})

/** What the client of the database is told. */
export const databaseSettings = Effect.fn("databaseSettings")(function* (url: Redacted.Redacted) {
  const address = yield* Effect.try({
    try: () => new URL(Redacted.value(url)),
    catch: () => wrong("its address is no address of the form postgres://user@host/name")
  })
  const { mode, ssl } = yield* transportOf(address)
  const password = yield* passwordOf(address)
  if (mode !== undefined) address.searchParams.set("sslmode", mode)
  const settings: Settings = {
    url: Redacted.make(address.href),
    ...(ssl === undefined ? {} : { ssl }),
    ...(password === undefined ? {} : { password: Redacted.make(password) })
  }
  return settings
})
