/**
 * Fills prompt templates in one pass: what a value holds is never read as a placeholder. A run fills the templates of its
 * tasks several times, mostly to measure them, and tasks of one skill share their system part. So a text is only joined
 * here, which copies nothing, and the system parts that were made last are used again.
 */
import { addParts, type FilledPrompt, type PromptPart } from "./PromptSize.ts"
import type { PromptTemplate, TemplateName, TemplatePart, TemplateValues } from "./PromptTemplate.ts"

/** What a prompt can do without when the window is too small for all of it. */
const dispensable = "project_map"

type Values = Readonly<Record<string, string>>

const withoutBlankStart = (text: string): string =>
  /^[ \t\r\n]/.test(text) ? text.replace(/^(?:[ \t\r]*\n)+/, "") : text

/** The value of a placeholder without blank lines around it. */
const valueOf = (values: Values, placeholder: string): string =>
  withoutBlankStart((values[placeholder] ?? "").trimEnd())

/** Passes on the pieces that a part of a template is filled with, in order. */
const eachPiece = (
  parts: ReadonlyArray<TemplatePart>,
  values: Values,
  take: (text: string, name: string) => void
): void => {
  for (const part of parts) {
    if (part.within !== undefined && valueOf(values, part.within) === "") continue
    if (part._tag === "Text") {
      take(part.text, "instructions")
    } else {
      const value = valueOf(values, part.placeholder)
      take(part.block && value !== "" ? `${value}\n\n` : value, part.placeholder)
    }
  }
}

/**
 * Joins the pieces without blank lines around them. Only the pieces at both ends are looked at: trimming the joined text
 * would copy all of it.
 */
const joinPieces = (pieces: Array<string>): string => {
  let last = ""
  while (last === "" && pieces.length > 0) last = (pieces.pop() ?? "").trimEnd()
  pieces.push(last)
  let text = ""
  let isStart = true
  for (const piece of pieces) {
    text += piece
    if (isStart && text.trimStart() !== "") {
      isStart = false
      text = withoutBlankStart(text)
    }
  }
  return text
}

const fillPart = (parts: ReadonlyArray<TemplatePart>, values: Values): string => {
  const pieces: Array<string> = []
  eachPiece(parts, values, (text) => pieces.push(text))
  return joinPieces(pieces)
}

/** A system part, and the values that it was made of. */
interface MadeSystem {
  readonly values: ReadonlyArray<readonly [placeholder: string, value: string | undefined]>
  readonly text: string
}

/** A plan uses few skills, and each of them has a system part with and one without what is dispensable. */
const mostKept = 8

const madeSystems = new WeakMap<PromptTemplate, ReadonlyArray<MadeSystem>>()

/** The placeholders on which a part of a template depends. */
const namesIn = (parts: ReadonlyArray<TemplatePart>): ReadonlyArray<string> =>
  parts.flatMap((part) => [
    ...(part.within === undefined ? [] : [part.within]),
    ...(part._tag === "Slot" ? [part.placeholder] : [])
  ])

const systemOf = (template: PromptTemplate, values: Values): string => {
  const made = madeSystems.get(template) ?? []
  const known = made.find((one) => one.values.every(([name, value]) => values[name] === value))
  if (known !== undefined) return known.text
  const text = fillPart(template.system, values)
  const used = namesIn(template.system).map((name) => [name, values[name]] as const)
  madeSystems.set(template, [{ values: used, text }, ...made].slice(0, mostKept))
  return text
}

/** Most prompts are only measured or sent: what is asked for less often is made when it is asked for. */
class TemplatePrompt implements FilledPrompt {
  readonly system: string
  readonly user: string
  readonly #template: PromptTemplate
  readonly #values: Values
  #parts: ReadonlyArray<PromptPart> | undefined
  #lighter: FilledPrompt | undefined

  constructor(template: PromptTemplate, values: Values) {
    this.system = systemOf(template, values)
    this.user = fillPart(template.user, values)
    this.#template = template
    this.#values = values
  }

  get parts(): ReadonlyArray<PromptPart> {
    return (this.#parts ??= this.#measure())
  }

  get lighter(): FilledPrompt | undefined {
    if (valueOf(this.#values, dispensable) === "") return undefined
    return (this.#lighter ??= new TemplatePrompt(this.#template, { ...this.#values, [dispensable]: "" }))
  }

  #measure(): ReadonlyArray<PromptPart> {
    const filled: Array<PromptPart> = []
    for (const parts of [this.#template.system, this.#template.user]) {
      eachPiece(parts, this.#values, (text, name) => filled.push({ name, characters: text.length }))
    }
    return addParts(filled)
  }
}

/** Fills a template. */
export const fillTemplate = <Name extends TemplateName>(
  template: PromptTemplate<Name>,
  values: TemplateValues<Name>
): FilledPrompt => new TemplatePrompt(template, values)
