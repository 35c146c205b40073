/**
 * Tool calls as models write them: JSON with slips that leave one meaning, and blocks in other forms.
 */
import { changed, choose, damages, type Random, type Whole } from "./Damage.ts"

const block = /(?<!`)```json\n(\{(?:(?!\n```)[^])*\})\n```(?=\n|$)/g

/** Blocks of the section Tool Calls. */
const mapBlocks = (document: Whole, change: (json: string) => string): string | undefined => {
  const start = document.text.search(/^## Tool Calls/m)
  if (document.kind !== "refinement" || start < 0) return undefined
  return changed(
    document,
    document.text.slice(0, start) + document.text.slice(start).replace(block, (_, json: string) => change(json))
  )
}

const fenced = (json: string): string => `\`\`\`json\n${json}\n\`\`\``

/** True for JSON of which reading and writing lose nothing, such as one of two keys of the same name. */
const isStrict = (json: string): boolean => {
  try {
    const compact = json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string: string | undefined) => string ?? "")
    return JSON.stringify(JSON.parse(json)) === compact
  } catch {
    return false
  }
}

/** Blocks that are strict JSON; slips in text that has slips already would leave more than one meaning. */
const mapJson = (document: Whole, change: (json: string) => string): string | undefined =>
  mapBlocks(document, (json) => fenced(isStrict(json) ? change(json) : json))

/** Strings without quotes, apostrophes and backslashes can be quoted in any way. */
const isSimple = (json: string): boolean => !/['\\“”‘’`]/.test(json)

const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]/g

/** Changes what stands between the strings. */
const outside = (json: string, change: (sign: string) => string): string =>
  json.replace(token, (one) => (one.startsWith('"') ? one : change(one)))

const renamed = (json: string, random: Random): string => {
  const { arguments: values, name, uid, ...rest } = JSON.parse(json) as Record<string, unknown>
  if (name === undefined || values === undefined) return json
  const names = choose(
    random,
    ["id", "tool", "args"],
    ["call_id", "function", "parameters"],
    ["tool_call_id", "tool_name", "input"]
  )
  return JSON.stringify(
    {
      ...(uid === undefined ? {} : { [names[0] ?? ""]: uid }),
      [names[1] ?? ""]: name,
      [names[2] ?? ""]: values,
      ...rest
    },
    null,
    2
  )
}

const withTextArguments = (json: string): string => {
  const call = JSON.parse(json) as Record<string, unknown>
  return "arguments" in call ? JSON.stringify({ ...call, arguments: JSON.stringify(call["arguments"]) }) : json
}

const inOneBlock = (document: Whole, join: (calls: ReadonlyArray<string>) => string): string | undefined => {
  const start = document.text.search(/^## Tool Calls/m)
  const tail = document.text.slice(start)
  const blocks = [...tail.matchAll(block)].map(([, json = ""]) => json)
  const isPlain =
    tail
      .replace(block, "")
      .replace(/^## Tool Calls/, "")
      .trim() === ""
  return document.kind === "refinement" && start >= 0 && isPlain && blocks.length > 1 && blocks.every(isStrict)
    ? `${document.text.slice(0, start)}## Tool Calls\n\n${fenced(join(blocks))}\n`
    : undefined
}

export const calls = damages({
  "trailing commas": (document) =>
    mapJson(document, (json) => outside(json, (sign) => (sign === "}" ? ",}" : sign)).replace(/\{\s*,\}/g, "{}")),
  "quotes of typography": (document) =>
    mapJson(document, (json) => (isSimple(json) ? json.replace(/"([^"]*)"/g, "“$1”") : json)),
  "single quotes": (document) => mapJson(document, (json) => (isSimple(json) ? json.replaceAll('"', "'") : json)),
  "keys without quotes": (document) => mapJson(document, (json) => json.replace(/"([a-z_]\w*)"(?=\s*:)/g, "$1")),
  "comments in JSON": (document, random) => {
    const comment = choose(random, "// the call\n", "/* the call */ ")
    return mapJson(document, (json) => `{ ${comment}${json.slice(1)}`)
  },
  "compact JSON": (document) => mapJson(document, (json) => JSON.stringify(JSON.parse(json))),
  "JSON indented": (document, random) => {
    const indent = choose(random, "\t", "    ", " ")
    return mapJson(document, (json) => JSON.stringify(JSON.parse(json), null, indent))
  },
  "raw line breaks in strings": (document) => mapJson(document, (json) => json.replace(/(?<!\\)\\n/g, "\n")),
  "other keys": (document, random) => mapJson(document, (json) => renamed(json, random)),
  "arguments as text": (document) => mapJson(document, withTextArguments),
  "one missing brace at the end": (document) =>
    mapJson(document, (json) => (/\}\s*\}$/.test(json) ? json.replace(/\s*\}$/, "") : json)),
  "words of another language for values": (document) =>
    mapJson(document, (json) =>
      json.replace(/(?<=[:[,]\s*)(?:true|false|null)\b/g, (word) =>
        word === "null" ? "None" : word === "true" ? "True" : "False"
      )
    ),
  "another type of block": (document, random) => {
    const type = choose(random, "", "jsonc", "JSON", "tool_call", "javascript")
    return mapBlocks(document, (json) => `\`\`\`${type}\n${json}\n\`\`\``)
  },
  "blocks of tildes": (document) => mapBlocks(document, (json) => `~~~json\n${json}\n~~~`),
  "calls without blocks": (document) => mapBlocks(document, (json) => json),
  "an array of calls in one block": (document) => inOneBlock(document, (all) => `[\n${all.join(",\n")}\n]`),
  "calls one after another in one block": (document) => inOneBlock(document, (all) => all.join("\n")),
  "calls in tags": (document) => mapBlocks(document, (json) => `<tool_call>\n${json}\n</tool_call>`),
  "talk between calls": (document, random) => {
    const talk = choose(random, "Then this:", "### Next call", "1. Read it:", "<!-- next -->")
    return mapBlocks(document, (json) => `${talk}\n\n${fenced(json)}`)
  },
  "another order of keys": (document) =>
    mapJson(document, (json) =>
      "arguments" in JSON.parse(json)
        ? JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json) as object).toReversed()), null, 2)
        : json
    )
})
