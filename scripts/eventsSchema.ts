/**
 * The JSON schema of the lines of `--json`: the events with the key names of the command line.
 */
import * as Schema from "effect/Schema"
import { RunEvent } from "../src/domain/runs/RunEvent.ts"
import { foreignNames, snakeName } from "../src/domain/text/Json.ts"

type JsonObject = { readonly [key: string]: Schema.Json }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `Task` for `task-conductor/domain/plan/TaskEncoded`. */
const definitionName = (name: string): string => name.replace(/^.*\//, "").replace(/Encoded$/, "")

const renamedReference = (reference: string): string =>
  `#/$defs/${definitionName(reference.replace(/^.*\//, "").replaceAll("~1", "/"))}`

/** The schema with `snake_case` property names, except for data of tools and servers. */
const snakeSchema = (schema: Schema.Json): Schema.Json => {
  if (Array.isArray(schema)) return schema.map(snakeSchema)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, Schema.Json] => {
      if (key === "$ref") return [key, renamedReference(String(value))]
      if (key === "required" && Array.isArray(value)) return [key, value.map((name) => snakeName(String(name)))]
      if (key !== "properties" || !isObject(value)) return [key, snakeSchema(value)]
      const renamed = Object.entries(value).map(([name, property]) => [
        snakeName(name),
        foreignNames.has(name) ? property : snakeSchema(property)
      ])
      return [key, Object.fromEntries(renamed)]
    })
  )
}

/** The values of `version` in `run.started`; the last one is that of this program. */
const versions = RunEvent.members[0].fields.version.literals

/** The schema of a line: the event plus its time. */
const lineOf = (event: Schema.Json, more: JsonObject = {}): JsonObject => {
  const { properties, required, ...rest } = isObject(event) ? event : {}
  const at = { type: "string", format: "date-time" }
  const names = Array.isArray(required) ? required : []
  return {
    ...rest,
    properties: { ...(isObject(properties) ? properties : {}), at, ...more },
    required: [...names, "at"]
  }
}

const typeOf = (event: Schema.Json): unknown => {
  const properties = isObject(event) ? event["properties"] : undefined
  const type = isObject(properties) ? properties["type"] : undefined
  return isObject(type) && Array.isArray(type["enum"]) ? type["enum"][0] : undefined
}

export const eventsJsonSchema = (): Schema.Json => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(RunEvent)
  const { anyOf } = schema as { readonly anyOf: ReadonlyArray<Schema.Json> }
  const events = anyOf.map(snakeSchema)
  const earlier = events
    .filter((event) => typeOf(event) === "task.worked")
    .map((event) => lineOf(event, { type: { type: "string", enum: ["task.refined"] }, deprecated: { type: "string" } }))
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:task-conductor:events:${versions.at(-1)}`,
    title: "A line of --json",
    description: `An event of a run. Its version, ${versions.at(-1)}, is in run.started; it grows when a field changes. New types and new fields do not change it: ignore those that you do not know.`,
    anyOf: [...events.map((event) => lineOf(event)), ...earlier],
    $defs: Object.fromEntries(
      Object.entries(definitions).map(([name, definition]) => [
        definitionName(name),
        snakeSchema(definition as Schema.Json)
      ])
    )
  }
}
