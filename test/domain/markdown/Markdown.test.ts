import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { findSection, readMarkdown, sectionMarkdown } from "../../../src/domain/markdown/Markdown.ts"
import { bodyOf } from "../../../src/domain/markdown/Sections.ts"
import { taskListHeadings } from "../../../src/domain/markdown/MarkdownHeadings.ts"

const outline = (text: string) => {
  const document = readMarkdown(text)
  return document.sections.map((section) => {
    const { anchor, depth, heading, line } = section
    return { heading, anchor, depth, line, body: bodyOf(document, section) }
  })
}

describe("readMarkdown", () => {
  it("splits a text by its headings", () => {
    expect(outline("# One\na\n\n### Two: **b**, `c` ##\n\n## One\nd")).toEqual([
      { heading: "One", anchor: "one", depth: 1, line: 1, body: "a\n" },
      { heading: "Two: b, c", anchor: "two-b-c", depth: 3, line: 4, body: "" },
      { heading: "One", anchor: "one-1", depth: 2, line: 6, body: "d" }
    ])
  })

  it.each([
    ["in backquotes", "# A\n```\n# B\n``\n```\n# C"],
    ["in tildes, with a longer end", "# A\n~~~~ text\n# B\n``\n~~~~~\n# C"],
    ["in a list", "# A\n- ```md\n# B\n``\n  ```\n# C"],
    ["in a numbered list", "# A\n  1. ~~~\n# B\n``\n     ~~~\n# C"],
    ["with fences of another kind and a shorter one", "# A\n````\n```\n# B\n~~~~\n````\n# C"],
    ["of code that starts with a comment", "```sh\n# B\nnpm i\n```\n# A\n# C"]
  ])("sees no heading inside a fence %s", (_, text) => {
    expect(outline(text).map(({ heading }) => heading)).toEqual(["A", "C"])
  })

  /** Headings with their lines in the original, and what was repaired. */
  it.each([
    ["closes a fence that is open at the end", "# A\n```ts\n# B", ["1 A"], ["fence-closed 2"]],
    ["removes thoughts", "<think>\na\n# draft\n</think>\n\n# A\nb", ["6 A"], ["thinking-removed 1"]],
    ["ends open thoughts at a heading", "<think>hm\nlet me see\n# A\nb", ["3 A"], ["thinking-removed 1"]],
    ["keeps think tags in code or behind a heading", "# A\n\n<think>\n\n```\n</think>\n```", ["1 A"], []],
    [
      "reads an answer out of a fence that holds fences of the same length",
      "Here:\n```markdown\n# A\n```ts\nx\n```\n# B\n```\nBye",
      ["3 A", "7 B"],
      ["fence-unwrapped 2"]
    ]
  ])("%s", (_, text, headings, repaired) => {
    const { repairs, sections } = readMarkdown(text)
    expect(sections.map(({ heading, line }) => `${line} ${heading}`)).toEqual(headings)
    expect(repairs.map(({ code, where }) => `${code} ${where.line}`)).toEqual(repaired)
  })

  it("does not split what is too large", () => {
    const { issues, sections } = readMarkdown("# A\n".repeat(1_100_000))
    expect([issues.map(({ code }) => code), sections]).toEqual([["document-too-large"], []])
  })

  it("finds known headings as bold lines, and takes lines under which others draw a heading for text", () => {
    const text = "**Goals / summary**\na\nTasks\n=====\n##Original prompt\n##other\n  ## indented"
    const { sections } = readMarkdown(text, { knownHeadings: taskListHeadings })
    expect(sections.map(({ depth, form, heading }) => ({ heading, depth, form }))).toEqual([
      { heading: "Goals / summary", depth: 2, form: "bold" }
    ])
  })

  it("goes on after a fence that nothing closes when a landmark follows", () => {
    const { sections, strayFences } = readMarkdown("## Original prompt\n```\n## Tasks", {
      knownHeadings: taskListHeadings
    })
    expect({ headings: sections.map((section) => section.heading), strayFences }).toEqual({
      headings: ["Original prompt", "Tasks"],
      strayFences: [2]
    })
  })
})

describe("sectionMarkdown", () => {
  const document = readMarkdown("# A_b\n\none\n\n## Sub / part\ntwo\n\n# C\nthree\n\n# A b\n# D-e\n# D_e\n")

  it("gives a section with its sub-headings", () => {
    expect(sectionMarkdown(document, "a_b")).toEqual(Option.some("one\n\n## Sub / part\ntwo"))
  })

  it("looks an anchor up forgivingly when exactly one section answers", () => {
    expect(sectionMarkdown(document, "Sub-part")).toEqual(Option.some("two"))
    expect(sectionMarkdown(document, "D--E")).toEqual(Option.none())
    expect(Option.map(findSection(document, "d_e"), (section) => section.line)).toEqual(Option.some(13))
  })

  it("has nothing for an unknown anchor", () => {
    expect(sectionMarkdown(document, "nothing")).toEqual(Option.none())
  })
})
