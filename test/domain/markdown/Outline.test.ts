import { assert, describe, it } from "@effect/vitest"
import { fencedBlocks, outline, outlineText } from "../../../src/domain/markdown/Outline.ts"

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

describe("outline", () => {
  it("finds headings with their line and body, none inside a fence", () => {
    assert.deepStrictEqual(outline(text), [
      { level: 0, title: "", line: 1, body: "intro" },
      { level: 1, title: "One", line: 3, body: "first\n\n```md\n## not a heading\n~~~\n```" },
      { level: 3, title: "**Two**", line: 12, body: '~~~~ts title\nlet a = "```"\n~~~\n~~~~' }
    ])
  })

  it("takes the rest of the text for the body when a fence is not closed", () => {
    assert.deepStrictEqual(outline("# A\n```\n# B"), [{ level: 1, title: "A", line: 1, body: "```\n# B" }])
  })

  it("sees a heading without a blank before its text as text", () => {
    assert.deepStrictEqual(outline("#tag"), [{ level: 0, title: "", line: 1, body: "#tag" }])
  })

  it("reads what it writes", () => {
    const sections = outline(text)
    assert.deepStrictEqual(
      outline(outlineText(sections)).map(({ body, level, title }) => ({ level, title, body })),
      sections.map(({ body, level, title }) => ({ level, title, body }))
    )
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
