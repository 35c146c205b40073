/**
 * Reads the settings of a run from the project's file, the user's file and the environment, and merges them. Flags are
 * merged later. Also changes single values in a configuration file, and keeps the rest of its text.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import { applyEdits, modify } from "jsonc-parser"
import {
  type Configuration,
  mergeConfigurations,
  type ConfigurationScope,
  readConfiguration,
  serverAddresses
} from "../../domain/configuration/Configuration.ts"
import { readJson } from "../../domain/text/JsonText.ts"
import { pathText } from "../../domain/text/SchemaText.ts"
import { declarationProblems } from "../tools/CommandTools.ts"
import { readBoundedFile } from "../files/GivenFile.ts"
import { ConfigurationError } from "./ConfigurationError.ts"
import { environmentVariable } from "./UserFolders.ts"
import { canonicalPath } from "../files/CanonicalPath.ts"
import { replaceFile } from "../files/AtomicWrite.ts"

/** The settings from files and environment, merged and per file. */
export interface LoadedConfiguration {
  /** All settings. The environment wins over the user's file, and the user's file wins over the project's file. */
  readonly merged: Configuration
  readonly project: Configuration
  readonly user: Configuration
  /** The settings of the user's file and the environment. */
  readonly userSettings: Configuration
}

/** The problems of tools that a configuration file declares, with their positions. */
const toolProblems = ({ tools = {} }: Configuration, text: string) =>
  Object.entries(tools).flatMap(([name, declared]) =>
    declarationProblems(name, declared).map(({ path, what }) => {
      const place = ["tools", name, ...path]
      const { column, line } = Result.match(readJson(text), {
        onSuccess: ({ placeOf }) => placeOf(place),
        onFailure: (problem) => problem
      })
      return { line, column, what: `"${pathText(place)}": ${what}` }
    })
  )

export const projectFileName = "task-conductor.json"

const environment: Effect.Effect<Configuration, ConfigurationError> = Effect.gen(function* () {
  const model = yield* environmentVariable("TASK_CONDUCTOR_MODEL")
  const addresses = yield* Effect.all(Record.map(serverAddresses, ({ variable }) => environmentVariable(variable)))
  const slots = yield* environmentVariable("OLLAMA_NUM_PARALLEL")
  const parallel = slots === undefined ? undefined : Number(slots)
  if (parallel !== undefined && !(Number.isInteger(parallel) && parallel >= 1 && parallel <= 64)) {
    return yield* new ConfigurationError({
      source: "OLLAMA_NUM_PARALLEL",
      problems: [{ what: `must be a whole number between 1 and 64, but is "${slots}".` }]
    })
  }
  return {
    ...(model === undefined ? {} : { model }),
    ...Record.filter(addresses, (address) => address !== undefined),
    ...(parallel === undefined ? {} : { parallel })
  }
})

/** The text of a file, or `otherwise` if the file is missing. */
const readOr = (file: string, otherwise: string) =>
  Effect.catchIf(
    readBoundedFile(file),
    (error) => error.reason === "missing",
    () => Effect.succeed(otherwise)
  )

/** Reads a configuration file. A missing file sets nothing. */
const readFile = Effect.fnUntraced(function* (file: string, scope: ConfigurationScope) {
  const invalid = (problems: ConfigurationError["problems"]) => new ConfigurationError({ source: file, problems })
  const text = yield* Effect.mapError(readOr(file, "{}"), ({ what }) => invalid([{ what }]))
  const configuration = yield* Effect.mapError(Effect.fromResult(readConfiguration(text, scope)), invalid)
  const problems = toolProblems(configuration, text)
  return problems.length === 0 ? configuration : yield* invalid(problems)
})

/** The configuration that a calling program passes. If it is set, no files are read. */
export const ProgramConfiguration = Context.Reference<Configuration | undefined>(
  "task-conductor/services/configuration/ConfigurationFile/ProgramConfiguration",
  { defaultValue: () => undefined }
)

/**
 * Checks the configuration that a calling program passed. It is checked as strictly as a file, so unknown keys are
 * errors.
 */
const readProgram = (given: Configuration) =>
  Effect.mapError(
    Effect.fromResult(readConfiguration(JSON.stringify(given), "user")),
    (problems) => new ConfigurationError({ source: "configuration", problems: problems.map(({ what }) => ({ what })) })
  )

/** Reads the settings for a project folder. If `userFile` is undefined, no user file is read. */
export const loadConfiguration = Effect.fn("loadConfiguration")(function* (
  folder: string,
  userFile: string | undefined
) {
  const program = yield* ProgramConfiguration
  const fileOfProject = (yield* Path.Path).join(folder, projectFileName)
  const project = program === undefined ? yield* readFile(fileOfProject, "project") : {}
  const file = userFile === undefined ? Effect.succeed({}) : readFile(userFile, "user")
  const user = yield* program === undefined ? file : readProgram(program)
  const own = mergeConfigurations(user, yield* environment)
  const loaded: LoadedConfiguration = { project, user, userSettings: own, merged: mergeConfigurations(project, own) }
  return loaded
})

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" }

const withSetting = (text: string, place: ReadonlyArray<string>, value: string): string => {
  const begin = text.trim() === "" ? "{}" : text
  const changed = applyEdits(begin, modify(begin, [...place], value, { formattingOptions }))
  return changed.endsWith("\n") ? changed : `${changed}\n`
}

/**
 * Sets the value at these keys of a configuration file. Fails with a sentence if the file cannot be read or written.
 */
export const saveSetting = Effect.fn("saveSetting")(function* (
  file: string,
  place: readonly [keyof Configuration, ...ReadonlyArray<string>],
  value: string
) {
  const text = yield* readOr(file, "")
  const path = yield* Path.Path
  const target = yield* canonicalPath(path.dirname(file), file)
  yield* replaceFile(target.path, withSetting(text, place, value))
})
