import { describe, expect, it } from "@effect/vitest"
import { withoutRepeats } from "../../../src/domain/documents/RepeatedParagraphs.ts"

const paragraph = "A server limits how many requests a client may send in a minute, and refuses the others."
const other = "The limit is read from the environment when the server starts, and has a default."

describe("withoutRepeats", () => {
  const repeated: Readonly<Record<string, readonly [before: string, after: string]>> = {
    "a paragraph that comes three times": [[paragraph, paragraph, paragraph].join("\n\n"), paragraph],
    "a paragraph with another one between": [
      [paragraph, other, paragraph].join("\n\n"),
      [paragraph, other].join("\n\n")
    ],
    "a paragraph that is broken into lines elsewhere": [
      `${paragraph}\n\n${paragraph.replace("client may", "client\nmay")}`,
      paragraph
    ],
    "lines that follow each other": [`${paragraph}\n${paragraph}\n${other}`, `${paragraph}\n${other}`],
    "a sentence that follows itself": [`${paragraph} ${paragraph} ${other}`, `${paragraph} ${other}`],
    "a section that says the same again": [
      `# Limits\n\n${paragraph}\n\n# Limits\n\n${paragraph}\n`,
      `# Limits\n\n${paragraph}`
    ],
    "a paragraph after a code block": [
      `${paragraph}\n\n\`\`\`js\nlimit()\n\n\nlimit()\n\`\`\`\n\n${paragraph}`,
      `${paragraph}\n\n\`\`\`js\nlimit()\n\n\nlimit()\n\`\`\``
    ],
    "a paragraph in Chinese": [
      "服务器限制客户端每分钟可以发送的请求数量。\n\n服务器限制客户端每分钟可以发送的请求数量。",
      "服务器限制客户端每分钟可以发送的请求数量。"
    ]
  }
  for (const [name, [before, after]] of Object.entries(repeated)) {
    it(`leaves out ${name}`, () => {
      const { dropped, text } = withoutRepeats(before)
      expect(text).toBe(after)
      expect(dropped).toBeGreaterThan(0)
      expect(withoutRepeats(text)).toEqual({ text, dropped: 0 })
    })
  }

  const kept: Readonly<Record<string, string>> = {
    "equal lines of code": `\`\`\`text\n${`${paragraph}\n`.repeat(3)}\`\`\``,
    "equal blocks of code": `One:\n\n\`\`\`js\nconst a = limit(first, second, third, fourth, fifth, sixth)\n\`\`\`\n\nTwo:\n\n\`\`\`js\nconst a = limit(first, second, third, fourth, fifth, sixth)\n\`\`\``,
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
})
