import { assert, describe, it } from "@effect/vitest"
import type { Issue } from "../../../src/domain/findings/Issue.ts"
import { issuesAsShown, placeInAnswer } from "../../../src/domain/findings/IssueText.ts"

const answer = "\n\n## Tasks\n\n- **Name** A\n- **Skill** x\n"

const issue = (line: number, more: Partial<Issue> = {}): Issue => ({
  code: "c",
  where: { section: "Tasks", line },
  what: `It is taken by the task on line ${line}: both are one.`,
  how: "Rename it.",
  ...more
})

describe("the lines of issues in a retry", () => {
  it("are those of the text that is shown, which begins with its first line that is not blank", () => {
    assert.deepStrictEqual(issuesAsShown([issue(5)], answer, answer), [issue(3)])
  })

  it("are not named when nothing is shown; the line is quoted instead, unless something is quoted already", () => {
    const without = { where: { section: "Tasks" }, what: "It is taken by the task: both are one." }
    assert.deepStrictEqual(issuesAsShown([issue(5), issue(6, { quote: "x" }), issue(4)], answer, ""), [
      issue(5, { ...without, quote: "- **Name** A" }),
      issue(6, { ...without, quote: "x" }),
      issue(4, without)
    ])
  })

  it("are named as far as the shown beginning goes", () => {
    const shown = "## Tasks\n\n- **Name** A\n\n[The answer was stopped; 14 characters are left out.]"
    const [first, second] = issuesAsShown([issue(5), issue(6)], answer, shown)
    assert.deepStrictEqual([first?.where.line, first?.quote], [3, undefined])
    assert.deepStrictEqual([second?.where.line, second?.quote], [undefined, "- **Skill** x"])
  })

  it("says of a code block without its line what is wrong with it", () => {
    const what = '"A" is missing. The one on line 9 is inside the code block that starts on line 7. A file has 3 lines.'
    const [hidden] = issuesAsShown([{ code: "c", where: {}, what, how: "h" }], answer, "")
    assert.strictEqual(hidden?.what, '"A" is missing. The one is inside the code block. A file has 3 lines.')
  })

  it("leaves the lines of files alone", () => {
    const ofFile = { ...issue(5), where: {}, what: "The edits 1 and 2 change the same text at line 12." }
    assert.deepStrictEqual(issuesAsShown([ofFile], answer, ""), [ofFile])
  })
})

describe("a place in a document that was taken from an answer", () => {
  const document = "## Result summary\n\nSame.\n\nSame.\n\nChanged."
  const written = `<think>\nSame.\n</think>\n\n${document.replace("Changed", "> Other")}\n`

  it("is found by the text of its line, also where it stands twice", () => {
    const place = placeInAnswer(document, written)
    assert.deepStrictEqual(
      [1, 3, 5, 7].map((line) => place({ task: "A", line })),
      [{ task: "A", line: 5 }, { task: "A", line: 7 }, { task: "A", line: 9 }, { task: "A" }]
    )
    assert.deepStrictEqual(place({ task: "A" }), { task: "A" })
  })
})
