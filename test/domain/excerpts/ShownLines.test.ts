/**
 * Which lines an excerpt shows, for what a task looks for and the room that there is. Each step of the room is a decision: what
 * comes first, what is left out as a whole, and what is shown in part.
 */
import { describe, expect, it } from "@effect/vitest"
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

const c = [
  "#include <stdio.h>",
  "#define MOST 40",
  "",
  "int add(int row)",
  "{",
  "#ifdef CHECKED",
  "  if (row > MOST)",
  "  {",
  '    fail("too many rows");',
  "  }",
  "#endif",
  "  return row + 1;",
  "}",
  "",
  ...repeated(15, (index) => `static int helper${index}(int x)\n{\n  return x * ${index};\n}\n`).flatMap((text) =>
    text.split("\n")
  )
]

const plain = repeated(80, (index) => (index % 9 === 0 ? `row ${index} has a limit` : `line ${index} of a text`))

const sources = { typescript, python, markdown, c, text: plain, page: markdown }

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

const budgets = [160, 260, 400, 600, 900, 1300, 1900, 2600]
const gap = (from: number, to: number): string => `(lines ${from + 1} to ${to + 1} left out)`

interface Row {
  readonly language: keyof typeof sources
  readonly task: string
  readonly prompt?: string
  /** Indexes of the lines that matter most. */
  readonly keep?: ReadonlyArray<number>
  readonly shown: ReadonlyArray<string>
}

