import { expect, it } from "@effect/vitest"
import { codeLines } from "../../../src/domain/files/CodeText.ts"

const cases: ReadonlyArray<readonly [language: string, text: string, code: string]> = [
  ["python", 'x = f("""a\nopen(1)\n"""\n)\nopen(2)', "x = f(\n\n\n)\nopen(2)"],
  ["python", "def a():\n    r'''open(1)'''\n    open('open(2)') # open(3)", "def a():\n\n    open(         )"],
  ["python", "x = 'a\\'b' + open(1)", "x =        + open(1)"],
  ["python", 'x = "never ended\nopen(1)', 'x = "never ended\nopen(1)'],
  ["typescript", "// open(1)\nopen(2) /* open(3)\nopen(4) */ open(5)", "\nopen(2)\n           open(5)"],
  ["typescript", "const a = `https://x/${open(1)}`", "const a = `https://x/${open(1)}`"],
  ["typescript", "const url = 'https://a' + open(1)", "const url =             + open(1)"],
  ["typescript", "const a = `src/**/${x}`\nopen(1)", "const a = `src/**/${x}`\nopen(1)"],
  ["typescript", "a /* never ended\nopen(1)", "a /* never ended\nopen(1)"],
  ["python", "x = f\"{open(1)}\" + rb'open(2)'", 'x = f"{open(1)}" +'],
  ["ruby", 'x = "#{open(1)} open(2)"', 'x = "#{open(1)} open(2)"'],
  ["bash", 'echo "$(open 1)" "open 2"', 'echo "$(open 1)"'],
  ["rust", "fn a<'a>(x: &'a str) { open(x, '\"'); open(y) }", "fn a<'a>(x: &'a str) { open(x,    ); open(y) }"],
  ["go", "open('\\'', \"a\") // open(1)", "open(    ,    )"],
  ["bash", 'open "$#" # open(1)', "open"],
  ["markdown", 'He said "open(1)"', 'He said "open(1)"']
]

for (const [language, text, code] of cases) {
  it(`leaves the code of ${language}: ${JSON.stringify(text)}`, () => {
    const lines = codeLines(text, language)
    expect(lines.map((line) => line.trimEnd()).join("\n")).toBe(code)
    expect(lines.map(({ length }) => length)).toEqual(text.split("\n").map(({ length }) => length))
  })
}

it("codeLines ends in a text of very many comments that never end", () => {
  const text = "/* a ".repeat(400_000)
  expect(codeLines(text, "typescript")).toEqual([text])
  expect(codeLines(`/* a */ b\n${text}`, "go")).toEqual(["        b", text])
})
