/**
 * Checks the arguments of a call against the parameters of its tool. Missing, invalid, unknown and misspelled arguments
 * become issues for the model, all at once.
 */
import * as Schema from "effect/Schema"
import { type Repair, type Where, type Issue, makeRepair, type IssueCode, makeIssue } from "../findings/Issue.ts"
import { intentOf, nearest, nearestOrAll } from "../text/Nearest.ts"
import {
  type Arguments,
  isArguments,
  type ToolCall,
  aliasRepairs,
  type ArgumentAliases,
  withOwnNames
} from "./ToolCall.ts"
import { foreignTool } from "./ForeignTools.ts"
import { type JsonSchema, propertiesOf, requiredOf } from "./ToolSchema.ts"
import { type ModelFault, modelFaults, pathText, remedyOf, schemaFaults } from "../text/SchemaText.ts"
import { readBlock } from "./ToolCallJson.ts"
import * as Result from "effect/Result"

const lettersOf = (name: string): string => name.toLowerCase().replace(/[-_]/g, "")

const only = (found: ReadonlyArray<string>): string | undefined => (found.length === 1 ? found[0] : undefined)

/** Prefixes that models put before the name of a tool: `functions.read_file`, `tool:read_file`. */
const group = /^(?:functions?|default_api|tools?|api)[.:/]/

/**
 * True if `long` is `short` with one more letter. A digit does not count, because names of tools may differ only in a
 * digit.
 */
const lacksLetter = (short: string, long: string): boolean => {
  if (long.length !== short.length + 1 || short.length < 6) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return /\p{L}/u.test(long.charAt(at)) && short.slice(at) === long.slice(at + 1)
}

/** True if one name promises a change and the other name promises a read. */
const isOpposite = (a: string, b: string): boolean => {
  const [one, other] = [intentOf(a), intentOf(b)]
  return one !== undefined && other !== undefined && one !== other
}

/** The tool that a misspelled name means; undefined if several fit or none. */
export const meantTool = (name: string, usable: ReadonlyArray<string>): string | undefined => {
  const bare = name.replace(group, "").replace(/\(\)$/, "")
  const letters = lettersOf(bare)
  const same = usable.filter((one) => lettersOf(one) === letters)
  if (same.length > 0) return only(same)
  const own = foreignTool(bare)
  if (own !== undefined && usable.includes(own)) return own
  const near = usable.filter((one) => lacksLetter(letters, lettersOf(one)) || lacksLetter(lettersOf(one), letters))
  return near.some((one) => isOpposite(one, bare)) ? undefined : only(near)
}

/**
 * For each parameter name, other names that models use for it. This is a map, because an argument may have the name of
 * a property of every object, such as `constructor`.
 */
const synonyms: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["path", ["file", "filepath", "filename"]],
  ["pattern", ["query", "q"]],
  ["oldtext", ["oldstring", "oldstr"]],
  ["newtext", ["newstring", "newstr"]],
  ["content", ["contents", "filetext"]],
  ["url", ["uri"]]
])

const wrappers = new Set(["arguments", "args", "parameters", "params", "input"])

/** Takes arguments out of an object around them: `{ "arguments": { "path": "a" } }`. */
const unwrap = (given: Arguments, properties: ReadonlyMap<string, JsonSchema>): Arguments => {
  const [[name, inner] = ["", undefined], ...others] = Object.entries(given)
  return others.length === 0 && wrappers.has(name) && !properties.has(name) && isArguments(inner) ? inner : given
}

/** Renames arguments to the parameters that they clearly mean. Unclear names stay. */
export const renameArguments = (call: ToolCall, schema: JsonSchema, where: Where) => {
  const repairs: Array<Repair> = []
  const properties = propertiesOf(schema)
  if (schema["additionalProperties"] !== undefined) return { call, repairs }
  const values = unwrap(call.arguments, properties)
  if (values !== call.arguments)
    repairs.push(makeRepair("argument-renamed", where, "Read the arguments out of an object around them."))
  const unknown = Object.keys(values).filter((name) => !properties.has(name))
  const open = [...properties.keys()].filter((name) => !Object.hasOwn(values, name))
  const meant = new Map(
    unknown.map((name) => {
      const same = open.filter((one) => lettersOf(one) === lettersOf(name))
      if (name === "") return [name, only(requiredOf(schema).filter((one) => open.includes(one)))]
      const other = open.filter((one) => synonyms.get(lettersOf(one))?.includes(lettersOf(name)) === true)
      return [name, only(same) ?? only(other)]
    })
  )
  const targets = [...meant.values()]
  const nameOf = (name: string): string => {
    const target = meant.get(name)
    if (target === undefined || targets.filter((one) => one === target).length > 1) return name
    repairs.push(makeRepair("argument-renamed", where, `Read the argument "${name}" as "${target}".`))
    return target
  }
  const named = Object.entries(values).map(([name, value]) => [nameOf(name), value] as const)
  return { call: { ...call, arguments: Object.fromEntries(named) satisfies Arguments }, repairs }
}

