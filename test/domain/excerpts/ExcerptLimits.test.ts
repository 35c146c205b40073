/**
 * The limits of what an excerpt shows of one place, and of how many places: on each side of every one of them other lines are shown.
 */
import { describe, expect, it } from "@effect/vitest"
import { searchTermsOf } from "../../../src/domain/excerpts/SearchTerms.ts"
import { excerptOf } from "../../../src/domain/excerpts/TextExcerpt.ts"

const times = (count: number, line: (index: number) => string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => line(index))

/** A function of so many lines, and a blank one. */
const functionOf = (name: string, count: number, line = (index: number) => `  step${index}()`) => [
  `export function ${name}() {`,
  ...times(count - 2, line),
  "}",
  ""
]
const others = (count: number) => Array.from({ length: count }, (_, at) => functionOf(`other${at}`, 4)).flat()

const gap = (from: number, to: number): string => `(${from + 1} to ${to + 1} left out)`

/** The numbers of the lines that are shown for a task. */
const shownOf = (lines: ReadonlyArray<string>, task: string, limit: number): ReadonlyArray<number> => {
  const source = { lines, language: "typescript", first: 1, gap }
  return [...excerptOf(source, searchTermsOf(task), limit).lines].map((index) => index + 1)
}

/** The same below so many lines, counted from the first one behind them. */
const shownBelow = (above: number, lines: ReadonlyArray<string>, task: string, limit: number) =>
  shownOf([...others(above / 5), ...lines, ...others(60)], task, limit).flatMap((line) =>
    line > above && line <= above + lines.length ? [line - above] : []
  )

/** Functions by their names, and a task that names all of them. */
const named = (count: number, lines: number, between = 0) => {
  const names = times(count, (index) => `part${index}`)
  const all = names.flatMap((name) => [...functionOf(name, lines), ...others(between)])
  return { all, task: `Change ${names.map((name) => `\`${name}\``).join(", ")}` }
}

/** A function of so many lines, with a word in it. */
const shownOfFunction = (count: number) => {
  const long = functionOf("long", count, (index) => (index === 30 ? "  wondrous()" : `  step${index}()`))
  return shownBelow(150, long, "Where is wondrous called?", 2500)
}

/** A block of so many lines, with a word in it. */
const shownOfBlock = (count: number) => {
  const block = times(count - 2, (index) => (index === 10 ? "  wondrous()" : "  step()"))
  const lines = [...times(100, () => "other()"), "if (a) {", ...block, "}", ...times(100, () => "other()")]
  return shownOf(lines, "Which one is wondrous?", 1000).filter((line) => line > 100 && line <= 100 + count)
}

/** A function with so many lines of comments. */
const shownAroundComments = (count: number) => {
  const comments = times(count, () => "  // a remark about what is done here, at length")
  const lines = ["export function part() {", "  a()", ...comments, "  b()", "  c()", "  d()", "}"]
  return shownBelow(100, lines, "Change `part`", 260)
}

describe("an excerpt", () => {
  it("shows at most 12 places that a task means", () => {
    const { all, task } = named(14, 4, 5)
    const heads = shownOf(all, task, 5000).filter((line) => all[line - 1]?.includes("function part"))
    expect(heads.length).toBe(12)
  })

  it("shows a declaration of 80 lines whole for a word in it, and of a longer one ten lines on each side", () => {
    expect(shownOfFunction(80).slice(0, 80)).toEqual(times(80, String).map((line) => Number(line) + 1))
    expect(shownOfFunction(81).length).toBe(21)
  })

  it("shows a block of 40 lines whole for a word in it, and of a longer one a part", () => {
    expect(shownOfBlock(40).length).toBe(40)
    expect(shownOfBlock(41).length).toBeLessThan(30)
  })

  it("leaves out 3 lines of comments where there is no room, and no fewer", () => {
    // Without its comment the whole function is shown.
    expect(shownAroundComments(3)).toEqual([1, 2, 6, 7, 8, 9])
    expect(shownAroundComments(2)).toContain(3)
  })
})
