/**
 * Reads the secrets that plugins declare. A secret comes from the source that the user's own configuration names, or
 * from the environment. It never comes from a project.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { execFile } from "node:child_process"
import { commandText } from "../../domain/commands/CommandText.ts"
import { leastSecret, type SecretSource } from "../../domain/configuration/SecretSource.ts"
import { CurrentUser, environmentVariable } from "../configuration/UserFolders.ts"

/**
 * Returns a secret by its name. A failure is the end of a sentence that says why the secret is missing and what to do.
 */
export type SecretReader = (
  name: string
) => Effect.Effect<Result.Result<string, string>, never, FileSystem.FileSystem | Path.Path>

export interface SecretPlaces {
  readonly sources: Readonly<Record<string, SecretSource>>
  /** The path of the user's own configuration file. */
  readonly file: string
  readonly home: string
}

const everybodyElse = 0o077
const mostBytes = 65_536
const commandTime = 30_000

/** The text of a file with a secret. Fails if anybody but the user can read the file. */
const readSecretFile = Effect.fnUntraced(function* (written: string, { file, home }: SecretPlaces) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const place = path.resolve(path.dirname(file), written.replace(/^~(?=[\\/])/, home))
  const info = yield* Effect.result(fs.stat(place))
  if (Result.isFailure(info)) return yield* Effect.fail(`the file ${place} cannot be read. Write the secret into it`)
  const { mode, size, type } = info.success
  if (type !== "File" || Number(size) > mostBytes) return yield* Effect.fail(`${place} is no file with a secret alone`)
  const { uid } = yield* CurrentUser
  if (uid !== undefined && (mode & everybodyElse) !== 0) {
    return yield* Effect.fail(`others can read the file ${place}. Make it your own: chmod 600 ${place}`)
  }
  return yield* Effect.mapError(fs.readFileString(place), () => `the file ${place} cannot be read`)
})

/** The output of a command that prints a secret. Its error output is discarded, because it may contain the secret. */
const printedSecret = ([program, ...words]: readonly [string, ...ReadonlyArray<string>]) =>
  Effect.callback<string, string>((resume) => {
    const options = { timeout: commandTime, maxBuffer: mostBytes, windowsHide: true }
    const child = execFile(program, words, options, (error, stdout) => {
      const how = error === null ? "" : error.killed === true ? "took too long" : "failed"
      const shown = commandText([program, ...words])
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(`the command ${shown} ${how}. Run it to see why`))
    })
    child.stdin?.end()
    return Effect.sync(() => child.kill())
  })

const readSource = (source: SecretSource, places: SecretPlaces) => {
  if ("file" in source) return readSecretFile(source.file, places)
  if ("command" in source) return printedSecret(source.command)
  const { environment } = source
  return Effect.flatMap(environmentVariable(environment), (value) =>
    value === undefined ? Effect.fail(`the environment variable ${environment} is not set`) : Effect.succeed(value)
  )
}

const howToGive = (name: string, file: string): string =>
  `Set the environment variable ${name}, or write under "secrets" in ${file} where it is: { ${JSON.stringify(name)}: { "file": "..." } }, or { "command": [...] }`

export const makeSecretReader =
  (places: SecretPlaces): SecretReader =>
  (name) =>
    Effect.result(
      Effect.gen(function* () {
        const source = Object.hasOwn(places.sources, name) ? places.sources[name] : undefined
        const found = source === undefined ? yield* environmentVariable(name) : yield* readSource(source, places)
        const value = found?.trim() ?? ""
        if (value === "") return yield* Effect.fail(howToGive(name, places.file))
        if (value.length >= leastSecret) return value
        return yield* Effect.fail(`it has fewer than ${leastSecret} characters, which is no secret`)
      })
    )
