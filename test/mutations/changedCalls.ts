/**
 * Damage to tool calls after which they would run differently, or not at all. Applied to strict documents only.
 */
import { changed, choose, damages, type Whole } from "./Damage.ts"

const block = /```json\n(\{\n[^]*?\n\})\n```/

/** Changes the last block of the section Tool Calls. */
const mapLast = (document: Whole, change: (json: string) => string | undefined): string | undefined => {
  const start = document.text.lastIndexOf("```json\n{\n")
  const section = document.text.search(/^## Tool Calls/m)
  if (document.kind !== "refinement" || section < 0 || start < section) return undefined
  const json = block.exec(document.text.slice(start))?.[1]
  const other = json === undefined ? undefined : change(json)
  return json === undefined || other === undefined
    ? undefined
    : changed(document, document.text.slice(0, start) + document.text.slice(start).replace(json, () => other))
}

/** A call under the heading; code of the task is none. */
const hasCalls = ({ kind, text }: Whole): boolean =>
  kind === "refinement" && /^## Tool Calls\n\n`{3,}json\n\{/m.test(text)

type Call = Readonly<Record<string, unknown>>

const mapCall = (document: Whole, change: (call: Call) => unknown): string | undefined =>
  mapLast(document, (json) => {
    const other = change(JSON.parse(json) as Call)
    return other === undefined ? undefined : JSON.stringify(other, null, 2)
  })

/** The last string of a call with where it starts. */
const lastString = (json: string): { readonly start: number; readonly end: number } | undefined => {
  const found = [...json.matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)/g)].at(-1)
  return found === undefined || found[0].length < 5
    ? undefined
    : { start: found.index, end: found.index + found[0].length }
}

export const changedCalls = damages({
  "a string that is cut": (document) =>
    mapLast(document, (json) => {
      const string = lastString(json)
      return string === undefined ? undefined : json.slice(0, string.end - 2)
    }),
  "a closing quote is lost": (document) =>
    mapLast(document, (json) => {
      const string = lastString(json)
      return string === undefined ? undefined : json.slice(0, string.end - 1) + json.slice(string.end)
    }),
  "all closing braces are lost": (document) => mapLast(document, (json) => json.replace(/[\s}\]]+$/, "")),
  "the arguments swallow the name": (document) =>
    mapLast(document, (json) => {
      const { arguments: values, ...rest } = JSON.parse(json) as Call
      return `{ "arguments": ${JSON.stringify(values).slice(0, -1)}, ${JSON.stringify(rest).slice(1)}`
        .replace("{,", "{")
        .replace("{ ,", "{ ")
    }),
  "a call without name": (document, random) =>
    mapCall(document, (call) => ({ ...call, name: choose<unknown>(random, undefined, undefined, "", " ", null, 3) })),
  "arguments beside an object of other arguments": (document) =>
    mapCall(document, ({ arguments: values, ...rest }) =>
      Object.keys(values as object).length === 0
        ? undefined
        : { other: 1, ...(values as object), ...rest, arguments: {} }
    ),
  "arguments that are no object": (document, random) =>
    mapCall(document, (call) => ({ ...call, arguments: choose<unknown>(random, ["a.ts"], 3, "path=a.ts", true) })),
  "a value is left out": (document, random) =>
    mapLast(document, (json) =>
      json.replace(/: (?:"(?:[^"\\]|\\.)*"|\d+)(?=,?\s*\}*\s*$)/m, `: ${choose(random, "", "...", "…")}`)
    ),
  "a key twice": (document) =>
    mapLast(document, (json) => json.replace(/("name": "[^"]*")/, '$1,\n  "name": "another"')),
  "a forbidden key": (document) =>
    mapLast(document, (json) =>
      json.replace('"arguments": {', '"arguments": { "__proto__": { "a": 1 }, ').replace(/, \}/, " }")
    ),
  "a number that cannot be read": (document) =>
    mapLast(document, (json) =>
      json.replace('"arguments": {', '"arguments": { "count": 90071992547409931, ').replace(/, \}/, " }")
    ),
  "a call that is only text": (document, random) =>
    mapLast(document, () => choose(random, "read_file(path=name)", "read_file a.ts", '"read_file"')),
  "calls under another heading": (document, random) =>
    hasCalls(document)
      ? changed(
          document,
          document.text.replace(/^## Tool Calls$/m, choose(random, "## Actions", "## Next steps", "### Tools"))
        )
      : undefined,
  "the heading of the calls is lost": (document) =>
    hasCalls(document) ? changed(document, document.text.replace(/^## Tool Calls\n/m, "")) : undefined,
  "calls in the syntax of another protocol that cannot be read": (document, random) =>
    document.kind === "refinement"
      ? changed(
          document,
          document.text.replace(
            /^## Tool Calls\n[^]*$/m,
            `## Tool Calls\n\n${choose(random, 'Action: read_file\nAction Input: {"path": "a', "read_file(path=name)", "- name: read_file\n  arguments:\n    path: [a.ts", "[read_file(path=name)]")}\n`
          )
        )
      : undefined
})