const reasons = new Set(
  "reason reasoning explanation thought thoughts thinking rationale justification purpose intent".split(" ")
)

/** The parameters of a tool: a codec that decodes arguments, and a schema that models read. */
export interface Parameters {
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
  readonly codec: Schema.Codec<any, unknown>
  readonly schema: JsonSchema
  readonly aliases?: ArgumentAliases
}

const numeral = /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?\s*$/

/** The list or object in a text; undefined unless it is strict JSON of this type. */
const parseNested = (text: string, type: "array" | "object"): Schema.Json | undefined => {
  const read = readBlock(text)
  const [value, ...others] = Result.isSuccess(read) && !read.success.repaired ? read.success.values : []
  const isMeant = type === "array" ? Array.isArray(value) : isArguments(value)
  return isMeant && others.length === 0 ? value : undefined
}

/**
 * Converts text to the number, boolean, list or object that it certainly means. Undefined if the value is no text, or
 * if its meaning is not certain.
 */
const coerce = (value: Schema.Json, { type }: JsonSchema): Schema.Json | undefined => {
  if (typeof value !== "string") return undefined
  if ((type === "number" || type === "integer") && numeral.test(value)) return Number(value)
  if (type === "array" || type === "object") return parseNested(value, type)
  const word = value.trim().toLowerCase()
  return type === "boolean" && (word === "true" || word === "false") ? word === "true" : undefined
}

const rejects = ({ codec }: Parameters, given: Arguments, name: string): boolean => {
  const decoded = Schema.decodeResult(codec)(given, { errors: "all" })
  return Result.isFailure(decoded) && schemaFaults(decoded.failure).some(({ path }) => path[0] === name)
}

/**
 * Repairs what can mean only one thing: misspelled names, explanations of the call, values written as text, and null or
 * empty text for optional arguments.
 */
export const repairArguments = (written: ToolCall, parameters: Parameters, where: Where) => {
  const { aliases = {}, codec, schema } = parameters
  const named: ToolCall = { ...written, arguments: withOwnNames(written.arguments, aliases) }
  const { call, repairs: renamed } = renameArguments(named, schema, where)
  const repairs: Array<Repair> = [...aliasRepairs(written.arguments, aliases, where), ...renamed]
  const required = requiredOf(schema)
  const properties = propertiesOf(schema)
  const takesNull = (name: string) => Result.isSuccess(Schema.decodeResult(codec)({ ...call.arguments, [name]: null }))
  const repaired = Object.entries(call.arguments).flatMap(([name, value]): ReadonlyArray<[string, Schema.Json]> => {
    const property = properties.get(name)
    const isReason = reasons.has(name.toLowerCase()) && typeof value === "string"
    if (property === undefined && isReason && schema["additionalProperties"] === undefined) {
      repairs.push(makeRepair("argument-remark", where, `Left out the argument "${name}", a remark.`))
      return []
    }
    if (property === undefined) return [[name, value]]
    if (value === null && !required.includes(name) && !takesNull(name)) {
      repairs.push(makeRepair("argument-dropped", where, `The argument "${name}" was null and is left out.`))
      return []
    }
    if (value === "" && !required.includes(name) && rejects(parameters, call.arguments, name)) {
      repairs.push(makeRepair("argument-dropped", where, `The argument "${name}" was empty and is left out.`))
      return []
    }
    const meant = coerce(value, property)
    if (meant === undefined) return [[name, value]]
    const message = `The argument "${name}" was the text ${JSON.stringify(value)} and is read as ${typeof meant === "object" ? "JSON" : String(meant)}.`
    repairs.push(makeRepair("argument-coerced", where, message))
    return [[name, meant]]
  })
  return { call: { ...call, arguments: Object.fromEntries(repaired) satisfies Arguments }, repairs }
}

const describe = (name: string, schema: JsonSchema | undefined): string => {
  const type = typeof schema?.["type"] === "string" ? ` (${schema["type"]})` : ""
  const description = typeof schema?.["description"] === "string" ? `: ${schema["description"]}` : "."
  return `"${name}"${type}${description}`
}

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `"${name}"`).join(", ")

const howInstead = (name: string, knownNames: ReadonlyArray<string>): string =>
  knownNames.length === 0
    ? "Remove it: the tool takes no arguments."
    : `Remove it, or use one of: ${quoted(nearestOrAll(name, knownNames))}.`

/**
 * Maps unknown arguments to the missing parameters that they probably mean: to the parameter with the nearest name, or
 * to the only missing one.
 */
