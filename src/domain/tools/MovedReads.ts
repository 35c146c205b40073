/**
 * An answer may change a file and read lines of it. The changes are made first, but the model knows only the line numbers
 * from before them.
 */
import { lineEdits } from "../files/ChangePreview.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { pathOf, type ToolCall } from "./ToolCall.ts"

/** Returns a function that finds the new number of a line. For a removed line, this is the number of the line after it. */
const lineAfter = (before: string, after: string) => {
  const edits = lineEdits(before, after)
  return (line: number): number => {
    let [old, now] = [0, 0]
    for (const { _tag, items } of edits) {
      const isInside = _tag !== "Insert" && line <= old + items.length
      if (isInside) return _tag === "Delete" ? now + 1 : now + line - old
      if (_tag !== "Insert") old += items.length
      if (_tag !== "Delete") now += items.length
    }
    return now + line - old
  }
}

/** The call with the present numbers of the lines that it reads. `changed` has the files with their earlier texts. */
export const withPresentLines = (call: ToolCall, changed: ReadonlyArray<ProposedFile>): ToolCall => {
  const file = call.name === "read_file" ? changed.find(({ path }) => path === pathOf(call)) : undefined
  if (typeof file?.base !== "string" || typeof file.text !== "string") return call
  const present = lineAfter(file.base, file.text)
  const lines = Object.entries(call.arguments).flatMap(([name, value]) =>
    (name === "start_line" || name === "end_line") && typeof value === "number" ? [[name, present(value)] as const] : []
  )
  return { ...call, arguments: { ...call.arguments, ...Object.fromEntries(lines) } }
}