const rows: ReadonlyArray<Row> = [
  {
    language: "typescript",
    task: "Change `readTable`.",
    shown: ["11", "10-12", "10-14", "10-14", "10-14", "10-14", "10-14", "10-14"]
  },
  {
    language: "typescript",
    task: "Change `Table.validate`, not the other one.",
    shown: ["41-43", "21-24 41-43", "21-25 36-43", "21-33 36-43", "16-43", "16-43", "16-43", "16-43"]
  },
  {
    language: "typescript",
    task: 'Say it better than "too many rows".',
    shown: ["26", "24-28", "24-28", "7-18 24-28", "7-18 24-28", "7-18 24-28", "7-18 24-28", "7-18 24-28"]
  },
  {
    language: "typescript",
    task: 'What does "empty table" mean in `render`?',
    shown: [
      "77",
      "75-78",
      "74-80",
      "46 74-80 107-109",
      "46 70-84 107-109",
      "46 65-89 107-109",
      "46 58-96 107-109",
      "46 49-109"
    ]
  },
  {
    language: "typescript",
    task: "`parseHeader` and `mostRows`",
    shown: ["6-9", "2-10", "1-2 6-15", "1-18", "1-18", "1-38", "1-38", "1-38"]
  },
  {
    language: "typescript",
    task: "Print the width of a column.",
    shown: [
      "1-2 8",
      "1 8-11",
      "1-4 8-11 78",
      "8-11 21 76-81",
      "8-11 21 40 46 76-82 107-109",
      "1-23 40 46 76-82 107-111",
      "1-47 76-82 107-117",
      "1-63 76-82 107-121"
    ]
  },
  {
    language: "typescript",
    task: "A row has a missing cell.",
    shown: ["7-10", "7-10 16-18", "7-18", "7-18", "7-38", "7-38", "1-61 111-115", "1-74 111-121"]
  },
  {
    language: "typescript",
    task: "",
    prompt: "Look at `helper7` and helper9().",
    shown: ["122-124", "123-128", "121-130", "113 121-135", "113-135", "113-135", "113-135", "113-135"]
  },
  {
    language: "typescript",
    task: "`helper3` `helper5`, rows",
    keep: [8, 9],
    shown: [
      "9-10",
      "9-10 114-116",
      "9-10 113-120",
      "9-10 109-124",
      "9-10 105-128",
      "7-18 105-129",
      "7-18 105-129",
      "7-18 105-129"
    ]
  },
  {
    language: "typescript",
    task: "Nothing that is there.",
    shown: ["1-2 8", "1 8-11", "1-12", "1-21", "1-26 40 46", "1-48 111", "1-59 111-117", "1-74 111-121"]
  },
  {
    language: "typescript",
    task: "Nothing that is there.",
    keep: [48, 49, 50],
    shown: [
      "49-50",
      "47-51",
      "46-53",
      "46-55 107-109",
      "46-63 107-109",
      "46-74 107-109",
      "46-88 107-109",
      "46-104 107-109"
    ]
  },
  {
    language: "python",
    task: "Correct `load`.",
    shown: ["8 18", "6-8 14 18", "6-8 14-21", "6-25", "6-25 72-73", "6-25 72-73", "1-73", "1-73"]
  },
  {
    language: "python",
    task: 'Correct `Reader.load`: "nothing to read".',
    shown: ["6-8 17", "17-22", "6-8 17-25", "6-25", "6-25 72-73", "6-25 72-73", "1-73", "1-73"]
  },
  {
    language: "python",
    task: "The file of a path is an empty table.",
    shown: ["12", "10-15", "6-15", "6-25", "6-25", "1-65", "1-73", "1-73"]
  },
  {
    language: "python",
    task: "step_4 and step_11 multiply a value",
    shown: ["36 57", "36-37 57-58", "36-37 57-58", "36-37 57-58", "36-37 57-58", "36-37 57-58", "1-73", "1-73"]
  },
  {
    language: "python",
    task: "`Header`",
    keep: [3],
    shown: ["4 25", "4 17 22-25", "4 17-25", "1-4 17-25", "1-42", "1-65", "1-73", "1-73"]
  },
  {
    language: "markdown",
    task: '"too many rows"',
    shown: ["21-22", "1-4 21-22", "1-4 21-22 35-37", "1-5 21-22 35-37", "1-9 21-22 35-37", "1-37", "1-50", "1-50"]
  },
  {
    language: "markdown",
    task: "order of rows that are written",
    shown: ["36-37", "1-4 34-37", "1-4 21-22 34-37", "1-7 21-22 34-37", "1-10 21-22 34-37", "1-37", "1-50", "1-50"]
  },
  {
    language: "markdown",
    task: "Nothing.",
    shown: ["1-4 38", "1-7 38", "1-9 23 38", "1-12 21-23 38", "1-25 36-38", "1-45", "1-50", "1-50"]
  },
  {
    language: "page",
    task: "order of rows that are read",
    keep: [20],
    shown: ["21 36-37", "21-22 36-37", "21-22 36-37", "1-4 20-24 34-37", "1-6 20-24 34-37", "1-37", "1-50", "1-50"]
  },
  { language: "c", task: "`add`", shown: ["4-8", "4-13", "4-13", "4-13", "4-13", "1-89", "1-89", "1-89"] },
  { language: "c", task: '"too many rows"', shown: ["7-11", "4-13", "4-13", "4-13", "4-13", "1-89", "1-89", "1-89"] },
  {
    language: "c",
    task: "helper3 returns x",
    shown: ["25-28", "1-8 25-28", "1-19 25-28", "1-41", "1-64", "1-89", "1-89", "1-89"]
  },
  {
    language: "text",
    task: "the limit",
    shown: ["1 8-10", "1-4 7-11", "1-2 7-19", "1-26", "1-40", "1-58", "1-80", "1-80"]
  },
  {
    language: "text",
    task: '"row 27"',
    shown: ["25-28", "23-30", "17 24-30 35-37", "17-37", "17-37", "17-37", "1-80", "1-80"]
  },
  {
    language: "typescript",
    task: "",
    keep: [11, 12],
    shown: ["12-13", "11-13", "10-14", "10-14", "10-14", "10-14", "10-14", "10-14"]
  },
  {
    language: "typescript",
    task: "Say more.",
    keep: [0],
    shown: ["1-2 8", "1 8-11", "1-12", "1-21", "1-31 40", "1-48 111", "1-61 111-115", "1-74 111-121"]
  },
  {
    language: "typescript",
    task: "Use `Header` in `Sheet`.",
    shown: [
      "40-43",
      "40-44",
      "10-14 40-44",
      "2-5 10-14 40-44",
      "2-5 10-21 29-44",
      "2-5 10-44",
      "2-5 10-44",
      "2-5 10-44"
    ]
  },
  {
    language: "typescript",
    task: "`column3` `column9` `column17` `column22` `column28` `column5` `column11` `column13` `column1` `column2` `column4` `column6` `column7` `column8`",
    shown: [
      "57",
      "55-59",
      "55-61",
      "46 55-61 107-109",
      "46 55-65 107-109",
      "46 55-65 107-109",
      "46-66 107-109",
      "46-75 107-109"
    ]
  },
  {
    language: "typescript",
    task: "Each row has as many cells as the header.",
    shown: ["26", "24-28", "21-28 36-38", "16-28 36-38", "7-38", "7-38", "1-61 111-115", "1-74 111-121"]
  },
  {
    language: "typescript",
    task: "`Table` `Sheet` `render`",
    shown: [
      "46",
      "40 46-48",
      "21-23 40 46-49",
      "21 40-50 107-109",
      "21-25 40-56 107-109",
      "21-24 36-65 107-109",
      "21-29 36-77 107-109",
      "21-90 107-109"
    ]
  },
  {
    language: "typescript",
    task: "the length of the rows, the row and the header",
    prompt: "`validate`",
    shown: ["41-43", "28-32 41-43", "21 28-32 36-43", "21 24-43", "16-43", "7-43", "7-43", "7-43"]
  },
  {
    language: "python",
    task: "`parse`",
    keep: [13, 14],
    shown: ["14-15", "6-8 14-15", "1-15", "6-25", "1-25", "1-25", "1-73", "1-73"]
  },
  {
    language: "python",
    task: "loads the project",
    prompt: "`Reader`",
    shown: ["17-19", "17-19 23-25", "17-25", "6-25", "6-25", "6-25", "1-73", "1-73"]
  },
  {
    language: "c",
    task: "`MOST` and `helper2`, `helper4`, `helper6`, `helper8`, `helper10`, `helper12`, `helper14`",
    keep: [8],
    shown: [
      "7-11",
      "5-11 20-22",
      "1-13 20-23 30",
      "4-13 20-23 30-33 40-43 50-53",
      "4-13 20-23 30-33 40-43 50-53 60-63 70-73 80-83",
      "1-89",
      "1-89",
      "1-89"
    ]
  },
  {
    language: "page",
    task: '"Note 3." and limits',
    keep: [20, 21],
    shown: ["21-22", "21-22 38-43", "21-22 38-50", "21-22 38-50", "21-22 38-50", "21-22 38-50", "1-50", "1-50"]
  },
  {
    language: "markdown",
    task: '`Limits` and "Sentence 7", "Note 9."',
    keep: [27],
    shown: [
      "28 47",
      "28 38 45-50",
      "11 28 38-50",
      "9-13 28-30 38-50",
      "4 9-13 19-22 27-32 38-50",
      "4-23 26-50",
      "1-50",
      "1-50"
    ]
  },
  {
    language: "text",
    task: 'line 5, "line 11 of" and "line 70 of"',
    keep: [30],
    shown: [
      "11 31",
      "10-12 31 70",
      "8-14 31 68-71",
      "1-21 31 70",
      "1-21 31 60 66-74 78-80",
      "1-21 31 60-80",
      "1-80",
      "1-80"
    ]
  }
]

describe("an excerpt shows", () => {
  it.each(
    rows.map((row) => [`${row.language}: ${row.task} ${row.prompt ?? ""} ${row.keep?.join() ?? ""}`, row] as const)
  )("%s", (_, row) => {
    const { keep, language, prompt = "", shown, task } = row
    const source = { lines: sources[language], language, first: 1, gap, ...(keep === undefined ? {} : { keep }) }
    expect(budgets.map((limit) => shownOf(source, task, prompt, limit))).toEqual(shown)
  })
})
