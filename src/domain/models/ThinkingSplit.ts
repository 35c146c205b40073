/**
 * Separates thoughts in tags from the answer while a model writes it, for servers that send both as one text. The
 * result does not depend on how deltas split the text.
 */

import { changeParts } from "../files/AnswerParts.ts"

/** Thoughts or text, in the order in which the model wrote them. */
interface WrittenPiece {
  readonly kind: "thinking" | "text"
  readonly text: string
}

const names = ["think", "thinking", "thought", "reasoning"]
const opening = new RegExp(`^<(?:${names.join("|")})>`, "i")
const closing = new RegExp(`</(?:${names.join("|")})>`, "i")
const loneClosing = new RegExp(`^[ \\t]*</(?:${names.join("|")})>`, "i")
const heading = /^ {0,3}#{1,6}\s/m
const longestTag = "</reasoning>".length

/** True while the text may still become an opening tag of thoughts. */
const mayOpen = (text: string): boolean => names.some((name) => `<${name}>`.startsWith(text.toLowerCase()))

/** The index at which an unfinished closing tag may begin. If no such tag may begin, the length of the text. */
const heldFrom = (text: string): number => {
  const start = text.lastIndexOf("<")
  return start === -1 || text.length - start >= longestTag ? text.length : start
}

export class ThinkingSplit {
  #state: "start" | "thinking" | "text" = "start"
  #held = ""
  /** The thoughts after the last opening tag. */
  #open = ""
  #hasThought = false

  /** True if the unclosed thoughts contain a heading. A document may have begun there. */
  get hasHeading(): boolean {
    return this.#state === "thinking" && heading.test(this.#open)
  }

  add(delta: string): ReadonlyArray<WrittenPiece> {
    if (this.#state === "text") return [{ kind: "text", text: delta }]
    this.#held += delta
    const pieces: Array<WrittenPiece> = []
    /* A text may hold any number of tags. */
    for (let hasMoved = true; hasMoved;) {
      const before = this.#state
      pieces.push(...this.#step())
      hasMoved = this.#state !== before
    }
    return pieces
  }

  #step(): ReadonlyArray<WrittenPiece> {
    if (this.#state === "text") return []
    return this.#state === "start" ? this.#begin() : this.#think()
  }

  #begin(): ReadonlyArray<WrittenPiece> {
    const text = this.#held.trimStart()
    const tag = opening.exec(text)
    if (tag !== null) {
      this.#state = "thinking"
      this.#hasThought = true
      this.#open = ""
      this.#held = text.slice(tag[0].length)
      return []
    }
    if (mayOpen(text)) return []
    return this.#write(this.#hasThought ? text : this.#held)
  }

  #write(text: string): ReadonlyArray<WrittenPiece> {
    this.#state = "text"
    this.#held = ""
    return text === "" ? [] : [{ kind: "text", text }]
  }

  #think(): ReadonlyArray<WrittenPiece> {
    const tag = closing.exec(this.#held)
    const end = tag?.index ?? heldFrom(this.#held)
    const thought = this.#held.slice(0, end)
    this.#held = this.#held.slice(end + (tag?.[0].length ?? 0))
    this.#open += thought
    const piece: ReadonlyArray<WrittenPiece> = thought === "" ? [] : [{ kind: "thinking", text: thought }]
    if (tag !== null) this.#state = "start"
    return piece
  }

  /**
   * Ends the text. Thoughts without a closing tag end at their first heading, as in the document reader. `answer` is
   * the text from this heading on.
   */
  end(): { readonly pieces: ReadonlyArray<WrittenPiece>; readonly answer: string } {
    const rest = this.#held
    this.#held = ""
    if (this.#state !== "thinking") return { pieces: rest === "" ? [] : [{ kind: "text", text: rest }], answer: "" }
    this.#open += rest
    const from = this.#open.search(heading)
    return {
      pieces: rest === "" ? [] : [{ kind: "thinking", text: rest }],
      answer: from === -1 ? "" : this.#open.slice(from)
    }
  }
}

/**
 * Splits off thoughts that have only a closing tag, because some servers drop the opening tag. If a heading precedes
 * the closing tag, the document reader decides. Tags in quoted files do not count.
 */
export const splitLoneClosing = (text: string): { readonly thinking: string; readonly text: string } => {
  if (!text.includes("</")) return { thinking: "", text }
  const lines = text.split("\n")
  const fileLines = new Set(
    changeParts(text).flatMap(({ end, first }) => lines.slice(first, end).map((_, at) => first + at))
  )
  let isFenced = false
  let last = -1
  for (const [index, line] of lines.entries()) {
    if (fileLines.has(index)) continue
    if (/^ {0,3}(?:`{3}|~{3})/.test(line)) isFenced = !isFenced
    if (isFenced) continue
    if (heading.test(line)) break
    if (loneClosing.test(line)) last = index
  }
  if (last === -1) return { thinking: "", text }
  const rest = [(lines[last] ?? "").replace(loneClosing, ""), ...lines.slice(last + 1)].join("\n")
  return { thinking: lines.slice(0, last).join("\n"), text: rest.trimStart() }
}
