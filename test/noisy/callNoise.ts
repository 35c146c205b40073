/**
 * Tool calls that mean the right thing in other names or other arguments.
 */
import { choose } from "../mutations/Damage.ts"
import { group, type Kinds, type Noise, only, type Right } from "./Noise.ts"

export interface Call {
  readonly uid: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

const block = /```json\n(\{[^]*?\n\})\n```/

export const callIn = ({ text }: Right): Call | undefined => {
  const [, json] = block.exec(text) ?? []
  return json === undefined ? undefined : (JSON.parse(json) as Call)
}

const fenced = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

/** The answer with another value in the place of the call. */
export const withCall = (change: (call: Call) => unknown): Kinds[string] =>
  only("refinement", (right) => {
    const call = callIn(right)
    return call === undefined ? undefined : right.text.replace(block, () => fenced(change(call)))
  })

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const named = (change: (name: string) => string): Kinds[string] =>
  withCall((call) => ({ ...call, name: change(call.name) }))

const given = (change: (values: Call["arguments"]) => unknown): Kinds[string] =>
  withCall((call) => ({ ...call, arguments: change(call.arguments) }))

const renamed = (names: Readonly<Record<string, string>>): Kinds[string] =>
  given((values) => Object.fromEntries(Object.entries(values).map(([key, value]) => [names[key] ?? key, value])))

export const callNoise: ReadonlyArray<Noise> = [
  ...group("tool names", 5, {
    hyphens: named((name) => name.replaceAll("_", "-")),
    "camel case": named(camel),
    capitals: named((name) => name.toUpperCase()),
    "a prefix": (right, random) =>
      named((name) => choose(random, "functions.", "default_api.", "tools.", "tool:") + name)(right, random),
    parentheses: named((name) => `${name}()`),
    "one letter less": named((name) => name.replace(/s$|e$/, ""))
  }),
  ...group("arguments", 5, {
    "beside the name": withCall(({ arguments: values, ...rest }) => ({ ...rest, ...values })),
    "twice in arguments": given((values) => ({ arguments: values })),
    "numbers as text": given((values) =>
      Object.fromEntries(Object.entries(values).map(([key, one]) => [key, typeof one === "number" ? `${one}` : one]))
    ),
    "camel case": given((values) => Object.fromEntries(Object.entries(values).map(([key, one]) => [camel(key), one]))),
    "empty optional ones": withCall((call) =>
      call.name === "search_files" ? { ...call, arguments: { ...call.arguments, glob: "" } } : call
    ),
    "null for optional ones": withCall((call) => ({
      ...call,
      arguments: {
        ...call.arguments,
        ...(call.name === "search_files" ? { glob: null } : call.name === "edit_file" ? { edits: null } : {})
      }
    })),
    "one that no tool has": given((values) => ({ ...values, reason: "It has to be known." })),
    "other words for the path": (right, random) =>
      renamed({ path: choose(random, "file_path", "filename", "file") })(right, random),
    "other words for the pattern": (right, random) =>
      renamed({ pattern: choose(random, "query", "q", "text") })(right, random),
    "other words for texts": (right, random) =>
      renamed(
        choose(random, { old_text: "old_string", new_text: "new_string" }, { old_text: "search", new_text: "replace" })
      )(right, random)
  })
]
