/** Texts that repeat each other, such as the prompts of a run, written once: what an earlier text holds is named there. */

interface Named {
  readonly name: string
  readonly text: string
}

/** Runs of lines that are shorter stay, since they read better than the line that names them. */
const shortestRun = 3

/** The texts, each run of lines that an earlier text holds as one line: `<!-- 12 lines of plan_1: ## Tasks -->`. */
export const withoutRepeats = (texts: ReadonlyArray<Named>): string => {
  const earlier: Array<{ readonly name: string; readonly lines: ReadonlyArray<string> }> = []
  const places = new Map<string, Array<readonly [text: number, line: number]>>()

  /** The longest run of earlier lines that stands from here on. */
  const longestRun = (lines: ReadonlyArray<string>, from: number) => {
    let best = { name: "", length: 0 }
    for (const [text, start] of places.get(lines[from] ?? "") ?? []) {
      const { lines: known = [], name = "" } = earlier[text] ?? {}
      let length = 0
      while (from + length < lines.length && known[start + length] === lines[from + length]) length += 1
      if (length > best.length) best = { name, length }
    }
    return best
  }

  return texts
    .map(({ name, text }) => {
      const lines = text.split("\n")
      const written: Array<string> = []
      for (let at = 0; at < lines.length;) {
        const { length, name: of } = longestRun(lines, at)
        const isRun = length >= shortestRun && lines[at] !== ""
        written.push(isRun ? `<!-- ${length} lines of ${of}: ${lines[at]} -->` : (lines[at] ?? ""))
        at += isRun ? length : 1
      }
      const index = earlier.push({ name, lines }) - 1
      for (const [at, line] of lines.entries()) places.set(line, [...(places.get(line) ?? []), [index, at]])
      return `<!-- ${name} -->\n\n${written.join("\n")}`
    })
    .join("\n\n")
}
