/**
 * Splits unfinished markdown into finished blocks and a rest. A finished block can be shown at once, because later text
 * cannot change it.
 */

/** The finished blocks with their line ends, and the text after them. */
export interface AnswerBlocks {
  readonly finished: ReadonlyArray<string>
  readonly rest: string
}

const fenceOf = (line: string): string | undefined => /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
const isItem = (line: string): boolean => /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line)
const isHeading = (line: string): boolean => /^ {0,3}#{1,6}\s/.test(line)

/** True if the line closes the fence that the line `open` begins. */
const closes = (line: string, open: string): boolean => {
  const fence = fenceOf(line)
  return fence !== undefined && fence[0] === open[0] && fence.length >= open.length && /^\s*[`~]+\s*$/.test(line)
}

/** Splits a text into blocks. A blank line, a heading, a closing fence or the next list item ends a block. */
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
