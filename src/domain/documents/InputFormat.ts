/**
 * Reads and writes the section `## Inputs` of a report, with one line for each typed input of the skill. The reader
 * also accepts other forms that models write.
 */
import * as Result from "effect/Result"
import { type Where, addIssue, addRepair, type Findings } from "../findings/Issue.ts"
import { stripMarks } from "../grammar/FieldValues.ts"
import { excerpt, firstProse, type TaskLine } from "../grammar/RawTask.ts"
import { oneLine } from "../text/Format.ts"
import { escapeInline, unescapeInline } from "../grammar/TextEscaping.ts"
import type { SkillInput } from "../skills/Skill.ts"
import { canonicalUrl } from "../tools/Access.ts"
import type { InputValue } from "./TaskOutcome.ts"

/** True for text that models write in place of a missing value, such as "none". */
const isNoValue = (text: string): boolean =>
  /^(?:|-|–|—|\.{3}|…|<[^<>]*>|(?:n\/?a|none|null|undefined|not (?:given|known|needed|specified)|unknown)[.]?)$/i.test(
    text
  )

const numberForm = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$/i

/** Reads a string as the value of a typed input. Fails with a description of the expected value. */
const readTypedValue = (
  { choices = [], type }: SkillInput,
  text: string
): Result.Result<InputValue["value"], string> => {
  const word = text.toLowerCase().replace(/[.]$/, "")
  switch (type) {
    case "text":
      return Result.succeed(text)
    case "path": {
      const path = text.replace(/#L\d+(?:-L?\d+)?$/, "")
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path))
        return Result.fail("the path of a file or folder of the project, not a URL")
      return /[*?]/.test(path) ? Result.fail("one path, not a pattern") : Result.succeed(path)
    }
    case "url":
      return Result.mapBoth(canonicalUrl(text), {
        onSuccess: () => text,
        onFailure: () => "a complete http or https URL"
      })
    case "number":
      return numberForm.test(text) && Number.isFinite(Number(text))
        ? Result.succeed(Number(text))
        : Result.fail("a number in digits, without a unit")
    case "yes-no":
      if (["yes", "true", "y", "1"].includes(word)) return Result.succeed(true)
      return ["no", "false", "n", "0"].includes(word) ? Result.succeed(false) : Result.fail("yes or no")
    case "choice": {
      const [close, ...others] = choices.filter((choice) => choice.toLowerCase() === word)
      if (choices.includes(text)) return Result.succeed(text)
      return close === undefined || others.length > 0
        ? Result.fail(`one of ${choices.join(", ")}`)
        : Result.succeed(close)
    }
  }
}

const plain = (name: string): string => name.toLowerCase().replace(/[_\s]/g, "-")

/** The input with this name, ignoring case and underscores. */
const findInput = (name: string, inputs: ReadonlyArray<SkillInput>): SkillInput | undefined =>
  inputs.find((input) => plain(input.name) === plain(name))

/** The target of a value that is only a link or an image. */
const linkTarget = (text: string): string | undefined => /^!?\[[^\][]*\]\(<?([^()<>]*)>?\)$/.exec(text)?.[1]

const valueText = (value: InputValue["value"]): string =>
  typeof value === "boolean" ? (value ? "yes" : "no") : String(value)

/** The lines of the section "Inputs", such as "- `file`: src/main.ts". */
export const renderInputs = (values: ReadonlyArray<InputValue>): string =>
  values
    .map(({ name, value }) => {
      const text = valueText(value)
      const isRead = typeof value === "string" && (isNoValue(text) || linkTarget(text) !== undefined)
      return `- \`${name}\`: ${isRead ? `\\${text}` : escapeInline(text)}`
    })
    .join("\n")

interface RawInput {
  readonly name: string
  readonly line: number
  readonly text: string
  readonly isStrict: boolean
}

