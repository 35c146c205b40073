/**
 * What the JSON schema of SARIF 2.1.0 requires of the parts that we write, and what the standard says beyond it: keys
 * that exist, types, bounds, rule indexes that point at their rule. Without the network.
 */

type Check = (value: unknown, path: string) => ReadonlyArray<string>

const fail = (path: string, what: string): ReadonlyArray<string> => [`${path}: ${what}`]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object with these keys and no other; keys that end in `?` may be absent. */
const object = (shape: Readonly<Record<string, Check>>): Check => {
  const names = new Set(Object.keys(shape).map((key) => key.replace("?", "")))
  return (value, path) => {
    if (!isObject(value)) return fail(path, "is no object")
    const unknown = Object.keys(value).filter((key) => !names.has(key))
    return [
      ...unknown.flatMap((key) => fail(`${path}.${key}`, "is unknown")),
      ...Object.entries(shape).flatMap(([key, check]) => {
        const name = key.replace("?", "")
        if (value[name] !== undefined) return check(value[name], `${path}.${name}`)
        return key.endsWith("?") ? [] : fail(`${path}.${name}`, "is missing")
      })
    ]
  }
}

const array =
  (check: Check, minimum = 0): Check =>
  (value, path) =>
    Array.isArray(value) && value.length >= minimum
      ? value.flatMap((one, index) => check(one, `${path}[${index}]`))
      : fail(path, `is no array of at least ${minimum}`)

const text: Check = (value, path) => (typeof value === "string" && value !== "" ? [] : fail(path, "is no text"))
const flag: Check = (value, path) => (typeof value === "boolean" ? [] : fail(path, "is no boolean"))
const oneOf =
  (...values: ReadonlyArray<unknown>): Check =>
  (value, path) =>
    values.includes(value) ? [] : fail(path, `is none of ${values.join(", ")}`)
const integer =
  (minimum: number): Check =>
  (value, path) =>
    Number.isInteger(value) && (value as number) >= minimum ? [] : fail(path, `is no integer from ${minimum}`)
const uri: Check = (value, path) =>
  typeof value === "string" && URL.canParse(value) ? [] : fail(path, "is no absolute URI")
const uriReference: Check = (value, path) =>
  typeof value === "string" && /^[\w\-.~%/:@!$&'()*+,;=?#]+$/.test(value) && URL.canParse(value, "file:///x/")
    ? []
    : fail(path, "is no URI reference")

/** Balanced escapes: no brace that would be a placeholder, no bracket that would be a link. */
const message = object({
  text: (value, path) =>
    typeof value === "string" && value !== "" && !/[{}[\]]/.test(value.replace(/\{\{|\}\}|\\[[\]\\]/g, ""))
      ? []
      : fail(path, "is no plain message")
})

const level = oneOf("none", "note", "warning", "error")

const rule = object({
  id: text,
  "name?": text,
  "defaultConfiguration?": object({ level }),
  "shortDescription?": message,
  "fullDescription?": message,
  "help?": message,
  "helpUri?": uri
})

const region: Check = (value, path) => {
  const problems = object({
    startLine: integer(1),
    "startColumn?": integer(1),
    "endLine?": integer(1),
    "endColumn?": integer(1)
  })(value, path)
  if (problems.length > 0) return problems
  const { endColumn = Infinity, endLine, startColumn = 1, startLine } = value as Record<string, number>
  const isForward = (endLine ?? startLine ?? 0) > (startLine ?? 0) || endColumn >= startColumn
  return isForward && (endLine ?? Infinity) >= (startLine ?? 0) ? [] : fail(path, "ends before it starts")
}

const result = object({
  ruleId: text,
  "ruleIndex?": integer(0),
  "level?": level,
  message,
  "locations?": array(
    object({
      physicalLocation: object({ artifactLocation: object({ uri: uriReference }), "region?": region }),
      "logicalLocations?": array(object({ fullyQualifiedName: text }), 1)
    })
  )
})

const run = object({
  tool: object({
    driver: object({
      name: text,
      "version?": text,
      "semanticVersion?": (value, path) => (/^\d+\.\d+\.\d+/.test(String(value)) ? [] : fail(path, "is no version")),
      "informationUri?": uri,
      "rules?": array(rule)
    })
  }),
  "invocations?": array(
    object({
      executionSuccessful: flag,
      "toolExecutionNotifications?": array(object({ "level?": level, message }))
    })
  ),
  "columnKind?": oneOf("utf16CodeUnits", "unicodeCodePoints"),
  "results?": array(result)
})

const log = object({ $schema: uri, version: oneOf("2.1.0"), runs: array(run) })

interface Linked {
  readonly runs: ReadonlyArray<{
    readonly tool: { readonly driver: { readonly rules: ReadonlyArray<{ readonly id: string }> } }
    readonly results: ReadonlyArray<{ readonly ruleId: string; readonly ruleIndex: number }>
  }>
}

/** Every way in which a parsed log breaks the standard; empty when it is a log. */
export const sarifProblems = (value: unknown): ReadonlyArray<string> => {
  const problems = log(value, "log")
  if (problems.length > 0) return problems
  return (value as Linked).runs.flatMap(({ results, tool }) =>
    results.flatMap(({ ruleId, ruleIndex }, index) =>
      tool.driver.rules[ruleIndex]?.id === ruleId ? [] : fail(`results[${index}]`, "points at another rule")
    )
  )
}
