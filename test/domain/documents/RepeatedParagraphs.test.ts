import { expect, it } from "@effect/vitest"
import { withoutRepeats } from "../../../src/domain/documents/RepeatedParagraphs.ts"

const paragraph = "A server limits how many requests a client may send in a minute, and refuses the others."
const other = "The limit is read from the environment when the server starts, and has a default."

const code = "```js\nlimit()\n\n\nlimit()\n```"
const chinese = "服务器限制客户端每分钟可以发送的请求数量。"
it.each([
  ["a paragraph that comes three times", `${paragraph}\n\n${paragraph}\n\n${paragraph}`, paragraph],
  ["a paragraph behind another", `${paragraph}\n\n${other}\n\n${paragraph}`, `${paragraph}\n\n${other}`],
  ["a paragraph that is broken elsewhere", `${paragraph}\n\n${paragraph.replace("client ", "client\n")}`, paragraph],
  ["lines that follow each other", `${paragraph}\n${paragraph}\n${other}`, `${paragraph}\n${other}`],
  ["a sentence that follows itself", `${paragraph} ${paragraph} ${other}`, `${paragraph} ${other}`],
  ["a section", `# Limits\n\n${paragraph}\n\n# Limits\n\n${paragraph}\n`, `# Limits\n\n${paragraph}`],
  ["a paragraph after code", `${paragraph}\n\n${code}\n\n${paragraph}`, `${paragraph}\n\n${code}`],
  ["a paragraph in Chinese", `${chinese}\n\n${chinese}`, chinese]
])("leaves out %s that says the same again", (_, before, after) => {
  const { dropped, text } = withoutRepeats(before)
  expect([text, dropped > 0]).toEqual([after, true])
  expect(withoutRepeats(text)).toEqual({ text, dropped: 0 })
})

const kept: Readonly<Record<string, string>> = {
  "equal lines of code": `\`\`\`text\n${`${paragraph}\n`.repeat(3)}\`\`\``,
  "equal blocks of code": ["One", "Two"].map((word) => `${word}:\n\n\`\`\`js\n${paragraph}\n\`\`\``).join("\n\n"),
  "indented code": `    ${paragraph}\n\n    ${paragraph}`,
  "rows of a table": `| file | note |\n| --- | --- |\n${`| a.js | ${paragraph} |\n`.repeat(3)}`,
  "items of a list": `- ${paragraph}\n- ${paragraph}\n- ${other}`,
  "items of a numbered list": `1. ${paragraph}\n2. ${paragraph}`,
  "lines of a quotation": `> ${paragraph}\n\n> ${paragraph}`,
  "short lines": "It is fine.\n\nIt is fine.\n\nNothing to do.\n\nNothing to do.",
  headings: "## File\n\nOne.\n\n## File\n\nTwo.",
  "texts that differ in a word": `${paragraph}\n\n${paragraph.replace("minute", "second")}`
}
for (const [name, text] of Object.entries(kept)) {
  it(`keeps ${name}`, () => expect(withoutRepeats(text)).toEqual({ text, dropped: 0 }))
}
