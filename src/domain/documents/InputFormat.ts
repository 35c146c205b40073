/**
 * The section `## Inputs` of a refinement: one line for each typed input of the skill. Reads what models write there
 * instead, and checks it against the skill. Called by domain/documents/RefinementFormat.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Where } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import { findInput, type InputValue, isNoValue, linkTarget, readTypedValue } from "./InputValue.ts"
import { excerpt } from "../grammar/RawTask.ts"
import type { SkillInput } from "../skills/SkillInput.ts"
import type { TaskLine } from "../grammar/TaskLines.ts"
import { stripMarks } from "../grammar/FieldValues.ts"
import { unescapeInline } from "../grammar/TextEscaping.ts"

/** What the section is read against; without `inputs` every name is taken and every value is text. */
export interface InputOptions {
  readonly inputs?: ReadonlyArray<SkillInput>
  /** Values of an earlier attempt; they stand where the section leaves an input out. */
  readonly kept?: ReadonlyArray<InputValue>
  /** The name of the task, for messages. */
  readonly task?: string
}

/** A value as it was written. */
interface RawInput {
  readonly name: string
  readonly line: number
  readonly text: string
  readonly isStrict: boolean
}

const strictLine = /^- `([^`]+)`: (.*)$/
const looseLine =
  /^\s*(?:(?:[-*+]|\d+[.)])\s+)?[`*_"']*([\p{L}][\p{L}\p{N}_-]*)[`*_"']*(?:\s*\([^()]*\))?(?:[:：=][`*_"']*|[`*_"']*\s*[:：=])(?:\s+|$)(.*)$/u
const boldLine = /^\s*[-*+]\s+(?:\*\*|`)([\p{L}][\p{L}\p{N}_-]*)(?:\*\*|`)\s+(.*)$/u

const readLine = (text: string, line: number): RawInput | undefined => {
  const strict = strictLine.exec(text)
  if (strict !== null) return { name: strict[1] ?? "", line, text: (strict[2] ?? "").trim(), isStrict: true }
  const loose = looseLine.exec(text) ?? boldLine.exec(text)
  return loose === null ? undefined : { name: loose[1] ?? "", line, text: (loose[2] ?? "").trim(), isStrict: false }
}

const decodeObject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

/** Values in a block as one JSON object. */
const readObject = (text: string, line: number): ReadonlyArray<RawInput> =>
  Object.entries(Option.getOrElse(decodeObject(text), () => ({}))).map(([name, value]) => {
    const written = typeof value === "string" ? value : JSON.stringify(value)
    return { name, line, text: written.replace(/\s+/g, " ").trim(), isStrict: false }
  })

/** Lines without a name go on with the value before them. */
const readRaw = (lines: ReadonlyArray<TaskLine>, where: Where, findings: Findings): ReadonlyArray<RawInput> => {
  const raw: Array<RawInput> = []
  for (const one of lines) {
    if (one.kind === "blank" || one.kind === "rule" || one.kind === "comment") continue
    if (one.kind === "fence") {
      const read = readObject(one.fence.text, one.line)
      if (read.length > 0) {
        raw.push(...read)
        continue
      }
    }
    const source = one.kind === "fence" ? one.fence.text : one.text
    const found = one.kind === "fence" ? undefined : readLine(source, one.line)
    const last = raw.at(-1)
    if (found !== undefined) raw.push(found)
    else if (last !== undefined) {
      const text = `${last.text} ${source.replace(/\s+/g, " ").trim()}`.trim()
      raw[raw.length - 1] = { ...last, text, isStrict: false }
    } else {
      const message = `Ignored text that names no input: "${excerpt(source)}".`
      addRepair(findings, "text-ignored", { ...where, line: one.line }, message)
    }
  }
  return raw
}

/** The value without marks around it; a backslash before it says that it stands as it is. */
const plainText = ({ text }: RawInput): string => {
  if (text.startsWith("\\")) return unescapeInline(text)
  return linkTarget(text) ?? stripMarks(text)
}

const needs = (input: SkillInput): string => {
  const about = input.about === "" ? "" : ` ${input.about}`
  return `Write "- \`${input.name}\`: ..." under "## Inputs".${about}`
}

class InputReader {
  readonly values = new Map<string, InputValue>()
  readonly #seen = new Set<string>()
  readonly #findings: Findings
  readonly #where: Where
  readonly #inputs: ReadonlyArray<SkillInput> | undefined

  constructor(inputs: ReadonlyArray<SkillInput> | undefined, where: Where, findings: Findings) {
    this.#inputs = inputs
    this.#where = where
    this.#findings = findings
  }

  read(raw: RawInput): void {
    const where = { ...this.#where, field: raw.name, line: raw.line }
    const input = this.#inputs === undefined ? undefined : findInput(raw.name, this.#inputs)
    if (this.#inputs !== undefined && input === undefined) {
      addRepair(this.#findings, "input-ignored", where, `Ignored "${raw.name}": the skill has no such input.`)
      return
    }
    const name = input?.name ?? raw.name
    if (name !== raw.name) {
      addRepair(this.#findings, "input-spelling", where, `Read the input "${raw.name}" as "${name}".`)
    }
    if (this.#seen.has(name)) {
      const what = `The input "${name}" stands there twice.`
      addIssue(this.#findings, "input-repeated", where, { what, quote: raw.text })
      return
    }
    this.#seen.add(name)
    const text = plainText(raw)
    const isGiven = raw.text.startsWith("\\") || input?.choices?.includes(text) === true || !isNoValue(text)
    if (!isGiven) return
    if (input === undefined) this.#keep(raw, name, { value: text, isMended: this.#isUnmarked(raw, text) }, where)
    else this.#readTyped(raw, input, text, where)
  }

  /** True when marks were taken off that do not belong to the strict form. */
  #isUnmarked(raw: RawInput, text: string): boolean {
    return text !== raw.text && !raw.text.startsWith("\\")
  }

  #readTyped(raw: RawInput, input: SkillInput, text: string, where: Where): void {
    const read = readTypedValue(input, text)
    if (Result.isSuccess(read)) {
      const isMended = read.success.isMended || this.#isUnmarked(raw, text)
      this.#keep(raw, input.name, { value: read.success.value, isMended }, where)
      return
    }
    addIssue(this.#findings, "input-type", where, {
      what: `"${excerpt(text)}" is not a value for the input "${input.name}".`,
      how: `Give ${read.failure}.`,
      quote: raw.text
    })
  }

  #keep(raw: RawInput, name: string, read: { value: InputValue["value"]; isMended: boolean }, where: Where): void {
    if (read.isMended || !raw.isStrict) {
      addRepair(this.#findings, "input-form", where, `Read "${excerpt(String(read.value))}" as the input "${name}".`)
    }
    this.values.set(name, { name, value: read.value })
  }

  /** Takes what is kept for inputs that are left out, and records those that are missing. */
  complete(kept: ReadonlyArray<InputValue>): void {
    for (const input of this.#inputs ?? []) {
      if (this.#seen.has(input.name) && (this.values.has(input.name) || !input.required)) continue
      const where = { ...this.#where, field: input.name }
      const earlier = this.#seen.has(input.name) ? undefined : kept.find((one) => one.name === input.name)
      if (earlier !== undefined) {
        addRepair(this.#findings, "input-kept", where, `Kept the input "${input.name}" as it was.`)
        this.values.set(input.name, earlier)
      } else if (input.required && !this.#hasIssue(input.name)) {
        const what = `The input "${input.name}" has no value.`
        addIssue(this.#findings, "input-missing", where, { what, how: needs(input) })
      }
    }
  }

  #hasIssue(name: string): boolean {
    return this.#findings.issues.some(({ code, where }) => code === "input-type" && where.field === name)
  }
}

/** Reads the lines of the section; none when there is no section. The values are in the order of the skill. */
export const readInputs = (
  lines: ReadonlyArray<TaskLine>,
  section: string,
  { inputs, kept = [], task }: InputOptions,
  findings: Findings
): ReadonlyArray<InputValue> => {
  const where = { section, ...(task === undefined ? {} : { task }) }
  const reader = new InputReader(inputs, where, findings)
  for (const raw of readRaw(lines, where, findings)) reader.read(raw)
  reader.complete(kept)
  const order = inputs?.map(({ name }) => name) ?? [...reader.values.keys()]
  return order.flatMap((name) => reader.values.get(name) ?? [])
}
