/**
 * Splits unfinished markdown into finished blocks and a rest. The program can show a finished block at once, because
 * later text cannot change it.
 */

/** `finished` are the finished blocks with their line ends. `rest` is the text after them, which is not finished. */
export interface AnswerBlocks {
  readonly finished: ReadonlyArray<string>
  readonly rest: string
}

const fenceOf = (line: string): string | undefined => /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
const isItem = (line: string): boolean => /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line)
const isHeading = (line: string): boolean => /^ {0,3}#{1,6}\s/.test(line)

/** True if the line closes the fence that begins with the line `open`. */
const closes = (line: string, open: string): boolean => {
  const fence = fenceOf(line)
  return fence !== undefined && fence[0] === open[0] && fence.length >= open.length && /^\s*[`~]+\s*$/.test(line)
}

/** A block ends with a blank line, a heading or a closing fence, or before the next item of a list. */
export const answerBlocks = (text: string): AnswerBlocks => {
  const finished: Array<string> = []
  let open: string | undefined
  let block = ""
  const end = (): void => {
    if (block !== "") finished.push(block)
    block = ""
  }
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  for (const line of lines) {
    if (open !== undefined) {
      block += `${line}\n`
      if (closes(line, open)) {
        open = undefined
        end()
      }
      continue
    }
    if (isItem(line) || isHeading(line)) end()
    block += `${line}\n`
    open = fenceOf(line)
    if (open === undefined && (line.trim() === "" || isHeading(line))) end()
  }
  return { finished, rest: `${block}${last}` }
}