const findMeant = (unknown: ReadonlyArray<string>, missing: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const meant = new Map<string, string>()
  for (const name of unknown) {
    const open = missing.filter((one) => ![...meant.values()].includes(one))
    const [near = unknown.length === 1 && open.length === 1 ? open[0] : undefined] = nearest(name, open)
    if (near !== undefined) meant.set(name, near)
  }
  return meant
}

/** The texts of an issue: what is wrong with a value, and how to correct it. */
const invalidText = (tool: string, problem: ModelFault) => {
  const { actual, kind, path, message } = problem
  const subject = path.length === 0 ? `The arguments of ${tool}` : `The argument "${pathText(path)}" of ${tool}`
  if (kind === "missing") return { what: `${subject} is missing.`, how: "Add it." }
  if (kind === "unknown") return { what: `${tool} has no argument "${pathText(path)}".`, how: "Remove it." }
  const what = path.length === 0 ? `${subject} do not fit.` : `${subject} does not fit.`
  return {
    what: message === undefined && path.length > 0 ? `${subject} is ${actual}, which does not fit.` : what,
    how: remedyOf(problem)
  }
}

/**
 * Matches a placeholder for the output of another call: `{{call-1.path}}`, `$call_1.output`, `<path from the search>`.
 */
const ofOtherCall =
  /(?:\{\{|\$\{|<|\$)\s*(?:calls?|tool|turn|step|task|results?|outputs?|previous|search|response)[-_ .]*\d*(?:[.[/][^\s{}<>]*|[-_ ](?:results?|outputs?|path|file)[^\s{}<>]*)?\s*(?:\}\}|\}|>|$)/i
const wholeBlank =
  /^\s*(?:\{\{[^{}\n]+\}\}|\{[a-z][\w ]+\}|<[a-z][^<>\n]*[ _-][^<>\n]*>|\[[a-z]+(?: [a-z]+)+\]|(?:path|file) (?:from|of|returned|found)\b.*)\s*$/i

/** Names of arguments that contain text of a file. In such text, a placeholder can be real content. */
const holdsText = /content|text|pattern|edits|old|new/i

const placeholders = ({ arguments: given, name: tool }: ToolCall, { quote, where }: Pick<Issue, "where" | "quote">) =>
  Object.entries(given).flatMap(([name, value]): ReadonlyArray<Issue> => {
    if (typeof value !== "string" || holdsText.test(name)) return []
    if (!wholeBlank.test(value) && !ofOtherCall.test(value)) return []
    const what = `The argument "${name}" of ${tool} has a blank to fill in: ${JSON.stringify(value)}.`
    return [makeIssue("argument-placeholder", where, { what, quote })]
  })

/** The issues of all arguments: first missing, then invalid, then unknown. */
export const checkArguments = (
  call: ToolCall,
  { codec, schema }: Parameters,
  { quote, where }: Pick<Issue, "where" | "quote">
): ReadonlyArray<Issue> => {
  const { arguments: values, name: tool } = call
  const properties = propertiesOf(schema)
  const missing = requiredOf(schema).filter((name) => !Object.hasOwn(values, name))
  const unknown =
    schema["additionalProperties"] === undefined ? Object.keys(values).filter((name) => !properties.has(name)) : []
  const decoded = Schema.decodeResult(codec)(values, { errors: "all", onExcessProperty: "error" })
  const problems = Result.isSuccess(decoded) ? [] : modelFaults(decoded.failure, values)
  const invalid = problems.filter(
    ({ path }) => path.length !== 1 || !(missing.includes(String(path[0])) || unknown.includes(String(path[0])))
  )
  const parameterNames = [...properties.keys()]
  const meant = findMeant(unknown, missing)
  const renamed = new Set(meant.values())
  const issue = (code: IssueCode, what: string, how: string): Issue => makeIssue(code, where, { what, how, quote })
  return [
    ...[...meant].map(([name, right]) =>
      issue(
        "argument-unknown",
        `${tool} has no argument "${name}".`,
        `Rename "${name}" to ${describe(right, properties.get(right))}`
      )
    ),
    ...missing
      .filter((name) => !renamed.has(name))
      .map((name) =>
        issue(
          "argument-missing",
          `The argument "${name}" of ${tool} is missing.`,
          `Add ${describe(name, properties.get(name))}`
        )
      ),
    ...invalid.map((problem) => {
      const { how, what } = invalidText(tool, problem)
      return issue("argument-invalid", what, how)
    }),
    ...placeholders(call, { quote, where }),
    ...unknown
      .filter((name) => !meant.has(name))
      .map((name) => issue("argument-unknown", `${tool} has no argument "${name}".`, howInstead(name, parameterNames)))
  ]
}
