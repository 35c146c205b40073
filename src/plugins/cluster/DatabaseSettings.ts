/**
 * The settings for the connection: the address of the database, completed from the environment variables and the
 * password file of PostgreSQL. This module is stricter than `pg` and `pgpass`: every mode with TLS checks certificates,
 * and unsafe or unreadable files are errors. No flag takes a password, because other users of the machine could see it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Client, type PoolConfig } from "pg"
import { parseIntoClientConfig } from "pg-connection-string"
import { match, parseLine, type PasswordPlace } from "pgpass/lib/helper.js"
import { readGivenFile } from "../../kit/files.ts"
import { environmentVariable } from "../../plugin-kit.ts"
import { DatabaseUnavailable } from "./DatabaseErrors.ts"

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
/** The `sslmode` for each value of the parameter `ssl`. */
const switches: ReadonlyMap<string, string> = new Map([
  ["true", "require"],
  ["1", "require"],
  ["false", "disable"],
  ["0", "disable"]
])
const certificateFiles = ["sslrootcert", "sslcert", "sslkey"]

const variableOf = (parameter: string): string => `PG${parameter.toUpperCase()}`

const wrong = (what: string) => new DatabaseUnavailable({ what })

/** The parameters of an address. `sslmode` replaces `ssl`, because `pg` ignores most values of `ssl`. */
const parametersOf = Effect.fnUntraced(function* (query: string) {
  const parameters = new URLSearchParams(query)
  for (const value of parameters.getAll("ssl")) {
    const mode = switches.get(value)
    if (mode === undefined) {
      return yield* wrong(
        `ssl=${value} is not known. It is one of ${[...switches.keys()].join(", ")}; sslmode names a mode of TLS`
      )
    }
    if (!parameters.get("sslmode")) parameters.set("sslmode", mode)
  }
  parameters.delete("ssl")
  return parameters
})

/**
 * The parameters for TLS, completed from the environment. `mode` is the TLS mode that the user asked for. The mode in
 * `parameters` is for `pg`, and may differ.
 */
const tlsParameters = Effect.fnUntraced(function* (query: string) {
  const parameters = yield* parametersOf(query)
  const complete = Effect.fnUntraced(function* (name: string) {
    const value = parameters.get(name) || (yield* environmentVariable(variableOf(name)))
    if (value === undefined || value === "system") parameters.delete(name)
    else parameters.set(name, value)
    return value
  })
  const mode = yield* complete("sslmode")
  if (mode !== undefined && !modes.includes(mode)) {
    return yield* wrong(`the sslmode "${mode}" is not known. It is one of ${modes.join(", ")}`)
  }
  if (mode !== undefined && mode !== "disable") yield* Effect.forEach(certificateFiles, complete)
  /*
   * With the parameter `uselibpqcompat`, `pg` would check certificates only in the modes `verify-ca` and `verify-full`.
   */
  parameters.delete("uselibpqcompat")
  if (mode === "verify-ca") {
    if (!parameters.has("sslrootcert")) {
      return yield* wrong("sslmode=verify-ca needs the certificate of an authority. Name its file in PGSSLROOTCERT")
    }
    parameters.set("uselibpqcompat", "true")
  } else if (mode !== undefined && mode !== "disable") parameters.set("sslmode", "verify-full")
  return { mode, parameters }
})

/**
 * Finds the password for a database in the text of a password file. If the host is a socket folder, a line for
 * `localhost` matches too.
 */
export const findPassword = (text: string, place: PasswordPlace): string | undefined => {
  const hosts = place.host.startsWith("/") ? [place.host, "localhost"] : [place.host]
  return text
    .split(/\r?\n/)
    .flatMap((line) => parseLine(line) ?? [])
    .find((line) => hosts.some((host) => match({ ...place, host }, line)))?.password
}

const passwordFor = Effect.fnUntraced(function* (settings: PoolConfig) {
  const password = yield* environmentVariable("PGPASSWORD")
  if (password !== undefined) return password
  const namedFile = yield* environmentVariable("PGPASSFILE")
  const home = yield* environmentVariable("HOME")
  const path = namedFile ?? (home === undefined ? undefined : `${home}/.pgpass`)
  if (path === undefined) return undefined
  const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(path))
  if (Option.isNone(info)) {
    return namedFile === undefined ? undefined : yield* wrong(`the file ${path} of PGPASSFILE is missing`)
  }
  if ((info.value.mode & 0o077) !== 0) {
    return yield* wrong(`others can read the file of passwords ${path}. Make it your own: chmod 600 ${path}`)
  }
  const text = yield* Effect.mapError(readGivenFile(path), () => wrong(`the file ${path} of PGPASSFILE cannot be read`))
  const { database = "", host, port, user = "" } = new Client(settings)
  return findPassword(text, { host, port, database, user })
})

/** The settings for `pg`. If `isTlsPreferred` is true, a server without TLS is accepted too. */
export const databaseSettings = Effect.fn("databaseSettings")(function* (url: Redacted.Redacted) {
  const address = Redacted.value(url)
  /* `pg` would ignore the text after a # or a second ?, including an `sslmode`. */
  if (address.includes("#")) return yield* wrong("its address has a # in it. Write %23 in its place")
  const [place = "", query = "", ...rest] = address.split("?")
  if (rest.length > 0) return yield* wrong("its address has more than one ? in it. Write %3F for those in names")
  const noAddress = wrong("its address is not an address like postgres://user@host/name")
  if (!/^postgres(?:ql)?:\/\//.test(place)) return yield* noAddress
  const { mode, parameters } = yield* tlsParameters(query)
  const settings: PoolConfig = yield* Effect.try({
    try: () => {
      const read = parseIntoClientConfig(`${place}?${parameters}`)
      /* `pg` does not decode %23 (#) and %3f (?) in the name of a database. */
      const database = read.database?.replaceAll(/%(?:23|3f)/gi, (mark) => decodeURIComponent(mark))
      return { ...read, database }
    },
    catch: (error) => {
      const path = error instanceof Error && "path" in error ? error.path : undefined
      const name = certificateFiles.find((parameter) => parameters.get(parameter) === path)
      return name === undefined ? noAddress : wrong(`the file ${path} of ${variableOf(name)} cannot be read`)
    }
  })
  const needsTls = mode !== undefined && !["disable", "allow", "prefer"].includes(mode)
  if (needsTls && typeof settings.ssl !== "object") {
    return yield* wrong(`the client would not use TLS, which sslmode=${mode} demands`)
  }
  const password = settings.password || (yield* passwordFor(settings))
  return {
    isTlsPreferred: mode === "prefer" || mode === "allow",
    settings: { ...settings, ssl: settings.ssl ?? false, password }
  }
})
