/**
 * Tool calls in the syntax of other programs, and calls whose parts stand in other places.
 */
import { block, isStrict, mapBlocks } from "./calls.ts"
import { choose, damages, type Random, type Whole } from "./Damage.ts"

interface Call {
  readonly uid: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** True for a call of exactly the three keys. */
const isCall = (json: string): boolean => {
  if (!isStrict(json)) return false
  const call = JSON.parse(json) as Partial<Call>
  const isWhole = typeof call.arguments === "object" && call.arguments !== null && !Array.isArray(call.arguments)
  return Object.keys(call).toSorted().join() === "arguments,name,uid" && isWhole && /^[\w.-]+$/.test(call.name ?? "")
}

const section = ({ text }: Whole): string => text.slice(Math.max(0, text.search(/^## Tool Calls/m)))

/** All calls of a document, or none of them. */
const mapCalls = (
  document: Whole,
  change: (call: Call) => string,
  fits: (call: Call) => boolean = () => true
): string | undefined => {
  const all = [...section(document).matchAll(block)].map(([, json = ""]) => json)
  const areCalls = all.length > 0 && all.every((json) => isCall(json) && fits(JSON.parse(json) as Call))
  return areCalls && !/^## Look first/m.test(document.text)
    ? mapBlocks(document, (json) => change(JSON.parse(json) as Call))
    : undefined
}

/** Values as tags can give them; the types of others are known to the tool alone. */
const areTexts = ({ arguments: values }: Call): boolean =>
  Object.entries(values).every(
    ([name, value]) =>
      /^[\w.-]+$/.test(name) && typeof value === "string" && !/<\/|^\s|\s$|^#{1,6} |`{3}|~{3}|<!--|\r/m.test(value)
  )

const inTags = ({ arguments: values, name }: Call, random: Random): string => {
  const line = choose(random, "\n", "")
  const given = Object.entries(values).map(
    ([key, value]) => `<parameter=${key}>${line}${String(value)}${line}</parameter>\n`
  )
  const [before, after] = choose(random, ["<tool_call>\n", "\n</tool_call>"], ["", ""], ["", "\n</tool_call>"])
  return `${before}<function=${name}>\n${given.join("")}</function>${after}`
}

const invoked = ({ arguments: values, name }: Call): string => {
  const given = Object.entries(values).map(([key, value]) => `<parameter name="${key}">${String(value)}</parameter>\n`)
  return `<invoke name="${name}">\n${given.join("")}</invoke>`
}

const fenced = (call: unknown): string => `\`\`\`json\n${JSON.stringify(call)}\n\`\`\``

const partOfCall = new Set(
  (
    "id call_id tool_call_id callId tool tool_name toolName function function_name args parameters params input " +
    "arguments_json uid name arguments type index description reason reasoning purpose comment comments explanation " +
    "note notes thought thoughts title status"
  ).split(" ")
)

const areFree = ({ arguments: values }: Call): boolean =>
  Object.keys(values).length > 0 && Object.keys(values).every((key) => !partOfCall.has(key))

export const callSyntax = damages({
  "calls in tags that name tool and parameters": (document, random) =>
    mapCalls(document, (call) => inTags(call, random), areTexts),
  "calls that are invoked in tags": (document) => mapCalls(document, invoked, areTexts),
  "a tag that names the tool before JSON": (document) =>
    mapCalls(document, ({ arguments: values, name }) => `<function=${name}>${JSON.stringify(values)}</function>`),
  "a mark before calls": (document, random) => {
    const end = choose(random, "", "<|eom_id|>", "<|eot_id|>")
    return mapCalls(
      document,
      ({ arguments: parameters, name, uid }) => `<|python_tag|>${JSON.stringify({ uid, name, parameters })}${end}`
    )
  },
  "calls as objects of functions": (document, random) => {
    const isText = random() < 0.5
    return mapCalls(document, ({ arguments: values, name, uid }) =>
      fenced({
        type: "function",
        id: uid,
        function: { name, arguments: isText ? JSON.stringify(values) : values }
      })
    )
  },
  "arguments beside the name": (document, random) => {
    const key = choose(random, "name", "tool", "tool_name")
    return mapCalls(document, ({ arguments: values, name, uid }) => fenced({ uid, [key]: name, ...values }), areFree)
  }
})
