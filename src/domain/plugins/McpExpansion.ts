/**
 * Puts environment variables into the texts of a server's entry: `${NAME}`, and `${NAME:-default}` for one that is not
 * set. Pure; services/mcp/McpServers brings the environment.
 */
import type { McpServerEntry } from "./McpServerEntry.ts"

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** What became of the texts of an entry. */
export interface Expansion {
  readonly entry: McpServerEntry
  /** Variables without a value and without a default, each once. */
  readonly missing: ReadonlyArray<string>
}

/** The variables that the texts of an entry name, each once. */
export const variablesOf = (entry: McpServerEntry): ReadonlyArray<string> => {
  const { args = [], command = "", cwd = "", env = {}, headers = {}, url = "" } = entry
  const texts = [command, cwd, url, ...args, ...Object.values(env), ...Object.values(headers)]
  return [...new Set(texts.flatMap((text) => [...text.matchAll(variable)].map(([, name = ""]) => name)))]
}

/** Fills in the values; an empty value counts as none. */
export const expandEntry = (entry: McpServerEntry, values: ReadonlyMap<string, string>): Expansion => {
  const missing = new Set<string>()
  const expand = (text: string): string =>
    text.replaceAll(variable, (_, name: string, fallback: string | undefined) => {
      const value = (values.get(name) || fallback) ?? undefined
      if (value === undefined) missing.add(name)
      return value ?? ""
    })
  const expandAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text)]))
  const { args, command, cwd, env, headers, url } = entry
  const expanded: McpServerEntry = {
    ...entry,
    ...(command === undefined ? {} : { command: expand(command) }),
    ...(args === undefined ? {} : { args: args.map(expand) }),
    ...(env === undefined ? {} : { env: expandAll(env) }),
    ...(cwd === undefined ? {} : { cwd: expand(cwd) }),
    ...(url === undefined ? {} : { url: expand(url) }),
    ...(headers === undefined ? {} : { headers: expandAll(headers) })
  }
  return { entry: expanded, missing: [...missing] }
}
