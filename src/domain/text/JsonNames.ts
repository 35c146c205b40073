/**
 * The names in JSON that commands print: `snake_case` everywhere, while values in TypeScript have `camelCase`.
 */
import { printableJson } from "./Printable.ts"

/** What stands under these names is somebody else's: arguments and results of tools, JSON schemas, metadata of skills. */
const foreign: ReadonlySet<string> = new Set(["arguments", "data", "metadata", "parameters", "schema"])

/** `endsAtSeconds` as `ends_at_seconds`; `_tag` and names that have no capitals stay. */
export const snakeName = (name: string): string => name.replace(/[a-z0-9](?=[A-Z])/g, "$&_").toLowerCase()

/** The same value with the names of its fields in `snake_case`, but for what belongs to others. */
const snakeNames = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeNames)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [snakeName(name), foreign.has(name) ? part : snakeNames(part)])
  )
}

/** JSON for whoever reads a command's output: names in `snake_case`, and no power over a terminal that shows it. */
export const outputJson = (value: unknown, indent?: number): string => printableJson(snakeNames(value), indent)
