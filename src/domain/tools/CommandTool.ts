/**
 * A tool from a configuration: a command with placeholders for arguments. An argument fills a word of the command or a
 * part of a word, and never becomes an option of the program.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { commandSeconds } from "../commands/CommandSettings.ts"
import { wordText, CommandLine } from "../commands/CommandText.ts"
import { Arguments } from "./ToolCall.ts"
import { isSchema, type JsonSchema, propertiesOf } from "./ToolSchema.ts"

const key = <A>(schema: Schema.Codec<A>, description: string) => Schema.optionalKey(schema.annotate({ description }))

export const CommandTool = Schema.Struct({
  description: Schema.NonEmptyString.annotate({
    description: "What the tool does and when to use it. The model reads this text."
  }),
  command: CommandLine.annotate({
    description: "The program and its arguments, one element each. `{name}` is replaced by an argument of the call."
  }),
  parameters: key(
    Schema.Record(Schema.String, Schema.Json),
    'The JSON schema of the arguments, with "type": "object". Without it the tool takes no arguments.'
  ),
  example: key(Arguments, "Arguments of a call, shown to the model."),
  timeoutSeconds: key(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: commandSeconds.most })),
    `How long the command may run. Default: ${commandSeconds.usual}.`
  )
})
export type CommandTool = typeof CommandTool.Type

export interface DeclarationProblem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly what: string
}

const placeholder = /\{([A-Za-z_]\w*)\}/g
const onlyPlaceholder = /^\{([A-Za-z_]\w*)\}$/
const scalarTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"])

/** The schema of the arguments. Additional arguments are not allowed. */
export const parametersOf = ({ parameters }: CommandTool): Readonly<Record<string, Schema.Json>> => ({
  type: "object",
  properties: {},
  ...parameters,
  additionalProperties: false
})

const isScalar = (property: JsonSchema | undefined): boolean => scalarTypes.has(property?.["type"])

const isList = (property: JsonSchema | undefined): boolean =>
  property?.["type"] === "array" && isSchema(property["items"]) && isScalar(property["items"])

const namesIn = (word: string): ReadonlyArray<string> => [...word.matchAll(placeholder)].map(([, name = ""]) => name)

const wordProblem = (word: string, properties: ReadonlyMap<string, JsonSchema>): string | undefined => {
  const unknown = namesIn(word).find((name) => !properties.has(name))
  if (unknown !== undefined) {
    return `{${unknown}} is not a parameter. There are: ${[...properties.keys()].join(", ") || "none"}.`
  }
  const isWhole = onlyPlaceholder.test(word)
  const unfit = namesIn(word).find((name) => {
    const property = properties.get(name)
    return !isScalar(property) && !(isWhole && isList(property))
  })
  if (unfit !== undefined) {
    return isWhole
      ? `the parameter "${unfit}" must be a string, a number, a boolean, or an array of these.`
      : `the parameter "${unfit}" must be a string, a number or a boolean to stand inside a word.`
  }
  const rest = word.replace(placeholder, "")
  if (namesIn(word).length === 0 || isWhole || wordText(rest) === rest) return undefined
  return `a placeholder in ${JSON.stringify(word)} would become part of a text that a program interprets. Make it a word of its own.`
}

export const templateProblems = (tool: CommandTool): ReadonlyArray<DeclarationProblem> => {
  const properties = propertiesOf(parametersOf(tool))
  const used = new Set(tool.command.flatMap(namesIn))
  const words = tool.command.flatMap((word, index) => {
    const what =
      index === 0 && namesIn(word).length > 0
        ? "the program must be fixed: it cannot hold a placeholder."
        : wordProblem(word, properties)
    return what === undefined ? [] : [{ path: ["command", index], what }]
  })
  const idle = [...properties.keys()]
    .filter((name) => !used.has(name))
    .map((name) => ({
      path: ["parameters", "properties", name],
      what: `no placeholder {${name}} uses this parameter.`
    }))
  return [...words, ...idle]
}

const optionProblem = (word: string, [name = ""]: ReadonlyArray<string>): string =>
  `The argument "${name}" becomes ${JSON.stringify(word)}, which a program may take for an option. Write "./${word}" if it is the name of a file.`

const fillWord = (template: string, values: Arguments): Result.Result<ReadonlyArray<string>, string> => {
  const names = namesIn(template)
  if (names.length === 0) return Result.succeed([template])
  if (names.some((name) => values[name] === undefined)) return Result.succeed([])
  const [only] = onlyPlaceholder.test(template) ? names : []
  const value = only === undefined ? undefined : values[only]
  const words = Array.isArray(value)
    ? value.map(String)
    : [template.replace(placeholder, (_, name: string) => String(values[name]))]
  const option = template.startsWith("-") ? undefined : words.find((word) => word.startsWith("-"))
  return option === undefined ? Result.succeed(words) : Result.fail(optionProblem(option, names))
}

/** The command with its placeholders filled. Fails with a sentence about the wrong argument. */
export const fillCommand = (
  { command: [program, ...templates] }: CommandTool,
  values: Arguments
): Result.Result<CommandLine, string> => {
  const words: Array<string> = []
  for (const template of templates) {
    const filled = fillWord(template, values)
    if (Result.isFailure(filled)) return Result.fail(filled.failure)
    words.push(...filled.success)
  }
  return Result.succeed([program, ...words])
}
