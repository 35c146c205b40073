/** Describes a tool call in a few words for progress lines: its name and its main argument. */
import type { ToolCall } from "../tools/ToolCall.ts"

/** The arguments that tell most about a call, in order of preference. */
const mainArguments = ["pattern", "query", "argv", "command", "url", "path", "title", "id"] as const

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.map(textOf).join(" ") : JSON.stringify(value)

/** The path, relative to the project if it is inside. */
const withinProject = (path: string, project: string): string =>
  project !== "" && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path

/** The lines that a call reads, such as `:12-40` or `:12-`; empty for a whole file. */
const linesPart = ({ end_line: end, start_line: start }: ToolCall["arguments"]): string =>
  typeof start !== "number" && typeof end !== "number"
    ? ""
    : `:${typeof start === "number" ? start : 1}-${typeof end === "number" ? end : ""}`

/**
 * The subject of a call: a pattern and its folder, a command, an address, or a file with its lines. If the arguments
 * name no subject, it comes from `targets`, the canonical accesses of the call.
 */
const callArgument = (call: ToolCall, targets: ReadonlyArray<string> = [], project = ""): string => {
  const values = call.arguments
  const main = mainArguments.find((name) => values[name] !== undefined && values[name] !== null)
  if (main === undefined) {
    const [first] = Object.values(values)
    return targets.length > 0
      ? targets.map((target) => withinProject(target, project)).join(" ")
      : first === undefined
        ? ""
        : textOf(first)
  }
  const what = textOf(values[main])
  if (main === "pattern" || main === "query") {
    const where = [values["path"], values["glob"]].filter((one) => typeof one === "string")
    return [`"${what}"`, ...(where.length === 0 ? [] : ["in", ...where])].join(" ")
  }
  const known = withinProject(main === "path" && targets.length === 1 ? (targets[0] ?? what) : what, project)
  return `${known}${main === "path" ? linesPart(values) : ""}`
}

export const toolCallText = (call: ToolCall, targets: ReadonlyArray<string> = [], project = ""): string =>
  [call.name, callArgument(call, targets, project)].filter((part) => part !== "").join(" ")
