/**
 * Damage to tasks, sections and summaries that changes what the document means, or leaves it open. Applied to strict documents only.
 */
import {
  changed,
  choose,
  damages,
  freeLines,
  inVariants,
  onlyIn,
  pick,
  type Random,
  splice,
  strictField,
  type Whole
} from "./Damage.ts"

const lineAt = (document: Whole, at: number): string => document.text.split("\n")[at] ?? ""

const hasLabel =
  (...labels: ReadonlyArray<string>) =>
  (line: string): boolean =>
    labels.includes(strictField.exec(line)?.[2] ?? "")

/** One field line of a whole task; a refinement that has a plan falls back on it. */
const fieldAt = (document: Whole, random: Random, ...labels: ReadonlyArray<string>): number | undefined =>
  document.options.planned === undefined ? pick(freeLines(document, hasLabel(...labels)), random) : undefined

/** The number of lines of a field: more than one when its text goes on below. */
const heightAt = (document: Whole, at: number): number => {
  const rest = document.text.split("\n").slice(at + 1)
  const next = rest.findIndex((line) => line.trim() !== "" && !/^\s/.test(line))
  return 1 + (next < 0 ? rest.length : next)
}

const required = ["What is needed", "Skill", "Expected output"]

const afterField = (
  document: Whole,
  random: Random,
  line: string,
  ...labels: ReadonlyArray<string>
): string | undefined => {
  const at = fieldAt(document, random, ...labels)
  return at === undefined ? undefined : splice(document, at + heightAt(document, at), 0, line)
}

const headingAt = (document: Whole, text: RegExp): number | undefined =>
  freeLines(document, (line) => text.test(line)).at(-1)

/** Another line in the place of a line, where there is one. */
const instead = (document: Whole, at: number | undefined, ...lines: ReadonlyArray<string>): string | undefined =>
  at === undefined ? undefined : splice(document, at, 1, ...lines)

