/**
 * Decides which text of an answer the user sees while the model writes it, without calls and changes. If the program
 * rejects an answer that was already shown, the user sees only the new lines of the next answer.
 */
import { readFence } from "../files/ChangeMarks.ts"
import { beginsNative } from "../tools/native/NativeCalls.ts"
import { holdsCall } from "../tools/ToolCallTraces.ts"

const isHeadingOfCalls = (line: string): boolean => /^\s*(?:#{1,6}\s*|\*\*)(?:tool calls|look first)\b/i.test(line)
const isMark = (line: string): boolean => /^\s*<{5,}(?!<)/.test(line)
const isPath = (line: string): boolean => /^[*#`\s]*\S*[./][\w-]+[`*:]*\s*$/.test(line)
/** True for the beginning of a line that may become a call or a change. */
const mayAct = (line: string): boolean => /^\s*(?:[#`~<{[*]|\S*$)/.test(line)

/** The index up to which an unfinished text may be shown. `isActing`: a call or change begins at this index. */
const shownPart = (text: string): { readonly end: number; readonly isActing: boolean } => {
  const lines = text.split("\n")
  let end = 0
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    const isLast = at === lines.length - 1
    const fence = readFence(line)
    if (fence !== undefined && !isLast) {
      const close = lines.findIndex(
        (one, index) => index > at && readFence(one)?.info === "" && one.trim().startsWith(fence.signs)
      )
      if (close === -1) return { end, isActing: false }
      const inside = lines.slice(at + 1, close)
      if (inside.some(isMark) || holdsCall(inside.join("\n"))) return { end, isActing: true }
      end += lines.slice(at, close + 1).join("\n").length + 1
      at = close
      continue
    }
    if (isLast) return { end: mayAct(line) ? end : end + line.length, isActing: false }
    if (isHeadingOfCalls(line) || isMark(line) || beginsNative(line) || /^\s*[{[]\s*(?:$|["{])/.test(line)) {
      return { end, isActing: true }
    }
    if (isPath(line)) {
      const next = lines.slice(at + 1).find((one) => one.trim() !== "")
      if (next === undefined || mayAct(next)) return { end, isActing: next !== undefined && isMark(next) }
    }
    end += line.length + 1
  }
  return { end: Math.min(end, text.length), isActing: false }
}

export interface ShownAnswer {
  /** Begins a new answer. The returned function receives its text. */
  readonly begin: () => (delta: string) => void
  /** Call this after an answer that made calls or changes, so that more answers follow. */
  readonly acted: () => void
  /** Reports that the last answer is final. `answer` is its final form. */
  readonly end: (answer: string) => void
  /** Shows a text from the program itself. Text of the model after it is shown as a new answer. */
  readonly add: (text: string) => void
}

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line.trim() !== "")

export const makeShownAnswer = (listen: (text: string) => void): ShownAnswer => {
  /** All text shown so far. */
  let printed = ""
  let answer = ""
  let done = 0
  let isActing = false
  /** True while new text is held back, because it may repeat what the user has already seen. */
  let isMuted = false
  /** True if the program added the last text. */
  let isAdded = false

  const show = (text: string): void => {
    if (text === "") return
    printed += text
    listen(text)
  }
  const showUntil = (end: number): void => {
    show(answer.slice(done, end))
    done = Math.max(done, end)
  }
  const take = (delta: string): void => {
    answer += delta
    if (isMuted || isActing) return
    let from = done
    if (done > 0 && answer[done - 1] !== "\n") {
      // A line that is partly shown can only be prose.
      const lineEnd = answer.indexOf("\n", done)
      if (lineEnd === -1) return showUntil(answer.length)
      from = lineEnd + 1
    }
    const found = shownPart(answer.slice(from))
    isActing = found.isActing
    showUntil(from + found.end)
  }
  return {
    begin: () => {
      if (answer !== "" && !isActing && done > 0) isMuted = true
      if (isAdded) show("\n\n")
      isAdded = false
      answer = ""
      done = 0
      isActing = false
      return take
    },
    acted: () => {
      if (answer !== "") take("\n\n")
      isActing = true
    },
    end: (final) => {
      if (!isMuted) showUntil(answer.length)
      const known = new Set(linesOf(printed))
      const missing = linesOf(final).filter((line) => !known.has(line))
      if (missing.length === 0) return
      if (printed.trim() === "") return show(final)
      const isOther = missing.length * 2 > linesOf(final).length
      show(isOther ? `\n\n${final}` : `\n\nCorrected:\n\n${missing.join("\n")}`)
    },
    add: (text) => {
      show(`\n\n${text}`)
      answer = ""
      isMuted = false
      isAdded = true
    }
  }
}
