/** Which lines of an answer hold the text of files. */
import { assert, it } from "@effect/vitest"
import { changeParts, withCoveredParts } from "../../../src/domain/files/AnswerParts.ts"

const block = "<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW"
const fenced = "```ts\nconst a = 1\n```"

const answers: ReadonlyArray<readonly [name: string, answer: string, parts: string]> = [
  ["a fence below a path", `Here:\nsrc/a.ts\n${fenced}\nDone.`, "2-5"],
  ["a fence below a path and blank lines", `src/a.ts\n\n\n${fenced}`, "3-6"],
  ["a fence below other text", `src/a.ts\nText.\n${fenced}`, ""],
  ["a fence with a title", '```ts title="src/a.ts"\nconst a = 1\n```', "0-3"],
  ["a fence that does not end", "src/a.ts\n```ts\nconst a = 1\nconst b = 2", "1-4"],
  ["a block", `src/a.ts\n${block}\nDone.`, "1-6"],
  ["two blocks", `src/a.ts\n${block}\n${block}`, "1-6 6-11"],
  ["a block in a fence", `Text.\n\`\`\`\n${block}\n\`\`\`\nDone.`, "2-7"],
  ["two blocks in a fence", `Text.\n\`\`\`\n${block}\n${block}\n\`\`\``, "2-7 7-12"],
  ["a part in a thought", `<think>\nsrc/a.ts\n${fenced}\n</think>\nsrc/b.ts\n${fenced}`, "7-10"],
  ["a thought that ends with a heading", `<think>\nsrc/a.ts\n${fenced}\n# Result\nsrc/b.ts\n${fenced}`, "7-10"],
  ["a thought after a heading", `# Result\n<think>\nsrc/a.ts\n${fenced}`, "3-6"],
  ["a document in a fence", `\`\`\`markdown\n# Result\nsrc/a.ts\n${block}\n\`\`\``, "3-8"],
  ["an answer in a fence", `\`\`\`\nsrc/a.ts\n${fenced}\n\`\`\``, "2-5"],
  ["an answer in a fence, with a block", `\`\`\`\nsrc/a.ts\n${block}\n\`\`\``, "2-7"],
  ["no part", "Nothing to change.\nsrc/a.ts", ""]
]

const call = (end: string) => `<call>\nsrc/a.ts\n${fenced}\n${end}\nsrc/b.ts\n${fenced}`
const shownParts = (parts: ReturnType<typeof changeParts>) => parts.map(({ end, first }) => `${first}-${end}`).join(" ")

it.each(answers)("the parts of an answer %s", (_, answer, parts) =>
  assert.strictEqual(shownParts(changeParts(answer)), parts)
)

it("the parts of an answer are not in a call that is written out", () => {
  const parts = changeParts(call("</tool_call>"), { beginsCall: (line) => line === "<call>" })
  assert.strictEqual(shownParts(parts), "7-10")
})

it("covered parts are a line for a line, with its indentation, and come back with the one that they have then", () => {
  const answer = "Text.\n  src/a.ts\n  ```ts\n    x\n\n  ```\nEnd."
  const { restore, text } = withCoveredParts(answer, [{ first: 2, end: 6 }])
  const rows = text.split("\n")
  assert.deepStrictEqual([rows.length, rows[0], rows[1], rows[4], rows[6]], [7, "Text.", "  src/a.ts", "", "End."])
  assert.match(rows[3] ?? "", /^ {4}\S+$/)
  assert.notInclude(text, "    x")
  assert.strictEqual(restore(text), answer)
  const outdented = rows.map((row) => row.replace(/^ {2}/, "")).join("\n")
  assert.strictEqual(restore(outdented), "Text.\nsrc/a.ts\n```ts\n  x\n\n```\nEnd.")
})
