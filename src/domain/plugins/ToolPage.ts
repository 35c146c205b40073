/** Describes one tool as markdown for users: its effect, its parameters, an example, and its failures. */
import { tableCell } from "../text/Format.ts"
import type { EffectClass, Risk } from "../tools/Access.ts"
import type { ToolInfo } from "../tools/ToolCall.ts"
import { isSchema, type JsonSchema, propertiesOf, requiredOf } from "../tools/ToolSchema.ts"

const riskMeanings: Readonly<Record<Risk, string>> = {
  safe: "runs without a question",
  medium: "asks",
  high: "asks with a warning"
}

const effectMeanings: Readonly<Record<EffectClass, string>> = {
  pure: "changes nothing",
  idempotent: "done twice is as done once",
  once: "done twice is two effects"
}

/** A type as text, such as `integer, 1 to 1000`, `one of a, b` or `array of string`. */
const typeText = (schema: JsonSchema): string => {
  const { anyOf, enum: choices, items, maximum, minimum, type } = schema
  if (Array.isArray(choices)) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`
  if (Array.isArray(anyOf)) return anyOf.filter(isSchema).map(typeText).join(" or ")
  if (type === "array") return isSchema(items) ? `array of ${typeText(items)}` : "array"
  const name = typeof type === "string" ? type : "any"
  if (typeof minimum === "number" && typeof maximum === "number") return `${name}, ${minimum} to ${maximum}`
  return typeof minimum === "number" ? `${name}, from ${minimum}` : name
}

const parameterLines = (parameters: JsonSchema): ReadonlyArray<string> => {
  const required = new Set(requiredOf(parameters))
  const properties = [...propertiesOf(parameters)]
  if (properties.length === 0) return ["It takes no parameters."]
  return [
    "| parameter | type | required | meaning |",
    "|---|---|---|---|",
    ...properties.map(([name, schema]) => {
      const meaning = typeof schema["description"] === "string" ? schema["description"] : ""
      return `| \`${name}\` | ${tableCell(typeText(schema))} | ${required.has(name) ? "yes" : "no"} | ${tableCell(meaning)} |`
    })
  ]
}

const errorLines = ({ errors = {} }: ToolInfo): ReadonlyArray<string> => {
  const entries = Object.entries(errors)
  if (entries.length === 0) return []
  return ["", "| error | when |", "|---|---|", ...entries.map(([type, when]) => `| \`${type}\` | ${tableCell(when)} |`)]
}

/** The page as markdown. The name of the tool is a heading of the second level. */
export const toolPage = (info: ToolInfo): string =>
  [
    `## ${info.name}`,
    "",
    info.description,
    "",
    `- Origin: ${info.origin}`,
    `- Risk: ${info.risk}, ${riskMeanings[info.risk]}`,
    `- Effect: ${info.effect}, ${effectMeanings[info.effect]}`,
    "",
    ...parameterLines(isSchema(info.parameters) ? info.parameters : {}),
    "",
    "```json",
    JSON.stringify({ name: info.name, arguments: info.example }),
    "```",
    ...errorLines(info)
  ].join("\n")
