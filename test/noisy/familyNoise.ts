/**
 * The right call in the form of each family of models, as in test/fixtures/families: whole, after a sentence, with a tag lost,
 * with a reply that is made up, and cut off.
 */
import { pick, type Random } from "../mutations/Damage.ts"
import { type Call, callIn } from "./callNoise.ts"
import { group, type Kinds, type Noise, only } from "./Noise.ts"

type Write = (call: Call) => string

const values = ({ arguments: given }: Call): ReadonlyArray<readonly [string, string]> =>
  Object.entries(given).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])
const json = ({ arguments: given }: Call): string => JSON.stringify(given)
const python = ({ arguments: given, name }: Call): string =>
  `${name}(${Object.entries(given)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(", ")})`
const mark = (words: string): string => `<｜${words.replaceAll(" ", "▁")}｜>`
const parameters = (call: Call): string =>
  values(call)
    .map(([name, value]) => `<parameter=${name}>\n${value}\n</parameter>`)
    .join("\n")

const forms: Readonly<Record<string, Write>> = {
  "a function without its outer tag": (call) =>
    `<function=${call.name}>\n${parameters(call)}\n</function>\n</tool_call>`,
  "a function without its closing tag": (call) =>
    `<tool_call>\n<function=${call.name}>\n${parameters(call)}\n</tool_call>`,
  "JSON without its opening tag": (call) =>
    `${JSON.stringify({ name: call.name, arguments: call.arguments })}\n</tool_call>`,
  "a name and arguments after marks": (call) => `[TOOL_CALLS]${call.name}[ARGS]${json(call)}`,
  "wide bars": (call) =>
    `${mark("tool calls begin")}${mark("tool call begin")}function${mark("tool sep")}${call.name}\n\`\`\`json\n${json(call)}\n\`\`\`${mark("tool call end")}${mark("tool calls end")}`,
  "keys and values": (call) =>
    `<tool_call>${call.name}\n${values(call)
      .map(([name, value]) => `<arg_key>${name}</arg_key>\n<arg_value>${value}</arg_value>`)
      .join("\n")}\n</tool_call>`,
  "a channel": (call) =>
    `<|channel|>analysis<|message|>It has to be known.<|end|><|start|>assistant<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${json(call)}<|call|>`,
  "a channel without its marks": (call) => `commentary to=functions.${call.name} json${json(call)}`,
  "a list in Python": (call) => `[${python(call)}]`,
  "a block of code": (call) => `\`\`\`tool_code\nprint(${python(call)})\n\`\`\``,
  "code that ends with a tag": (call) =>
    `Thought: it has to be known.\nCode:\n\`\`\`py\nfound = ${python(call)}\nprint(found)\n\`\`\`<end_code>`,
  "a request in brackets": (call) =>
    `[TOOL_REQUEST]${JSON.stringify({ name: call.name, arguments: call.arguments })}[END_TOOL_REQUEST]`,
  "a section of calls": (call) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.${call.name}:0<|tool_call_argument_begin|>${json(call)}<|tool_call_end|><|tool_calls_section_end|>`,
  "a tag of the tool": (call) =>
    `<${call.name}>\n${values(call)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join("\n")}\n</${call.name}>`,
  "an invocation": (call) =>
    `<function_calls>\n<invoke name="${call.name}">\n${values(call)
      .map(([name, value]) => `<parameter name="${name}">${value}</parameter>`)
      .join("\n")}\n</invoke>\n</function_calls>`,
  "an action": (call) => `Action: ${call.name}\nAction Input: ${json(call)}`
}

const around: ReadonlyArray<(text: string, random: Random) => string> = [
  (text) => text,
  (text) => `I will look at it first.\n\n${text}`,
  (text) => `${text}\nObservation: nothing was found.\n\nSo it is done.`,
  (text, random) => text.slice(0, Math.max(4, Math.floor(text.length * (0.3 + 0.6 * random()))))
]

const asForm =
  (write: Write): Kinds[string] =>
  (right, random) =>
    only("refinement", (one) => {
      const call = callIn(one)
      return call === undefined ? undefined : pick(around, random)?.(write(call), random)
    })(right, random)

export const familyNoise: ReadonlyArray<Noise> = group(
  "forms of families",
  6,
  Object.fromEntries(Object.entries(forms).map(([name, write]) => [name, asForm(write)]))
)
