/** Replaces environment variables in the entries of servers: `${NAME}`, or `${NAME:-default}`. */
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import type { McpServerEntry } from "../../kit/tools.ts"

/** Matches a variable, also as other programs write it: `${env:NAME}`, `{env:NAME}`. */
const variable = /\$?\{env:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

interface Expansion {
  readonly entry: McpServerEntry
  /** Variables without a value or default, each once. */
  readonly missing: ReadonlyArray<string>
}

/** Applies a function to every text of an entry that may contain variables. */
const mapTexts = (entry: McpServerEntry, write: (text: string) => string): McpServerEntry => {
  const { args, command, cwd, env, headers, url } = entry
  return {
    ...entry,
    ...Record.map(Record.filter({ command, cwd, url }, Predicate.isNotUndefined), write),
    ...(args === undefined ? {} : { args: args.map(write) }),
    ...Record.map(Record.filter({ env, headers }, Predicate.isNotUndefined), (texts) => Record.map(texts, write))
  }
}

export const variablesOf = (entry: McpServerEntry): ReadonlyArray<string> => {
  const names = new Set<string>()
  mapTexts(entry, (text) => {
    for (const [, foreign, , name = foreign ?? ""] of text.matchAll(variable)) names.add(name)
    return text
  })
  return [...names]
}

/** Replaces the variables of an entry. An empty value counts as unset. */
export const expandEntry = (entry: McpServerEntry, values: ReadonlyMap<string, string>): Expansion => {
  const missing = new Set<string>()
  const expand = (text: string): string =>
    text.replaceAll(variable, (_, foreign?: string, foreignFallback?: string, own?: string, ownFallback?: string) => {
      const name = own ?? foreign ?? ""
      const value = (values.get(name) || (ownFallback ?? foreignFallback)) ?? undefined
      if (value === undefined) missing.add(name)
      return value ?? ""
    })
  return { entry: mapTexts(entry, expand), missing: [...missing] }
}
