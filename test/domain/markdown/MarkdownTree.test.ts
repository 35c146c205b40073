import { expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { linksOf, markdownLinks, nestMarkdown, parseMarkdown } from "../../../src/domain/markdown/MarkdownTree.ts"
import { makeDocuments, makeRandom } from "../../support/randomDocuments.ts"

it.each([
  ["moves headings below the level and keeps their order", "# A `b` ##\n\n*c*\n\n## D", "### A `b`\n\n*c*\n\n#### D"],
  ["leaves headings that are deep enough as they are", "text\n\n#### Deep", "text\n\n#### Deep"],
  ["marks underlined headings", "Long\ntitle\n=====\n\nPart\n---\n", "### Long title\n\n#### Part"],
  ["stops at six levels", "# A\n\n##### B", "### A\n\n###### B"],
  ["takes no comment inside a fence for a heading", "# A\n\n```sh\n# b\n```", "### A\n\n```sh\n# b\n```"],
  ["closes a fence that the text leaves open", "# A\n\n~~~~sh\nmake", "### A\n\n~~~~sh\nmake\n~~~~"],
  ["fences a text whose comment would swallow what follows", "# A\n\n<!-- b", "```markdown\n# A\n\n<!-- b\n```"],
  ["takes an empty text", "  \n", ""]
])("nestMarkdown %s", (_, text, nested) => expect(nestMarkdown(text, 2)).toBe(nested))

it("parseMarkdown does not parse what is too crowded", () => {
  for (const text of ["[".repeat(65_000), `${"> ".repeat(30_000)}a`, "- ".repeat(30_000), "x\n".repeat(40_000)]) {
    expect(parseMarkdown(text, 1)).toEqual(Option.none())
  }
})

it("markdownLinks finds the links that the parser finds, also where it is not asked", () => {
  const makeText = makeDocuments("result", makeRandom(13))
  const own = ["[a][b]\n\n[b]: c", "[a] (b)", "https://a.example", "![a](b)", "a@b.example", "[a]\n(b)", "\\[a](b)"]
  for (const text of [...own, ...Array.from({ length: 400 }, makeText)]) {
    const parsed = Option.match(parseMarkdown(text, 1), { onNone: () => [], onSome: linksOf })
    expect(markdownLinks(text)).toEqual(parsed)
  }
})
