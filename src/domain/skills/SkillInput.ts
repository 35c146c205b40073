/**
 * Typed input requirements of a skill: the lines of `## Input requirements` that name an input with its type, such as
 * "- `file` (path, required): The file to change." Every other line stays free text, for any reader. Called by
 * domain/skills/SkillFormat; the values are read by domain/documents/InputFormat.
 */
import * as Schema from "effect/Schema"

/** `path` is a file or folder of the project that exists; `yes-no` a boolean; `choice` one of a few words. */
const InputType = Schema.Literals(["text", "path", "url", "number", "yes-no", "choice"])
type InputType = typeof InputType.Type

/** An input that the refinement of a task has to name, or may name. */
export const SkillInput = Schema.Struct({
  name: Schema.String,
  type: InputType,
  /** What a `choice` may be; absent for other types. */
  choices: Schema.optionalKey(Schema.Array(Schema.String)),
  required: Schema.Boolean,
  about: Schema.String
})
export type SkillInput = typeof SkillInput.Type

/** A line that looks like a typed input and is none; `line` counts from 1 in the text that was read. */
export interface InputFault {
  readonly kind: "type" | "name"
  readonly line: number
  readonly what: string
  /** What to do, where that is more exact than the remedy of the rule. */
  readonly how?: string
}

const typedLine = /^ {0,3}[-*+] +`([^`\n]+)` *\(([^()\n]*)\) *[:：]?(.*)$/
const nameForm = /^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/

/** Words by which other notations of types are recognised. */
const foreignType =
  /^(?:string|str|int|integer|float|decimal|bool|boolean|yes\/no|enum|one of|choice|choices|file|folder|uri|link|date|list|array|object|json)\b/i

interface Signature {
  readonly type: InputType
  readonly choices?: ReadonlyArray<string>
  readonly required: boolean
}

const plain = (word: string): string => word.trim().replace(/^`([^`]+)`$/, "$1")

/** Reads what stands in the parentheses; nothing when it is prose, a sentence when it is a type in another notation. */
const readSignature = (text: string): Signature | string | undefined => {
  const words = text.split(",").map(plain)
  const last = words.at(-1) ?? ""
  const isMarked = last === "required" || last === "optional"
  const [first = "", ...rest] = isMarked ? words.slice(0, -1) : words
  const required = last !== "optional"
  const choice = /^choice of +(.+)$/.exec(first)?.[1]
  if (choice !== undefined) {
    const choices = [...new Set([plain(choice), ...rest])].filter((one) => one !== "")
    return choices.length < 2 ? "A choice has at least two words." : { type: "choice", choices, required }
  }
  if (rest.length === 0 && first !== "choice" && Schema.is(InputType)(first)) return { type: first, required }
  return isMarked || foreignType.test(first) ? `"${text}" is not a type.` : undefined
}

/** The typed inputs of the text under `## Input requirements`, in order, and the lines that only look like one. */
export const readSkillInputs = (
  markdown: string
): { readonly inputs: ReadonlyArray<SkillInput>; readonly faults: ReadonlyArray<InputFault> } => {
  const inputs: Array<SkillInput> = []
  const faults: Array<InputFault> = []
  for (const [index, text] of markdown.split("\n").entries()) {
    const [, name = "", parentheses = "", about = ""] = typedLine.exec(text) ?? []
    const signature = name === "" ? undefined : readSignature(parentheses)
    if (signature === undefined) continue
    const line = index + 1
    if (typeof signature === "string") {
      faults.push({ kind: "type", line, what: signature })
    } else if (!nameForm.test(name) || name.length > 40) {
      faults.push({ kind: "name", line, what: `"${name}" cannot be the name of an input.` })
    } else if (inputs.some((input) => input.name === name)) {
      faults.push({ kind: "name", line, what: `There are two inputs "${name}".`, how: "Rename or remove one of them." })
    } else {
      inputs.push({ name, ...signature, about: about.trim() })
    }
  }
  return { inputs, faults }
}

/** The type as it stands in a skill: `path`, `choice of a, b`. */
export const inputTypeText = ({ choices = [], type }: SkillInput): string =>
  type === "choice" ? `choice of ${choices.join(", ")}` : type

const valueWords: Readonly<Record<Exclude<InputType, "choice">, string>> = {
  text: "text",
  path: "path of a file or folder of the project",
  url: "URL",
  number: "number",
  "yes-no": "yes or no"
}

/** The lines of the format that a refinement fills in: "- `file`: <path of a file or folder of the project; required>". */
export const inputLines = (inputs: ReadonlyArray<SkillInput>): string =>
  inputs
    .map(({ choices = [], name, required, type }) => {
      const value = type === "choice" ? `one of: ${choices.join(", ")}` : valueWords[type]
      return `- \`${name}\`: <${value}; ${required ? "required" : "optional"}>`
    })
    .join("\n")
