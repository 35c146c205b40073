/**
 * Damage near to what is read as a call: calls that are explained or cut off, and content that may belong to several.
 * Applied to strict documents only.
 */
import { type Apply, changed, choose, damages, type Random, type Whole } from "./Damage.ts"

const heading = "## Tool Calls\n"

/** Puts another text in the place of the calls. */
const instead = (document: Whole, text: string): string | undefined => {
  const at = document.text.lastIndexOf(`\n${heading}`)
  return document.kind === "refinement" && at >= 0
    ? changed(document, `${document.text.slice(0, at + 1)}${heading}\n${text}\n`)
    : undefined
}

const asJson = '{ "name": "read_file", "arguments": { "path": "a.ts" } }'
const asTag = '<function=read_file>{ "path": "a.ts" }</function>'
const asParameters = "<function=read_file>\n<parameter=path>\na.ts\n</parameter>\n</function>"
const fenced = (text: string, language = "json"): string => `\`\`\`${language}\n${text}\n\`\`\``

const writes = fenced('{ "uid": "w", "name": "write_file", "arguments": { "path": "a.ts" } }')
const content = fenced("const a = 1", "ts")

/** A damage that has one of these texts in the place of the calls. */
const texts =
  (write: (random: Random) => string): Apply =>
  (document, random) =>
    instead(document, write(random))

export const quotedCalls = damages({
  "a call in a sentence": texts(
    (random) =>
      `${choose(random, "Never write", "The log says", "One could call")} ${choose(random, asTag, asJson)} here.`
  ),
  "tags that break off": texts((random) => {
    const all = choose(random, asParameters, `<tool_call>\n${asParameters}\n</tool_call>`)
    return all.slice(0, all.indexOf("</parameter>") - Math.floor(random() * 4))
  }),
  "content that may belong to two calls": texts((random) => {
    const others = writes.replace('"w"', '"v"')
    return choose(random, [writes, content, content], [writes, others, content], [content, writes]).join("\n\n")
  }),
  "content of a call that takes none": texts(
    (random) => `${writes.replace("write_file", choose(random, "edit_file", "read_file", "overwrite"))}\n\n${content}`
  )
})
