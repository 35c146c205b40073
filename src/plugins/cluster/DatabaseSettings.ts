/**
 * How the database is reached: by its address, completed by the variables and the password file of PostgreSQL's own programs. The
 * client reads the address and its defaults, and `pgpass` the lines of the file. What both leave open is closed here: every mode
 * of TLS checks certificates, a mode that is misspelled is an error, and so is a file that cannot be read or that others can.
 * A password never comes from a flag, which other users of the machine could read.
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
/** What the parameter `ssl` of an address may say, and the mode that says the same. */
const switches: ReadonlyMap<string, string> = new Map([
  ["true", "require"],
  ["1", "require"],
  ["false", "disable"],
  ["0", "disable"]
])
const certificateFiles = ["sslrootcert", "sslcert", "sslkey"]

/** The variable that means the same as a parameter of the address. */
const variableOf = (parameter: string): string => `PG${parameter.toUpperCase()}`

/** What is wrong with a setting, for the person who gave it. */
const wrong = (what: string) => new DatabaseUnavailable({ what })

/** The parameters of an address with a mode in the place of `ssl`, of which the client would overlook all but a few values. */
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

/** The parameters of TLS of an address, completed from the environment; `mode` is the one that was asked for. */
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
  /* With it the client would check no certificate in the modes below `verify-ca`, and no host in that. */
  parameters.delete("uselibpqcompat")
  if (mode === "verify-ca") {
    if (!parameters.has("sslrootcert")) {
      return yield* wrong("sslmode=verify-ca needs the certificate of an authority. Name its file in PGSSLROOTCERT")
    }
    parameters.set("uselibpqcompat", "true")
  } else if (mode !== undefined && mode !== "disable") parameters.set("sslmode", "verify-full")
  return { mode, parameters }
})

/** The password for a place in the text of a password file. A folder of sockets is named by itself or as localhost. */
export const findPassword = (text: string, place: PasswordPlace): string | undefined => {
  const hosts = place.host.startsWith("/") ? [place.host, "localhost"] : [place.host]
  return text
    .split(/\r?\n/)
    .flatMap((line) => parseLine(line) ?? [])
    .find((line) => hosts.some((host) => match({ ...place, host }, line)))?.password
}

/** The password of the variables or of the password file. */
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

/** The settings of the client. With `isTlsPreferred` a server without TLS is used as well. */
export const databaseSettings = Effect.fn("databaseSettings")(function* (url: Redacted.Redacted) {
  const address = Redacted.value(url)
  /* The client would drop what follows these marks, and with it a mode of TLS. */
  if (address.includes("#")) return yield* wrong("its address has a # in it. Write %23 in its place")
  const [place = "", query = "", ...rest] = address.split("?")
  if (rest.length > 0) return yield* wrong("its address has more than one ? in it. Write %3F for those in names")
  const noAddress = wrong("its address is not an address like postgres://user@host/name")
  if (!/^postgres(?:ql)?:\/\//.test(place)) return yield* noAddress
  const { mode, parameters } = yield* tlsParameters(query)
  const settings: PoolConfig = yield* Effect.try({
    try: () => {
      const read = parseIntoClientConfig(`${place}?${parameters}`)
      /* The client decodes no such mark in the name of a database. */
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
