/**
 * Damage to tasks, sections and summaries that changes what the document means, or leaves it open. Applied to strict documents only.
 */
import {
  changed,
  choose,
  type Damage,
  freeLines,
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

const withoutHeading = (document: Whole, text: RegExp): string | undefined => {
  const at = headingAt(document, text)
  return at === undefined ? undefined : splice(document, at, 1)
}

const withoutTextUnder = (document: Whole, text: RegExp, instead: string): string | undefined => {
  const at = headingAt(document, text)
  if (at === undefined) return undefined
  const next = freeLines(document, (line) => /^#{1,2} /.test(line)).find((index) => index > at)
  const end = next ?? document.text.split("\n").length
  return splice(document, at + 1, end - at - 1, "", instead, "")
}

const isList = (document: Whole): boolean => document.kind === "task-list"
const sectionLine = /^### Task section (\d+)/

const withoutFirstSection = (document: Whole): string | undefined => {
  const [first] = freeLines(document, (line) => sectionLine.test(line))
  return first === undefined ? undefined : splice(document, first, 1)
}

/** Without headings a result can only be its summary. */
const hasSeveralHeadings = (document: Whole): boolean => freeLines(document, (line) => /^#{1,6} /.test(line)).length > 1

export const changedTasks: ReadonlyArray<Damage> = [
  {
    name: "a required field is lost",
    apply: (document, random) => {
      const at = fieldAt(document, random, ...required)
      return at === undefined ? undefined : splice(document, at, heightAt(document, at))
    }
  },
  {
    name: "a required field is empty",
    apply: (document, random) => {
      const at = fieldAt(document, random, ...required)
      if (at === undefined) return undefined
      const label = strictField.exec(lineAt(document, at))?.[2] ?? ""
      return splice(document, at, heightAt(document, at), `- **${label}** ${choose(random, "", "...", "…")}`.trimEnd())
    }
  },
  {
    name: "an unknown field",
    apply: (document, random) =>
      afterField(
        document,
        random,
        `- **${choose(random, "Priority", "Tools", "Depends on", "Notes", "Status")}** high`,
        "Skill"
      )
  },
  { name: "a field twice", apply: (document, random) => afterField(document, random, "- **Skill** review", "Skill") },
  {
    name: "an output in a new task",
    apply: (document, random) =>
      isList(document) ? afterField(document, random, "- **Output** none yet", "Expected output") : undefined
  },
  {
    name: "two skills in one field",
    apply: (document, random) => {
      const at = fieldAt(document, random, "Skill")
      if (at === undefined || !/Skill\*\* [\w-]+$/.test(lineAt(document, at))) return undefined
      return splice(
        document,
        at,
        1,
        lineAt(document, at) + choose(random, ", review", " and review", " / review", "; review")
      )
    }
  },
  {
    name: "two tasks of one name",
    apply: (document, random) => {
      const names = isList(document) ? freeLines(document, hasLabel("Name")) : []
      const [one = -1, other = -1] = random() < 0.5 ? [names[0], names[1]] : [names.at(-1), names.at(-2)]
      return one < 0 || other < 0 ? undefined : splice(document, one, 1, lineAt(document, other))
    }
  },
  {
    name: "two tasks where one is meant",
    apply: (document) =>
      document.kind === "refinement" && document.text.includes("## Task\n")
        ? document.text.replace(
            "## Task\n",
            "## Task\n\n- **Name** First\n- **What is needed** Look.\n- **Skill** review\n- **Expected output** A word.\n"
          )
        : undefined
  },
  {
    name: "a heading of the document is lost",
    apply: (document, random) =>
      document.kind === "result" && !hasSeveralHeadings(document)
        ? undefined
        : withoutHeading(document, choose(random, /^## Tasks$/, /^## Goals/, /^## Result summary$/))
  },
  {
    name: "the goals or the summary are empty",
    apply: (document, random) =>
      withoutTextUnder(document, /^## (?:Goals|Result summary)/, choose(random, "", "...", "---"))
  },
  {
    name: "a section without a task",
    apply: (document) => {
      const count = freeLines(document, (line) => sectionLine.test(line)).length
      return isList(document) && count > 0
        ? `${document.text.trimEnd()}\n\n### Task section ${count + 20}\n`
        : undefined
    }
  },
  {
    name: "a section of another kind",
    apply: (document, random) => {
      const at = pick(
        freeLines(document, (line) => isList(document) && sectionLine.test(line)),
        random
      )
      return at === undefined
        ? undefined
        : splice(document, at, 1, `### ${choose(random, "Afterwards", "Notes", "Research", "Later work")}`)
    }
  },
  {
    name: "sections in falling order",
    apply: (document) => {
      const at = freeLines(document, (line) => isList(document) && sectionLine.test(line))
      const [first = -1] = at
      return at.length < 2 ? undefined : splice(document, first, 1, "### Task section 90")
    }
  },
  {
    name: "numbered headings of tasks between sections",
    apply: (document) => {
      const at = freeLines(document, (line) => isList(document) && sectionLine.test(line))
      return at.length < 2 ? undefined : splice(document, at[0] ?? 0, 1, "### Task 1: First")
    }
  },
  {
    name: "headings of tasks in falling order",
    apply: (document) => {
      const at = freeLines(document, (line) => isList(document) && sectionLine.test(line))
      const [first = 0, second = 0, ...others] = at
      return at.length < 2 || others.length > 0
        ? undefined
        : splice({ ...document, text: splice(document, second, 1, "### Task 1: B") }, first, 1, "### Task 2: A")
    }
  },
  {
    name: "what is still to do in words",
    apply: (document, random) => {
      const at = freeLines(document, (line) => isList(document) && /^## Tasks$/.test(line)).at(-1)
      const words = choose(
        random,
        "Everything is done, but the tests have to be written.",
        "Let me know. Then the parser has to be changed.",
        "Continue with the rest of the list."
      )
      return at === undefined
        ? undefined
        : `${document.text
            .split("\n")
            .slice(0, at + 1)
            .join("\n")}\n\n${words}\n`
    }
  },
  {
    name: "an intention or a question for a result",
    apply: (document, random) =>
      document.kind === "result"
        ? choose(
            random,
            "I will read the queue and then look for the offset.",
            "Let me look at src/queue.ts first.",
            "Which of the two files should be read?",
            "I cannot run commands, so the tests have to be run by somebody else.",
            "read_file(path='src/queue.ts')",
            "The offset of the queue is kept after a retry and then the"
          )
        : undefined
  },
  {
    name: "tasks outside of the task sections",
    apply: (document) => (isList(document) ? withoutFirstSection(document) : undefined)
  },
  {
    name: "the text breaks off",
    apply: (document, random) => {
      const fields = document.options.planned === undefined ? freeLines(document, hasLabel("Expected output")) : []
      const at = pick(fields, random)
      return at === undefined ? undefined : document.text.split("\n").slice(0, at).join("\n")
    }
  },
  {
    name: "a code block that is never closed",
    apply: (document, random) => {
      const at = isList(document) ? pick(freeLines(document, hasLabel("Skill")), random) : undefined
      return at === undefined ? undefined : splice(document, at, 0, "  ```ts", "  const a = 1")
    }
  },
  {
    name: "the document as JSON",
    apply: (document) =>
      changed(document, `\`\`\`json\n${JSON.stringify({ answer: document.text }, null, 2)}\n\`\`\`\n`)
  }
]
