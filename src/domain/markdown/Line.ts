/**
 * One line of a document with everything that it can be: a heading, a fence, a list item, a field of a task. A line is
 * taken apart once, and the readers of fences, headings, sections and tasks share what was found.
 */
import {
  type Bullets,
  type HashHeading,
  indentOf,
  isComment,
  isRule,
  readBullets,
  readHashes
} from "./MarkdownLines.ts"
import { type LabelledLine, readLabel } from "./TaskFields.ts"

/** A fence that opens on a line. */
export interface Opening {
  readonly mark: string
  /** What stands before the fence: indentation, list markers, a bold label. */
  readonly lead: string
  readonly info: string
}

const boldLabel = /^(?:\*\*[^*]{1,60}\*\*|__[^_]{1,60}__):?\s*/

export class Line {
  readonly text: string
  /** The column of the first character that is not blank. */
  readonly indent: number
  readonly isBlank: boolean
  readonly hashes: HashHeading | undefined
  /** The characters of a fence that can end a code block; nothing else stands on the line. */
  readonly closing: string | undefined
  /** The fence that opens on this line; also after list markers and after one bold label. */
  readonly opening: Opening | undefined
  #bullets: Bullets | undefined
  #label: LabelledLine | "none" | undefined

  constructor(text: string) {
    const trimmed = text.trim()
    this.text = text
    this.indent = indentOf(text)
    this.isBlank = trimmed === ""
    this.hashes = readHashes(trimmed)
    this.closing = /^(?:`{3,}|~{3,})$/.test(trimmed) ? trimmed : undefined
    this.opening = text.includes("```") || text.includes("~~~") ? this.#readOpening() : undefined
  }

  /** The list markers before the text of the line. */
  get bullets(): Bullets {
    this.#bullets ??= readBullets(this.text)
    return this.#bullets
  }

  /** The label of a field, or a bold label after a list marker that no field has. */
  get label(): LabelledLine | undefined {
    this.#label ??= readLabel(this.bullets) ?? "none"
    return this.#label === "none" ? undefined : this.#label
  }

  /** True when a field of a task starts here. */
  get isField(): boolean {
    return this.label?.key !== undefined
  }

  /** True for a heading by CommonMark, with hashes. */
  get isHeading(): boolean {
    return this.indent <= 3 && this.hashes?.spaced === true
  }

  /** True for `---`, `***`, `___`. */
  get isRule(): boolean {
    return isRule(this.text)
  }

  /** True for a line that holds one whole `<!-- comment -->` and nothing else. */
  get isComment(): boolean {
    return isComment(this.text)
  }

  #readOpening(): Opening | undefined {
    const body = this.bullets.rest.replace(boldLabel, "")
    const mark = /^(?:`{3,}|~{3,})/.exec(body)?.[0]
    if (mark === undefined) return undefined
    const info = body.slice(mark.length)
    if (mark.startsWith("`") && info.includes("`")) return undefined
    return { mark, lead: this.text.slice(0, this.text.length - body.length), info: info.trim() }
  }
}

/** The lines of a text. */
export const readLines = (text: string): Array<Line> => text.split("\n").map((line) => new Line(line))
