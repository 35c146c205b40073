/**
 * Documents of any size, to see how the cost of reading grows.
 */
import type { DocumentKind } from "../../src/domain/documents/CheckReport.ts"

const listHead = "## Original prompt\n\np\n\n## Goals / summary\n\ng\n\n## Tasks\n\n### Task section 1\n\n"
const refinementHead = "## Task\n\n- **What is needed** a\n- **Skill** b\n- **Expected output** c\n\n## Tool Calls\n\n"

const taskOf = (name: string): string =>
  `- **Name** ${name}\n- **What is needed** Find where it is read.\n  Look at the tests too.\n- **Skill** search-code\n- **References** [main](src/main.ts#L1-L2)\n- **Expected output** Places.\n\n`

const callOf = (uid: string): string =>
  `\`\`\`json\n{ "uid": "${uid}", "name": "read_file", "arguments": { "path": "src/main.ts", "from": 1 } }\n\`\`\`\n\n`

const fill = (head: string, size: number, next: (index: number) => string): string => {
  const parts = [head]
  for (let length = head.length, index = 0; length < size; index += 1) {
    const part = next(index)
    parts.push(part)
    length += part.length
  }
  return parts.join("")
}

const longTask = (size: number, next: (index: number) => string): string =>
  `${fill(`${listHead}- **Name** A\n- **What is needed** x\n`, size, next)}\n- **Skill** b\n- **Expected output** c\n`

/** Documents of each kind, with the way they are made as large as asked for. */
const makers: Readonly<Record<DocumentKind, Readonly<Record<string, (size: number) => string>>>> = {
  "task-list": {
    tasks: (size) => fill(listHead, size, (index) => taskOf(`T ${index}`)),
    "tasks without names": (size) => fill(listHead, size, () => taskOf("x").replace("- **Name** x\n", "")),
    "task sections": (size) =>
      fill(listHead, size, (index) => `${taskOf(`T ${index}`)}### Task section ${index + 2}\n\n`),
    "one long text": (size) => longTask(size, () => "  Look at every place where it is read.\n"),
    "code blocks": (size) => longTask(size, () => "  ```ts\n  const a = 1\n  ```\n"),
    "fences that nothing closes": (size) => longTask(size, (index) => `  ${"`".repeat(3 + (index % 50))}ts\n`),
    thoughts: (size) =>
      `<think>\n${fill("", size, () => "Let me think about it.\n<think>\n")}</think>\n${listHead}${taskOf("A")}`,
    quoted: (size) => fill(listHead, size, (index) => taskOf(`T ${index}`)).replace(/^/gm, "> "),
    links: (size) =>
      fill(listHead, size, (index) =>
        taskOf(`T ${index}`).replace("- **Expected", `  ${"[a](b.ts) ".repeat(20)}\n- **Expected`)
      ),
    "unknown fields": (size) => longTask(size, (index) => `- **Field ${index}** x\n`),
    comments: (size) => longTask(size, () => "<!-- x -->\n"),
    "comments that nothing closes": (size) => fill("", size, () => "\n<think>\n<!--"),
    "comments in a paragraph": (size) => `${longTask(size, () => "a <!-- b\n")}-->`,
    "titles that nothing closes": (size) => longTask(size, () => "[a](b 'c\n"),
    "hidden elements in each other": (size) => fill("", size, () => "<template>\n")
  },
  refinement: {
    calls: (size) => fill(refinementHead, size, (index) => callOf(`c${index}`)),
    "calls of one uid": (size) => fill(refinementHead, size, () => callOf("c")),
    "calls under other headings": (size) => fill(refinementHead, size, (index) => `## More ${index}\n\n${callOf("c")}`),
    "tagged calls": (size) =>
      fill(refinementHead, size, () => '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>\n'),
    "one long argument": (size) =>
      `${refinementHead}\`\`\`json\n{ "name": "w", "arguments": { "content": "${"x\\n".repeat(Math.min(size, 900_000) / 3)}" } }\n\`\`\`\n`,
    "sloppy JSON": (size) =>
      `${refinementHead}\`\`\`json\n{ 'name': 'w', 'arguments': { ${"'a b': [1, 2,], ".repeat(1)}'c': ['${fill("", Math.min(size, 900_000), () => "x', 'y")}'] } }\n\`\`\`\n`,
    "talk between calls": (size) => fill(refinementHead, size, () => "and then I read the next file (see above) ")
  },
  result: {
    result: (size) => fill("## Result summary\n\n", size, () => "Found in [main](src/main.ts).\n\n### More\n\n"),
    "result headings": (size) => fill("", size, () => "## Result summary\n\nx\n\n")
  }
}

export const shapes = (["task-list", "refinement", "result"] as const).flatMap((kind) =>
  Object.entries(makers[kind]).map(([name, make]) => ({ name, kind, make }))
)
