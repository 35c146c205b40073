/**
 * The value of a typed input (domain/skills/SkillInput): as the refinement of a task gives it, as the executor sees it. Values
 * are one line each.
 */
import { distance } from "fastest-levenshtein"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { canonicalUrl } from "../web/CanonicalUrl.ts"
import { type SkillInput } from "../skills/SkillInput.ts"
import { escapeInline } from "../grammar/TextEscaping.ts"

/** A number for `number`, a boolean for `yes-no`, and otherwise text. */
export const InputValue = Schema.Struct({
  name: Schema.String,
  value: Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])
})
export type InputValue = typeof InputValue.Type

/** A text that was read as a value; `isMended` when it was written in another form. */
export interface TypedValue {
  readonly value: InputValue["value"]
  readonly isMended: boolean
}

/** True for what models write where there is no value. */
export const isNoValue = (text: string): boolean =>
  /^(?:|-|–|—|\.{3}|…|<[^<>]*>|(?:n\/?a|none|null|undefined|not (?:given|known|needed|specified)|unknown)[.]?)$/i.test(
    text
  )

const typed = (value: InputValue["value"], isMended = false) => Result.succeed({ value, isMended })
const wrong = (expected: string): Result.Result<never, string> => Result.fail(expected)

const numberForm = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$/i

const readChoice = (text: string, choices: ReadonlyArray<string>): Result.Result<TypedValue, string> => {
  if (choices.includes(text)) return typed(text)
  const close = choices.filter((choice) => choice.toLowerCase() === text.toLowerCase().replace(/[.]$/, ""))
  return close.length === 1 && close[0] !== undefined ? typed(close[0], true) : wrong(`one of ${choices.join(", ")}`)
}

/** Reads a text as the value of an input. Fails with what was expected, such as `a number`. */
export const readTypedValue = (input: SkillInput, text: string): Result.Result<TypedValue, string> => {
  switch (input.type) {
    case "text":
      return typed(text)
    case "path": {
      const path = text.replace(/#L\d+(?:-L?\d+)?$/, "")
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return wrong("the path of a file or folder of the project, not a URL")
      if (/[*?]/.test(path)) return wrong("one path, not a pattern")
      return typed(path, path !== text)
    }
    case "url":
      return Result.match(canonicalUrl(text), {
        onSuccess: () => typed(text),
        onFailure: () => wrong("a complete http or https URL")
      })
    case "number":
      return numberForm.test(text) && Number.isFinite(Number(text))
        ? typed(Number(text))
        : wrong("a number in digits, without a unit")
    case "yes-no": {
      if (text === "yes" || text === "no") return typed(text === "yes")
      const word = text.toLowerCase().replace(/[.]$/, "")
      if (["yes", "true", "y", "1"].includes(word)) return typed(true, true)
      return ["no", "false", "n", "0"].includes(word) ? typed(false, true) : wrong("yes or no")
    }
    case "choice":
      return readChoice(text, input.choices ?? [])
  }
}

const plain = (name: string): string => name.toLowerCase().replace(/[_\s]/g, "-")

/** The input that a name means: the same but for case and underscores, or the only one that is spelled almost so. */
export const findInput = (name: string, inputs: ReadonlyArray<SkillInput>): SkillInput | undefined => {
  const exact = inputs.find((input) => plain(input.name) === plain(name))
  if (exact !== undefined) return exact
  const close = inputs.filter((input) => distance(plain(input.name), plain(name)) <= (input.name.length > 5 ? 2 : 1))
  return close.length === 1 ? close[0] : undefined
}

const link = /^!?\[[^\][]*\]\(<?([^()<>]*)>?\)$/

/** What a link or picture points to, when a value is nothing else. */
export const linkTarget = (text: string): string | undefined => link.exec(text)?.[1]

const valueText = (value: InputValue["value"]): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  const text = String(value)
  const isRead = typeof value === "string" && (isNoValue(text) || linkTarget(text) !== undefined)
  return isRead ? `\\${text}` : escapeInline(text)
}

/** The lines under `## Inputs`: "- `file`: src/main.ts". */
export const renderInputs = (values: ReadonlyArray<InputValue>): string =>
  values.map(({ name, value }) => `- \`${name}\`: ${valueText(value)}`).join("\n")
