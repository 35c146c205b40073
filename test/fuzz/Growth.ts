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

/** A kind of document with the way it is made as large as asked for. */
interface Shape {
  readonly name: string
  readonly kind: DocumentKind
  readonly make: (size: number) => string
}

export const shapes: ReadonlyArray<Shape> = [
  { name: "tasks", kind: "task-list", make: (size) => fill(listHead, size, (index) => taskOf(`T ${index}`)) },
  {
    name: "tasks without names",
    kind: "task-list",
    make: (size) => fill(listHead, size, () => taskOf("x").replace("- **Name** x\n", ""))
  },
  {
    name: "task sections",
    kind: "task-list",
    make: (size) => fill(listHead, size, (index) => `${taskOf(`T ${index}`)}### Task section ${index + 2}\n\n`)
  },
  {
    name: "one long text",
    kind: "task-list",
    make: (size) => longTask(size, () => "  Look at every place where it is read.\n")
  },
  { name: "code blocks", kind: "task-list", make: (size) => longTask(size, () => "  ```ts\n  const a = 1\n  ```\n") },
  {
    name: "fences that nothing closes",
    kind: "task-list",
    make: (size) => longTask(size, (index) => `  ${"`".repeat(3 + (index % 50))}ts\n`)
  },
  {
    name: "thoughts",
    kind: "task-list",
    make: (size) =>
      `<think>\n${fill("", size, () => "Let me think about it.\n<think>\n")}</think>\n${listHead}${taskOf("A")}`
  },
  {
    name: "quoted",
    kind: "task-list",
    make: (size) => fill(listHead, size, (index) => taskOf(`T ${index}`)).replace(/^/gm, "> ")
  },
  {
    name: "links",
    kind: "task-list",
    make: (size) =>
      fill(listHead, size, (index) =>
        taskOf(`T ${index}`).replace("- **Expected", `  ${"[a](b.ts) ".repeat(20)}\n- **Expected`)
      )
  },
  { name: "unknown fields", kind: "task-list", make: (size) => longTask(size, (index) => `- **Field ${index}** x\n`) },
  { name: "comments", kind: "task-list", make: (size) => longTask(size, () => "<!-- x -->\n") },
  { name: "comments that nothing closes", kind: "task-list", make: (size) => fill("", size, () => "\n<think>\n<!--") },
  { name: "comments in a paragraph", kind: "task-list", make: (size) => `${longTask(size, () => "a <!-- b\n")}-->` },
  { name: "titles that nothing closes", kind: "task-list", make: (size) => longTask(size, () => "[a](b 'c\n") },
  { name: "hidden elements in each other", kind: "task-list", make: (size) => fill("", size, () => "<template>\n") },
  { name: "calls", kind: "refinement", make: (size) => fill(refinementHead, size, (index) => callOf(`c${index}`)) },
  { name: "calls of one uid", kind: "refinement", make: (size) => fill(refinementHead, size, () => callOf("c")) },
  {
    name: "calls under other headings",
    kind: "refinement",
    make: (size) => fill(refinementHead, size, (index) => `## More ${index}\n\n${callOf("c")}`)
  },
  {
    name: "tagged calls",
    kind: "refinement",
    make: (size) => fill(refinementHead, size, () => '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>\n')
  },
  {
    name: "one long argument",
    kind: "refinement",
    make: (size) =>
      `${refinementHead}\`\`\`json\n{ "name": "w", "arguments": { "content": "${"x\\n".repeat(Math.min(size, 900_000) / 3)}" } }\n\`\`\`\n`
  },
  {
    name: "sloppy JSON",
    kind: "refinement",
    make: (size) =>
      `${refinementHead}\`\`\`json\n{ 'name': 'w', 'arguments': { ${"'a b': [1, 2,], ".repeat(1)}'c': ['${fill("", Math.min(size, 900_000), () => "x', 'y")}'] } }\n\`\`\`\n`
  },
  {
    name: "talk between calls",
    kind: "refinement",
    make: (size) => fill(refinementHead, size, () => "and then I read the next file (see above) ")
  },
  {
    name: "result",
    kind: "result",
    make: (size) => fill("## Result summary\n\n", size, () => "Found in [main](src/main.ts).\n\n### More\n\n")
  },
  { name: "result headings", kind: "result", make: (size) => fill("", size, () => "## Result summary\n\nx\n\n") }
]
