/**
 * The names under which the tools of servers appear: `mcp__server__tool`. Pure; called when a server has said what tools
 * it has.
 */

const maxLength = 100

/** `readFile`, `read-file` and `Read File` all become `read_file`; empty when no letter or digit is left. */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")

/** What all names of a server's tools begin with; absent when its name has no ASCII letter or digit. */
export const serverPrefix = (server: string): string | undefined => {
  const words = wordsOf(server)
  return words === "" || words.length > maxLength / 2 ? undefined : `mcp__${words}__`
}

/** The full name of a tool; absent when nothing of it can be used, or too much. */
export const mcpToolName = (prefix: string, tool: string): string | undefined => {
  const words = wordsOf(tool)
  return words === "" || prefix.length + words.length > maxLength ? undefined : `${prefix}${words}`
}
