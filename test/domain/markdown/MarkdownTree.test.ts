import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { linksOf, markdownLinks, nestMarkdown, parseMarkdown } from "../../../src/domain/markdown/MarkdownTree.ts"
import { makeDocuments, makeRandom } from "../../support/randomDocuments.ts"

describe("nestMarkdown", () => {
  it("moves headings below the given level and keeps their order of levels", () => {
    expect(nestMarkdown("# Shop\n\nSells *tea*.\n\n## Build `all` ##\n\nrun make", 2)).toBe(
      "### Shop\n\nSells *tea*.\n\n#### Build `all`\n\nrun make"
    )
  })

  it("leaves headings that are deep enough as they are", () => {
    expect(nestMarkdown("text\n\n#### Deep", 2)).toBe("text\n\n#### Deep")
  })

  it("turns underlined headings into marked ones", () => {
    expect(nestMarkdown("Long\ntitle\n=====\n\nPart\n---\n", 2)).toBe("### Long title\n\n#### Part")
  })

  it("stops at six levels", () => {
    expect(nestMarkdown("# A\n\n##### B", 2)).toBe("### A\n\n###### B")
  })

  it("does not take a comment inside a fence for a heading", () => {
    expect(nestMarkdown("# A\n\n```sh\n# not a heading\n```", 2)).toBe("### A\n\n```sh\n# not a heading\n```")
  })

  it("closes a fence that the text leaves open", () => {
    expect(nestMarkdown("# A\n\n~~~~sh\nmake", 2)).toBe("### A\n\n~~~~sh\nmake\n~~~~")
  })

  it("fences a text whose comment would swallow what follows", () => {
    expect(nestMarkdown("# A\n\n<!-- draft", 2)).toBe("```markdown\n# A\n\n<!-- draft\n```")
  })

  it("takes an empty text", () => {
    expect(nestMarkdown("  \n", 2)).toBe("")
  })
})

describe("parseMarkdown", () => {
  it("does not parse what is too crowded", () => {
    for (const text of ["[".repeat(65_000), `${"> ".repeat(30_000)}a`, "- ".repeat(30_000), "x\n".repeat(40_000)]) {
      expect(parseMarkdown(text, 1)).toEqual(Option.none())
    }
  })
})

describe("markdownLinks", () => {
  it("finds the links that the parser finds, also where it is not asked", () => {
    const makeText = makeDocuments("result", makeRandom(13))
    const own = ["[a][b]\n\n[b]: c", "[a] (b)", "https://a.example", "![a](b)", "a@b.example", "[a]\n(b)", "\\[a](b)"]
    for (const text of [...own, ...Array.from({ length: 400 }, makeText)]) {
      const parsed = Option.match(parseMarkdown(text, 1), { onNone: () => [], onSome: linksOf })
      expect(markdownLinks(text)).toEqual(parsed)
    }
  })
})
