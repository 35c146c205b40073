/**
 * Reads a task list while a model still writes it. Whenever a task is complete its lines are read as a document of their
 * own, for the links that a memo keeps: when the answer ends, all but the last task has been read before. The
 * answer itself is read as a whole afterwards, so nothing depends on how it came. services/PlanAhead listens with it.
 */
import * as Option from "effect/Option"
import type { LinkReader } from "../grammar/LinkCache.ts"
import { indentOf, readHashes } from "../markdown/MarkdownLines.ts"
import { openingOf } from "../markdown/MarkdownFences.ts"
import type { Task } from "../plan/Task.ts"
import { readLabel } from "../grammar/TaskFields.ts"
import { readTaskList } from "./TaskListFormat.ts"

/** A task that takes more lines or characters than this is read when the answer is complete. */
const longestPiece = 65_536

const isHeading = (line: string): boolean => indentOf(line) <= 3 && readHashes(line) !== undefined

const startsTask = (line: string): boolean => readLabel(line)?.key === "name" || isHeading(line)

/** Takes the deltas of one answer, in order. `onTask` learns of every task that could be built from its lines alone. */
export const streamingReader = (
  findLinks: LinkReader,
  onTask: (task: Task) => void = () => {}
): ((delta: string) => void) => {
  let fence = ""
  let line = ""
  let piece: Array<string> = []
  let size = 0

  const endPiece = (): void => {
    const text = piece.join("\n")
    if (size <= longestPiece && text.includes("](")) {
      const { value } = readTaskList(`## Goals\n\n-\n\n## Tasks\n\n### Task section 1\n\n${text}`, { findLinks })
      if (Option.isSome(value)) value.value.tasks.forEach(onTask)
    }
    piece = []
    size = 0
  }
  const endLine = (): void => {
    if (fence === "") {
      if (startsTask(line)) endPiece()
      fence = openingOf(line)?.mark ?? ""
    } else if (line.trim().startsWith(fence) && /^(?:`+|~+)$/.test(line.trim())) {
      fence = ""
    }
    size += line.length + 1
    if (size <= longestPiece) piece.push(line)
    line = ""
  }
  return (delta) => {
    const [first = "", ...rest] = delta.split("\n")
    line += first
    for (const next of rest) {
      endLine()
      line = next
    }
  }
}
