/** The user's settings for a plugin: its secrets, and its checked configuration. */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { GivenConfiguration } from "../../domain/configuration/Configuration.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { modelFaults, modelSentence, pathText } from "../../domain/text/SchemaText.ts"
import { readSchemaSource, type SchemaSource } from "../../domain/tools/SchemaSource.ts"

/** The settings that a plugin's tools receive. */
export interface PluginSettings {
  /** The decoded configuration; undefined for a plugin without one. */
  readonly config: unknown
  /**
   * Returns the value of a declared secret. If a required secret is missing, throws a `ToolFailure` that says how to
   * provide it.
   */
  readonly secret: (name: string) => string
}

/** The purpose of a secret, for the user. An optional secret may be missing. */
export type SecretNeed = string | { readonly use: string; readonly optional: true }

export const isOptional = (need: SecretNeed): boolean => typeof need !== "string"

export const useOf = (need: SecretNeed): string => (typeof need === "string" ? need : need.use)

/** What is needed to find the secrets of a plugin. */
interface SecretHolder {
  readonly name: string
  readonly secrets?: Readonly<Record<string, SecretNeed>>
  readonly secretValues?: ReadonlyMap<string, Result.Result<string, string>>
}

/** Says why a secret is missing, what it is for, and how to provide it. */
const missingText = (name: string, purpose: string, why: string): string => {
  const use = purpose.trim().replace(/\.$/, "")
  return `the secret ${name} is missing (${use}): ${why.replace(/\.$/, "")}.`
}

/** One message for each required secret that is missing. */
export const missingSecrets = ({ secrets = {}, secretValues = new Map() }: SecretHolder): ReadonlyArray<string> =>
  Object.entries(secrets).flatMap(([name, need]) => {
    const value = secretValues.get(name) ?? Result.fail(`set the environment variable ${name}`)
    return Result.isFailure(value) && !isOptional(need) ? [missingText(name, useOf(need), value.failure)] : []
  })

/** Returns the value of a secret by its name. A missing optional secret is an empty text. */
export const secretOf =
  (plugin: SecretHolder) =>
  (name: string): string => {
    const value = plugin.secretValues?.get(name)
    if (value !== undefined && Result.isSuccess(value)) return value.success
    const { secrets = {} } = plugin
    const need = Object.hasOwn(secrets, name) ? secrets[name] : undefined
    if (need !== undefined && isOptional(need)) return ""
    const [missing] = missingSecrets({ ...plugin, secrets: { [name]: need ?? "" } })
    const isDeclared = need !== undefined
    const message = isDeclared
      ? `T${missing?.slice(1)}`
      : `The plugin ${plugin.name} does not declare the secret ${name} in "secrets". This is a fault of the plugin.`
    throw new ToolFailure({ type: isDeclared ? "not_found" : "internal_error", message })
  }

/** The settings of the plugin whose tools are being opened. */
export const CurrentSettings = Context.Reference<PluginSettings>("task-conductor/services/tools/CurrentSettings", {
  defaultValue: () => ({ config: undefined, secret: secretOf({ name: "" }) })
})

const howToSet = (plugin: string): string => `Write [${JSON.stringify(plugin)}, { ... }] in the place of its name.`

/** What is needed to read the configuration of a plugin. */
interface ConfigurablePlugin {
  readonly name: string
  readonly named?: string
  readonly config?: SchemaSource
  readonly configuration?: GivenConfiguration
}

/**
 * Decodes the configuration of a plugin. Without a configuration, decodes the defaults of its schema. The error is the
 * end of a sentence: the file, the path of each wrong value, and what is expected.
 */
export const readPluginConfiguration = ({
  config: schema,
  configuration: configured,
  name,
  named = name
}: ConfigurablePlugin): Result.Result<unknown, string> => {
  if (schema === undefined) {
    return configured === undefined
      ? Result.succeed(undefined)
      : Result.fail(
          `it takes no configuration, and ${configured.source} has one for it ("${pathText(configured.path)}").`
        )
  }
  const usable = readSchemaSource(schema)
  if (Result.isFailure(usable)) return Result.fail(`its "config" is ${usable.failure}`)
  const value = configured?.value ?? {}
  const decoded = Schema.decodeUnknownResult(usable.success.codec)(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  const faults = modelFaults(decoded.failure, value)
  if (configured === undefined) {
    const missing = faults.map((fault) => modelSentence(`"${pathText(fault.path)}"`, fault)).join(" ")
    return Result.fail(`it needs a configuration: ${missing} ${howToSet(named)}`)
  }
  const wrong = faults
    .map((fault) => modelSentence(`"${pathText([...configured.path, ...fault.path])}"`, fault))
    .join(" ")
  return Result.fail(`its configuration in ${configured.source} cannot be used: ${wrong}`)
}