const withoutTextUnder = (document: Whole, text: RegExp, instead: string): string | undefined => {
  const at = headingAt(document, text)
  if (at === undefined) return undefined
  const next = freeLines(document, (line) => /^#{1,2} /.test(line)).find((index) => index > at)
  const end = next ?? document.text.split("\n").length
  return splice(document, at + 1, end - at - 1, "", instead, "")
}

/** The lines of the headings of sections; of a list alone. */
const sectionsOf = (document: Whole): ReadonlyArray<number> =>
  freeLines(document, (line) => document.kind === "task-list" && /^### Task section (\d+)/.test(line))

/** Without headings a result can only be its summary. */
const hasSeveralHeadings = (document: Whole): boolean => freeLines(document, (line) => /^#{1,6} /.test(line)).length > 1

export const changedTasks = damages({
  "a required field is lost": (document, random) => {
    const at = fieldAt(document, random, ...required)
    return at === undefined ? undefined : splice(document, at, heightAt(document, at))
  },
  "a required field is empty": (document, random) => {
    const at = fieldAt(document, random, ...required)
    if (at === undefined) return undefined
    const label = strictField.exec(lineAt(document, at))?.[2] ?? ""
    return splice(document, at, heightAt(document, at), `- **${label}** ${choose(random, "", "...", "…")}`.trimEnd())
  },
  "an unknown field": inVariants(["Priority", "Tools", "Depends on", "Notes", "Status"], (document, label, random) =>
    afterField(document, random, `- **${label}** high`, "Skill")
  ),
  "a field twice": (document, random) => afterField(document, random, "- **Skill** review", "Skill"),
  "an output in a new task": onlyIn("task-list", (document, random) =>
    afterField(document, random, "- **Output** none yet", "Expected output")
  ),
  "two skills in one field": (document, random) => {
    const at = fieldAt(document, random, "Skill")
    if (at === undefined || !/Skill\*\* [\w-]+$/.test(lineAt(document, at))) return undefined
    const more = choose(random, ", review", " and review", " / review", "; review")
    return splice(document, at, 1, lineAt(document, at) + more)
  },
  "two tasks of one name": onlyIn("task-list", (document, random) => {
    const names = freeLines(document, hasLabel("Name"))
    const [one = -1, other = -1] = random() < 0.5 ? [names[0], names[1]] : [names.at(-1), names.at(-2)]
    return one < 0 || other < 0 ? undefined : splice(document, one, 1, lineAt(document, other))
  }),
  "two tasks where one is meant": (document) =>
    document.kind === "refinement" && document.text.includes("## Task\n")
      ? document.text.replace(
          "## Task\n",
          "## Task\n\n- **Name** First\n- **What is needed** Look.\n- **Skill** review\n- **Expected output** A word.\n"
        )
      : undefined,
  "a heading of the document is lost": (document, random) =>
    document.kind === "result" && !hasSeveralHeadings(document)
      ? undefined
      : instead(document, headingAt(document, choose(random, /^## Tasks$/, /^## Goals/, /^## Result summary$/))),
  "the goals or the summary are empty": inVariants(["", "...", "---"], (document, text) =>
    withoutTextUnder(document, /^## (?:Goals|Result summary)/, text)
  ),
  "a section without a task": (document) => {
    const { length } = sectionsOf(document)
    return length > 0 ? `${document.text.trimEnd()}\n\n### Task section ${length + 20}\n` : undefined
  },
  "a section of another kind": (document, random) =>
    instead(
      document,
      pick(sectionsOf(document), random),
      `### ${choose(random, "Afterwards", "Notes", "Research", "Later work")}`
    ),
  "sections in falling order": (document) => {
    const [first, second] = sectionsOf(document)
    return second === undefined ? undefined : instead(document, first, "### Task section 90")
  },
  "numbered headings of tasks between sections": (document) => {
    const [first, second] = sectionsOf(document)
    return second === undefined ? undefined : instead(document, first, "### Task 1: First")
  },
  "headings of tasks in falling order": (document) => {
    const [first, second, third] = sectionsOf(document)
    if (second === undefined || third !== undefined) return undefined
    return instead({ ...document, text: splice(document, second, 1, "### Task 1: B") }, first, "### Task 2: A")
  },
  "what is still to do in words": onlyIn("task-list", (document, random) => {
    const at = headingAt(document, /^## Tasks$/)
    const words = choose(
      random,
      "Everything is done, but the tests have to be written.",
      "Let me know. Then the parser has to be changed.",
      "Continue with the rest of the list."
    )
    const lines = document.text.split("\n").slice(0, (at ?? 0) + 1)
    return at === undefined ? undefined : `${lines.join("\n")}\n\n${words}\n`
  }),
  "an intention or a question for a result": onlyIn("result", (_, random) =>
    choose(
      random,
      "I will read the queue and then look for the offset.",
      "Let me look at src/queue.ts first.",
      "Which of the two files should be read?",
      "I cannot run commands, so the tests have to be run by somebody else.",
      "read_file(path='src/queue.ts')",
      "The offset of the queue is kept after a retry and then the"
    )
  ),
  "tasks outside of the task sections": (document) => instead(document, sectionsOf(document)[0]),
  "the text breaks off": (document, random) => {
    const fields = document.options.planned === undefined ? freeLines(document, hasLabel("Expected output")) : []
    const at = pick(fields, random)
    return at === undefined ? undefined : document.text.split("\n").slice(0, at).join("\n")
  },
  "a code block that is never closed": onlyIn("task-list", (document, random) => {
    const at = pick(freeLines(document, hasLabel("Skill")), random)
    return at === undefined ? undefined : splice(document, at, 0, "  ```ts", "  const a = 1")
  }),
  "the document as JSON": (document) =>
    changed(document, `\`\`\`json\n${JSON.stringify({ answer: document.text }, null, 2)}\n\`\`\`\n`)
})
