/**
 * What a person sets for a plugin, as the plugin gets it: its configuration, held against the schema that it declares.
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { GivenConfiguration } from "../../domain/configuration/Configuration.ts"
import { modelFaults, modelSentence, pathText } from "../../domain/text/SchemaText.ts"
import { readSchemaSource, type SchemaSource } from "../../domain/tools/SchemaSource.ts"

/** What the tools of a plugin are given of its settings. */
export interface PluginSettings {
  /** The decoded configuration; undefined for a plugin that takes none. */
  readonly config: unknown
}

/** The settings of the plugin whose tools are opened. */
export const CurrentSettings = Context.Reference<PluginSettings>("task-conductor/services/tools/CurrentSettings", {
  defaultValue: () => ({ config: undefined })
})

const howToSet = (plugin: string): string => `Write [${JSON.stringify(plugin)}, { ... }] in the place of its name.`

/** The part of a plugin that its configuration is about. */
interface ConfigurablePlugin {
  readonly name: string
  readonly named?: string
  readonly config?: SchemaSource
  readonly given?: GivenConfiguration
}

/**
 * The decoded configuration of a plugin. Fails with the rest of a sentence about the plugin: the file, the path of each wrong value, and
 * what is expected there. Without a configuration the defaults of the schema hold.
 */
export const readPluginConfiguration = ({
  config: schema,
  given,
  name,
  named = name
}: ConfigurablePlugin): Result.Result<unknown, string> => {
  if (schema === undefined) {
    return given === undefined
      ? Result.succeed(undefined)
      : Result.fail(`it takes no configuration, and ${given.source} has one for it ("${pathText(given.path)}").`)
  }
  const usable = readSchemaSource(schema)
  if (Result.isFailure(usable)) return Result.fail(`its "config" is ${usable.failure}`)
  const value = given?.value ?? {}
  const decoded = Schema.decodeUnknownResult(usable.success.codec)(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  const faults = modelFaults(decoded.failure, value)
  if (given === undefined) {
    const missing = faults.map((fault) => modelSentence(`"${pathText(fault.path)}"`, fault)).join(" ")
    return Result.fail(`it needs a configuration: ${missing} ${howToSet(named)}`)
  }
  const wrong = faults.map((fault) => modelSentence(`"${pathText([...given.path, ...fault.path])}"`, fault)).join(" ")
  return Result.fail(`its configuration in ${given.source} cannot be used: ${wrong}`)
}
