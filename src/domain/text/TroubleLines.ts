/** Finds the lines of an output that report errors and failures. These lines stay when the output is cut. */

const trouble =
  /error|exception|panic(?:ked)?\b|traceback|\bfail(?:ed|s|ure|ures|ing)?\b|\bfatal\b|\bassert(?:ion)?\b|\bnot ok\b|undefined reference|cannot find|[✗✖✘×❌]|^E\s{2,}|\bFAIL/i

/** Lines that report success, although they contain a word of `trouble`. */
const harmless =
  /^\s*(?:[✓✔√]|ok\b|pass(?:ed)?\b|--- PASS)|\bok\s*(?:\(|$)|\bpassed\s*(?:\[|$)|\b(?:0|no) (?:errors?|fail)/i

const counted = /\b[1-9]\d* (?:tests? |suites? )?(?:errors?|fail)/i

/** This many lines after an error are kept too, because they often explain it. */
const explaining = 2

export const isTrouble = (line: string): boolean => counted.test(line) || (trouble.test(line) && !harmless.test(line))

/** Makes a filter for consecutive lines: true for errors, and for the lines directly after them. */
export const troubleFilter = (): ((line: string) => boolean) => {
  let linesLeft = 0
  return (line) => {
    linesLeft = isTrouble(line) ? explaining + 1 : Math.max(0, linesLeft - 1)
    return linesLeft > 0
  }
}
