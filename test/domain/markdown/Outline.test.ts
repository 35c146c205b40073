import { assert, describe, expect, it } from "@effect/vitest"
import { fencedBlocks, outline } from "../../../src/domain/markdown/Outline.ts"
import { bodyOf, textUnder } from "../../../src/domain/markdown/Sections.ts"

const text = `intro

# One #

first

\`\`\`md
## not a heading
~~~
\`\`\`

### **Two**
~~~~ts title
let a = "\`\`\`"
~~~
~~~~
`

const sectionsOf = (written: string) => {
  const document = outline(written)
  return document.sections.map((section) => {
    const { depth, heading, line } = section
    return { depth, heading, line, body: bodyOf(document, section).trim() }
  })
}

describe("outline", () => {
  it("finds headings with their line and body, none inside a fence", () => {
    assert.deepStrictEqual(sectionsOf(text), [
      { depth: 1, heading: "One", line: 3, body: "first\n\n```md\n## not a heading\n~~~\n```" },
      { depth: 3, heading: "Two", line: 12, body: '~~~~ts title\nlet a = "```"\n~~~\n~~~~' }
    ])
  })

  it("takes the rest of the text for the body when a fence is not closed", () => {
    assert.deepStrictEqual(sectionsOf("# A\n```\n# B"), [{ depth: 1, heading: "A", line: 1, body: "```\n# B" }])
  })

  it("sees a heading without a blank before its text as text", () => {
    assert.deepStrictEqual(sectionsOf("#tag"), [])
  })
})

describe("textUnder", () => {
  const document = outline("# A\n\na\n\n## B\nb\n# C\nc")
  const under = (index: number, isEnd?: (other: { readonly depth: number }) => boolean) => {
    const section = document.sections[index]
    return section === undefined ? undefined : textUnder(document, section, isEnd)
  }

  it("gives a section with its sub-headings, up to the next heading of its level", () => {
    expect([0, 1, 2].map((index) => under(index))).toStrictEqual(["a\n\n## B\nb", "b", "c"])
  })

  it("ends where the reader says so", () => {
    assert.deepStrictEqual([under(0, () => true), under(0, () => false)], ["a", "a\n\n## B\nb\n# C\nc"])
  })
})

describe("fencedBlocks", () => {
  it("gives the info string and the text of each block", () => {
    assert.deepStrictEqual(fencedBlocks(text), [
      { language: "md", text: "## not a heading\n~~~" },
      { language: "ts title", text: 'let a = "```"\n~~~' }
    ])
  })

  it("gives an open block up to the end of the text", () => {
    assert.deepStrictEqual(fencedBlocks("```json\n{}"), [{ language: "json", text: "{}" }])
  })
})
