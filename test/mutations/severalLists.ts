/**
 * A second list beside the one of the document: who approves it has read both, and only one could run.
 */
import { choose, type Damage, isClosed, type Whole } from "./Damage.ts"

const task = (name: string): string =>
  [`- **Name** ${name}`, "- **What is needed** Send it.", "- **Skill** other", "- **Expected output** A note."].join(
    "\n"
  )

const listed = (heading: string): string => `${heading}\n\n### Task section 1\n\n${task("Another")}\n\n`
const called = (heading: string): string =>
  `${heading}\n\n\`\`\`json\n{ "uid": "other", "name": "write_file", "arguments": { "path": "x", "content": "y" } }\n\`\`\`\n\n`

/** The other part before the heading of the document, or at its end. */
const beside = (document: Whole, other: string, isBefore: boolean): string | undefined => {
  const heading = document.kind === "refinement" ? /^## Tool Calls$/m : /^## Tasks$/m
  const at = heading.exec(document.text)?.index
  if (document.kind === "result" || !isClosed(document) || at === undefined) return undefined
  const goals = document.kind === "task-list" ? document.text.search(/^## Goals/m) : 0
  const holdsList = document.kind === "refinement" ? /"name":/ : /^- \*\*Name\*\*/m
  if (goals < 0 || goals > at || !holdsList.test(document.text.slice(at))) return undefined
  return isBefore
    ? document.text.slice(0, at) + other + document.text.slice(at)
    : `${document.text.trimEnd()}\n\n${other}`
}

const damage = (name: string, kind: Whole["kind"], other: (pick: number) => string, isBefore: boolean): Damage => ({
  name,
  apply: (document, random) =>
    document.kind === kind ? beside(document, other(choose(random, 0, 1, 2)), isBefore) : undefined
})

const lists = ["## Tasks", "## Task list", "## Tasks (revised)"]
const calls = ["## Tool Calls", "## Tool calls:", "## Calls"]

/** Kinds of damage that change the meaning. */
export const severalLists: ReadonlyArray<Damage> = [
  damage("another list of tasks before", "task-list", (pick) => listed(lists[pick] ?? ""), true),
  damage("another list of tasks after", "task-list", (pick) => listed(lists[pick] ?? ""), false),
  damage("an empty list of tasks after", "task-list", () => "## Tasks\n", false),
  damage("another section of calls before", "refinement", () => called(calls[0] ?? ""), true),
  damage("another section of calls after", "refinement", () => called(calls[0] ?? ""), false),
  damage("calls under a loose heading before", "refinement", () => called(calls[1] ?? ""), true)
]
