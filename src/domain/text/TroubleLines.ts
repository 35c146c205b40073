/**
 * Finds the lines of an output that say what went wrong, so that they stay where the rest of it is cut.
 */

const trouble =
  /error|exception|panic(?:ked)?\b|traceback|\bfail(?:ed|s|ure|ures|ing)?\b|\bfatal\b|\bassert(?:ion)?\b|\bnot ok\b|undefined reference|cannot find|[✗✖✘×❌]|^E\s{2,}|\bFAIL/i

/** What passed, or counts no failure, although it has such a word. */
const harmless =
  /^\s*(?:[✓✔√]|ok\b|pass(?:ed)?\b|--- PASS)|\bok\s*(?:\(|$)|\bpassed\s*(?:\[|$)|\b(?:0|no) (?:errors?|fail)/i

const counted = /\b[1-9]\d* (?:tests? |suites? )?(?:errors?|fail)/i

/** Lines after one of trouble that explain it, as the message under the name of a failed test does. */
const explaining = 2

export const isTrouble = (line: string): boolean => counted.test(line) || (trouble.test(line) && !harmless.test(line))

/** Says of one line after another whether it is about trouble: it is one, or it follows one closely. */
export const troubleFilter = (): ((line: string) => boolean) => {
  let linesLeft = 0
  return (line) => {
    linesLeft = isTrouble(line) ? explaining + 1 : Math.max(0, linesLeft - 1)
    return linesLeft > 0
  }
}
