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

  it("sees no heading inside a fence, however the fence is made", () => {
    for (const [open, close] of [
      ["```", "```"],
      ["~~~~ text", "~~~~~"],
      ["- ```md", "  ```"],
      ["  1. ~~~", "     ~~~"]
    ]) {
      expect(outline(`# A\n${open}\n# B\n\`\`\n${close}\n# C`).map((section) => section.heading)).toEqual(["A", "C"])
    }
  })

  it("takes a fence of another kind, or a shorter one, for content", () => {
    expect(outline("# A\n````\n```\n# B\n~~~~\n````\n# C").map((section) => section.heading)).toEqual(["A", "C"])
  })

  it("closes a fence that is open at the end", () => {
    const { repairs, sections } = readMarkdown("# A\n```ts\n# B")
    expect(sections.map((section) => section.heading)).toEqual(["A"])
    expect(repairs).toEqual([
      { code: "fence-closed", where: { line: 2 }, message: "Closed the code block at the end of the text." }
    ])
  })

  it("keeps line numbers of the original when thoughts are removed", () => {
    const { repairs, sections } = readMarkdown("<think>\na\n# draft\n</think>\n\n# A\nb")
    expect(sections.map(({ heading, line }) => ({ heading, line }))).toEqual([{ heading: "A", line: 6 }])
    expect(repairs.map((repair) => repair.code)).toEqual(["thinking-removed"])
  })

  it("ends thoughts that are never closed at the first heading", () => {
    expect(outline("<think>hm\nlet me see\n# A\nb")).toEqual([
      { heading: "A", anchor: "a", depth: 1, line: 3, body: "b" }
    ])
  })

  it("keeps think tags that stand in code or behind a heading", () => {
    expect(readMarkdown("# A\n\n<think>\n\n```\n</think>\n```").repairs).toEqual([])
  })

  it("reads an answer out of a fence that holds fences of the same length", () => {
    const { repairs, sections } = readMarkdown("Here:\n```markdown\n# A\n```ts\nx\n```\n# B\n```\nBye")
    expect(sections.map((section) => section.heading)).toEqual(["A", "B"])
    expect(repairs.map((repair) => repair.code)).toEqual(["fence-unwrapped"])
  })

  it("leaves a code block alone that only starts with a comment", () => {
    expect(readMarkdown("```sh\n# install\nnpm i\n```\n# A").sections.map((section) => section.heading)).toEqual(["A"])
  })

  it("does not split what is too large", () => {
    const { issues, sections } = readMarkdown("# A\n".repeat(1_100_000))
    expect({ codes: issues.map((issue) => issue.code), sections }).toEqual({
      codes: ["document-too-large"],
      sections: []
    })
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
