/** How far a call is, and what it notes about its work, as its tool says it. */
import * as Schema from "effect/Schema"
import { cutText } from "../text/TextWidth.ts"
import { printable } from "../text/Printable.ts"

/** How far a call is: so much of a total, in a unit of the tool's own, or only words about it. */
export const ToolProgress = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  done: Schema.optionalKey(Schema.Finite),
  total: Schema.optionalKey(Schema.Finite)
})
export type ToolProgress = typeof ToolProgress.Type

/** The longest text about progress, in columns. */
const mostColumns = 200

/** What a tool passed, which may be anything; nothing when it says nothing. */
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

/** `3/10 reading pages` */
export const progressText = ({ done, text, total }: ToolProgress): string => {
  const count = done === undefined ? [] : [total === undefined ? `${done}` : `${done}/${total}`]
  return [...count, ...(text === undefined ? [] : [text])].join(" ")
}

/** What the notes of one call may hold at most, in characters. */
const mostNoted = 100_000

/** Keeps what a tool notes about one call, as far as there is room. */
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
