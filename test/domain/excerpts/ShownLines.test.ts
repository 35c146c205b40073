/**
 * Which lines an excerpt shows, for what a task looks for and the room that there is. Each step of the room is a decision: what
 * comes first, what is left out as a whole, and what is shown in part.
 */
import { expect, it } from "@effect/vitest"
import { searchTermsOf } from "../../../src/domain/excerpts/SearchTerms.ts"
import { excerptOf, type ExcerptSource } from "../../../src/domain/excerpts/TextExcerpt.ts"

const repeated = (count: number, line: (index: number) => string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => line(index + 1))

const typescript = [
  'import { readFile } from "node:fs/promises"',
  "import {",
  "  parseHeader,",
  "  type Header",
  '} from "./header.ts"',
  'import { other } from "./other.ts"',
  "",
  "const mostRows = 40",
  "",
  "/** Reads the header of a table. */",
  "export const readTable = async (path: string): Promise<Header> => {",
  '  const text = await readFile(path, "utf8")',
  "  return parseHeader(text)",
  "}",
  "",
  "/**",
  " * A table of rows.",
  " * Each row has as many cells as the header.",
  " * A missing cell is empty.",
  " */",
  "export class Table {",
  "  readonly rows: Array<string> = []",
  "",
  "  /** Adds a row. */",
  "  add(row: string): void {",
  '    if (this.rows.length === mostRows) throw new Error("too many rows")',
  "    this.rows.push(row)",
  "  }",
  "",
  "  validate(",
  "    header: Header",
  "  ): boolean {",
  "    for (const row of this.rows) {",
  "      if (row.length !== header.length) return false",
  "    }",
  "    return true",
  "  }",
  "}",
  "",
  "export class Sheet {",
  "  validate(): boolean {",
  "    return other()",
  "  }",
  "}",
  "",
  "export const render = (table: Table): string => {",
  ...repeated(30, (index) => `  const column${index} = table.rows[${index}]`),
  '  if (table.rows.length === 0) return "empty table"',
  ...repeated(30, (index) => `  print(column${index}, "width of a column")`),
  "  return table.rows.join()",
  "}",
  "",
  ...repeated(12, (index) => `export const helper${index} = (rows: number) => rows + ${index}\n`).flatMap((text) =>
    text.split("\n")
  ),
  "const last = 1"
]

const python = [
  "import json",
  "from tables import Header, parse",
  "",
  "LIMIT = 3",
  "",
  "@cached",
  "@logged",
  "def load(path):",
  '    """Loads a table.',
  "",
  "    The path names a file of the project.",
  "    A file that is not there is an empty table.",
  '    """',
  "    with open(path) as source:",
  "        return json.load(source)",
  "",
  "class Reader:",
  "    def load(self, path):",
  "        table = load(path)",
  "        if not table:",
  '            raise ValueError("nothing to read")',
  "        return table",
  "",
  "    def header(self):",
  "        return parse(Header)",
  "",
  ...repeated(15, (index) => `def step_${index}(value):\n    return value * ${index}\n`).flatMap((text) =>
    text.split("\n")
  ),
  "if __name__ == '__main__':",
  "    load('a.json')"
]

const markdown = [
  "# Tables",
  "A table has rows.",
  "",
  "## Reading",
  ...repeated(12, (index) => `Sentence ${index} about how a file is read.`),
  "",
  "```",
  "# no heading",
  "```",
  "### Limits",
  'At most 40 rows are read, then "too many rows" is said.',
  "## Writing",
  ...repeated(12, (index) => `Sentence ${index} about what is written.`),
  "### Order",
  "Rows keep their order.",
  "# Appendix",
  ...repeated(12, (index) => `Note ${index}.`)
]

const plain = repeated(80, (index) => (index % 9 === 0 ? `row ${index} has a limit` : `line ${index} of a text`))

const sources = { typescript, python, markdown, text: plain, page: markdown }

/** The numbers of the lines that are shown: `3-5 9`. */
const shownOf = (source: ExcerptSource, task: string, prompt: string, limit: number): string => {
  const numbers = [...excerptOf(source, searchTermsOf(task, prompt), limit).lines].map((index) => index + 1)
  const ordered = numbers.toSorted((a, b) => a - b)
  const runs: Array<[number, number]> = []
  for (const number of ordered) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(" ")
}

const budgets = [160, 400, 900, 1900]
const gap = (from: number, to: number): string => `(lines ${from + 1} to ${to + 1} left out)`

/** The task, the lines that are shown for each budget, and what else differs: `keep` are indexes of lines that matter most. */
type Row = readonly [task: string, shown: string, more?: { prompt?: string; keep?: ReadonlyArray<number> }]

const rows: Readonly<Record<keyof typeof sources, ReadonlyArray<Row>>> = {
  typescript: [
    ["Change `Table.validate`, not the other one.", "41-43 | 21-24 41-43 | 16-38 41-43 | 16-38 41-43"],
    ['Say it better than "too many rows".', "26 | 24-28 | 1-15 24-28 | 1-15 24-28"],
    ['What does "empty table" mean in `render`?', "46 | 46-49 77 | 46-56 74-80 | 21-38 46-56 67-87"],
    ["Print the width of a column.", "1-2 8 | 1-5 8 11 78 | 1-5 8 11 21 40 46 75-81 | 1-15 21 40 46 68-88 111-117"],
    ["", "123 | 120-130 | 113-135 | 113-135", { prompt: "Look at `helper7` and helper9()." }],
    ["`helper3` `helper5`, rows", "9-10 | 9-10 112-119 | 9-10 105-125 | 1-15 105-129", { keep: [8, 9] }],
    ["Nothing that is there.", "1-2 8 | 1-12 | 1-26 40 46 | 1-57 111-117"],
    ["Nothing that is there.", "49-50 | 46-52 | 46-59 | 46-59", { keep: [48, 49, 50] }],
    ["`Table` `Sheet` `render`", "46 | 40-49 | 21-24 40-56 | 10-56"]
  ],
  python: [
    ["Correct `load`.", "6-8 | 6-8 14-21 | 6-25 72-73 | 1-73"],
    ['Correct `Reader.load`: "nothing to read".', "17-18 | 6-8 17-25 | 6-25 72-73 | 1-73"],
    ["`Header`", "4 25 | 4 17-25 | 1-42 | 1-73", { keep: [3] }]
  ],
  markdown: [
    ['"too many rows"', "21-22 | 1-5 21-22 36-37 | 1-5 21-22 36-37 | 1-50"],
    ["Nothing.", "1-4 38 | 1-9 23 38 | 1-25 36 38 | 1-50"],
    ['`Limits` and "Sentence 7", "Note 9."', "28 47 | 11 28 38-50 | 8-14 27-33 38-50 | 1-50", { keep: [27] }]
  ],
  page: [["order of rows that are read", "21 36-37 | 21-22 36-37 | 1-25 36-38 | 1-50", { keep: [20] }]],
  text: [['line 5, "line 11 of" and "line 70 of"', "11 31 | 8-14 31 70 | 1-21 31 67-73 | 1-80", { keep: [30] }]]
}

const cases = Object.entries(rows).flatMap(([language, all]) =>
  all.map(([task, shown, more = {}]) => ({ language, task, shown, ...more }))
)

it.each(cases)("an excerpt shows of $language for $task", ({ keep, language, prompt = "", shown, task }) => {
  const lines = sources[language as keyof typeof sources]
  const source = { lines, language, first: 1, gap, ...(keep === undefined ? {} : { keep }) }
  expect(budgets.map((limit) => shownOf(source, task, prompt, limit)).join(" | ")).toBe(shown)
})