const strictLine = /^- `([^`]+)`: (.*)$/
const looseLine =
  /^\s*(?:(?:[-*+]|\d+[.)])\s+)?[`*_"']*([\p{L}][\p{L}\p{N}_-]*)[`*_"']*(?:[:：][`*_"']*|[`*_"']*\s*[:：])(?:\s+|$)(.*)$/u
const boldLine = /^\s*[-*+]\s+(?:\*\*|`)([\p{L}][\p{L}\p{N}_-]*)(?:\*\*|`)\s+(.*)$/u

const readLine = (written: string, line: number): ReadonlyArray<RawInput> => {
  const strict = strictLine.exec(written)
  const [, name, text = ""] = strict ?? looseLine.exec(written) ?? boldLine.exec(written) ?? []
  return name === undefined ? [] : [{ name, line, text: text.trim(), isStrict: strict !== null }]
}

/** The inputs as written. A line without a name continues the previous value. */
const readRaw = (lines: ReadonlyArray<TaskLine>, where: Where, findings: Findings): ReadonlyArray<RawInput> => {
  const raw: Array<RawInput> = []
  for (const block of lines) {
    if (block.kind === "blank" || block.kind === "rule" || block.kind === "comment") continue
    const source = block.kind === "fence" ? block.fence.text : block.text
    const found = block.kind === "fence" ? [] : readLine(source, block.line)
    const last = raw.at(-1)
    if (found.length > 0) raw.push(...found)
    else if (last !== undefined) {
      raw[raw.length - 1] = { ...last, text: `${last.text} ${oneLine(source)}`.trim(), isStrict: false }
    } else {
      const message = `Ignored text that names no input: "${excerpt(source)}".`
      addRepair(findings, "text-ignored", { ...where, line: block.line }, message)
    }
  }
  return raw
}

/**
 * Reads the section "Inputs", and returns the values in the order of the skill. If `inputs` is undefined, every name is
 * accepted as text. `kept` are values of an earlier attempt, for inputs that the section leaves out.
 */
export const readInputs = (
  lines: ReadonlyArray<TaskLine>,
  section: Where,
  inputs: ReadonlyArray<SkillInput> | undefined,
  kept: ReadonlyArray<InputValue>,
  findings: Findings
): ReadonlyArray<InputValue> => {
  const values = new Map<string, InputValue>()
  const seen = new Set<string>()
  const mistyped = new Set<string>()

  const read = (raw: RawInput): void => {
    const where = { ...section, field: raw.name, line: raw.line }
    const input = inputs === undefined ? undefined : findInput(raw.name, inputs)
    if (inputs !== undefined && input === undefined)
      return addRepair(findings, "input-ignored", where, `Ignored "${raw.name}": the skill has no such input.`)
    const name = input?.name ?? raw.name
    if (name !== raw.name) addRepair(findings, "input-spelling", where, `Read the input "${raw.name}" as "${name}".`)
    if (seen.has(name)) {
      const what = `The input "${name}" is given twice.`
      return addIssue(findings, "input-repeated", where, { what, quote: raw.text })
    }
    seen.add(name)
    // A backslash before a value makes it literal.
    const isEscaped = raw.text.startsWith("\\")
    const text = isEscaped ? unescapeInline(raw.text) : (linkTarget(raw.text) ?? stripMarks(raw.text))
    if (!isEscaped && input?.choices?.includes(text) !== true && isNoValue(text)) return
    const typed = input === undefined ? Result.succeed(text) : readTypedValue(input, text)
    if (Result.isFailure(typed)) {
      mistyped.add(raw.name)
      const what = `"${excerpt(text)}" is not a value for the input "${name}".`
      return addIssue(findings, "input-type", where, { what, how: `Give ${typed.failure}.`, quote: raw.text })
    }
    const value = typed.success
    const isChanged = (!isEscaped && text !== raw.text) || (typeof value !== "number" && valueText(value) !== text)
    if (isChanged || !raw.isStrict)
      addRepair(findings, "input-form", where, `Read "${excerpt(String(value))}" as the input "${name}".`)
    values.set(name, { name, value })
  }

  const written = readRaw(lines, section, findings)
  for (const raw of written) read(raw)
  const prose = written.length === 0 ? firstProse(lines) : undefined
  const instead = prose === undefined ? "" : ` The section has only text: "${excerpt(prose)}".`
  for (const { about, name, required } of inputs ?? []) {
    if (seen.has(name) && (values.has(name) || !required)) continue
    const where = { ...section, field: name }
    const earlier = seen.has(name) ? undefined : kept.find((one) => one.name === name)
    if (earlier !== undefined) {
      addRepair(findings, "input-kept", where, `Kept the input "${name}" as it was.`)
      values.set(name, earlier)
    } else if (required && !mistyped.has(name)) {
      const how = `Write "- \`${name}\`: ..." under "## Inputs".${about === "" ? "" : ` ${about}`}`
      addIssue(findings, "input-missing", where, {
        what: `The input "${name}" has no value.${instead}`,
        how,
        quote: prose
      })
    }
  }
  const order = inputs?.map(({ name }) => name) ?? [...values.keys()]
  return order.flatMap((name) => values.get(name) ?? [])
}
