import { expect, it } from "@effect/vitest"
import { findText } from "../../../src/domain/files/EditPlaces.ts"

/** The text after an edit whose only place is found. */
const edited = (text: string, oldText: string, newText: string): string => {
  const [place] = findText(text, { oldText, newText }, false)
  return place === undefined ? "" : text.slice(0, place.from) + place.newText + text.slice(place.to)
}

it("keeps the rest of a last line of which the edit has the beginning, before and after", () => {
  const file = "## Fixed\n- A parser is right.\n# 1\n## Fixed\n- B\n"
  const now = "## Fixed\n- New.\n- A parser"
  expect(edited(file, "## Fixed\n- A parser\n", `${now}\n`)).toBe(`${now}${file.slice(19)}`)
  expect(edited(file, "## Fixed\n- A parser\n", "## Fixed\n- A reader\n")).toBe("")
  expect(edited(file, "## Fixed\n- A\n", "## Fixed\n- New.\n- A\n")).toBe("")
})

it("keeps the indentation of a line whose number was copied with or without a blank behind it", () => {
  expect(edited("a\n  b: 1,\n", "2:  b: 1,\n", "  b: 2,\n")).toBe("a\n  b: 2,\n")
  expect(edited("a\n  b: 1,\n", "2:   b: 1,\n", "  b: 2,\n")).toBe("a\n  b: 2,\n")
  expect(edited("a\n  b: 1,\n", "2:   b: 1,\n", "2:   b: 2,\n")).toBe("a\n  b: 2,\n")
})

it("indents new lines by the signs of the file, a step for each step of all lines of the edit", () => {
  const file = "if (a) {\n\tx()\n}\n"
  expect(edited(file, "if (a) {\nx()\n}\n", "if (a) {\nx()\n  y(\n    z\n  )\n}\n")).toBe(
    "if (a) {\n\tx()\n\ty(\n\t\tz\n\t)\n}\n"
  )
})
