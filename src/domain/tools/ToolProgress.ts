/** Progress and notes that a tool reports while its call runs. */
import * as Schema from "effect/Schema"
import { cutText } from "../text/TextWidth.ts"
import { printable } from "../text/Printable.ts"

/** The progress of a call: a text, or the amount `done` of a `total`. The tool chooses the unit of the amounts. */
export const ToolProgress = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  done: Schema.optionalKey(Schema.Finite),
  total: Schema.optionalKey(Schema.Finite)
})
export type ToolProgress = typeof ToolProgress.Type

/** The maximum length of a progress text, in terminal columns. */
const mostColumns = 200

/** Reads any value that a tool passed as progress. Undefined if it says nothing. */
export const readProgress = (given: unknown): ToolProgress | undefined => {
  const { done, text, total } = typeof given === "object" && given !== null ? (given as ToolProgress) : {}
  const words = typeof given === "string" ? given : text
  const line = typeof words === "string" ? cutText(printable(words).trim(), mostColumns) : ""
  const progress = {
    ...(line === "" ? {} : { text: line }),
    ...(Number.isFinite(done) ? { done } : {}),
    ...(Number.isFinite(done) && Number.isFinite(total) ? { total } : {})
  }
  return Object.keys(progress).length === 0 ? undefined : (progress as ToolProgress)
}

/** The progress as text, such as `3/10 reading pages`. */
export const progressText = ({ done, text, total }: ToolProgress): string => {
  const count = done === undefined ? [] : [total === undefined ? `${done}` : `${done}/${total}`]
  return [...count, ...(text === undefined ? [] : [text])].join(" ")
}

/** The maximum length of the notes of a call, in characters. */
const mostNoted = 100_000

export const makeCallLog = () => {
  const lines: Array<string> = []
  let size = 0
  return {
    lines: (): ReadonlyArray<string> => [...lines],
    add: (given: unknown): void => {
      const text = String(given)
      if (size > mostNoted) return
      size += text.length
      lines.push(size > mostNoted ? "The tool noted more, which was left out." : text)
    }
  }
}
