/**
 * Headings as models write them. The words of a heading are the same in every damage but the one about wording.
 */
import { changed, choose, type Damage, mapFree, pick, type Random, type Whole } from "./Damage.ts"

const heading = /^(#{1,6}) (.*\S)\s*$/

/** Headings that the documents are made of; others are the model's own. */
const known = /^(?:original prompt|goals \/ summary|tasks|task section \d+.*|task|tool calls|result summary)$/i

const mapHeadings = (
  document: Whole,
  random: Random,
  change: (marks: string, text: string) => string,
  share = 1
): string | undefined => {
  // A heading of the prompt's own would change what the prompt is.
  let last = 0
  const positions = document.text.split("\n").flatMap((line, index) => (/^#{1,6} tasks\s*$/i.test(line) ? [index] : []))
  last = positions.at(-1) ?? 0
  return changed(
    document,
    mapFree(document, (line, index) => {
      const [, marks = "", text = ""] = heading.exec(line) ?? []
      if (!known.test(text) || random() >= share) return line
      return document.kind === "task-list" && index < last && /^tasks?/i.test(text) ? line : change(marks, text)
    })
  )
}

const wordings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "original prompt": ["User prompt", "Original request", "The original prompt", "Prompt"],
  "goals / summary": ["Goals", "Goals and summary", "Goals/Summary", "Goal / summary", "Summary"],
  tasks: ["Task list", "List of tasks", "Tasks (checked)", "Tasks: the plan"],
  task: ["Refined task", "Updated task", "Task: refined"],
  "tool calls": ["Tool call", "Skill calls", "Tool calls:", "Tool Calls (JSON)", "ToolCalls"],
  "result summary": ["Summary", "Results summary", "Summary of results", "Result summary (short)"]
}

/** Whether a result starts with its summary, so that nothing before it could be taken for one. */
const hasOnlyKnown = (document: Whole): boolean =>
  document.kind !== "result" ||
  !/^#{1,6} .*(?:summary|result)/gim.test(document.text.replace(/^#{1,6} result summary\s*$/gim, ""))

export const headings: ReadonlyArray<Damage> = [
  {
    name: "letter case of headings",
    apply: (document, random) => {
      const upper = random() < 0.5
      return mapHeadings(
        document,
        random,
        (marks, text) =>
          marks +
          " " +
          text.replace(/^(?:task section|[^:]*$)/i, (words) => (upper ? words.toUpperCase() : words.toLowerCase()))
      )
    }
  },
  {
    name: "all headings one level up or down",
    apply: (document, random) => {
      const step = random() < 0.5 ? 1 : -1
      return document.kind === "result"
        ? undefined
        : changed(
            document,
            mapFree(document, (line) =>
              line.replace(/^#{1,6}(?= )/, (marks) => "#".repeat(Math.min(6, Math.max(1, marks.length + step))))
            )
          )
    }
  },
  {
    name: "one heading on another level",
    apply: (document, random) =>
      document.kind === "result"
        ? undefined
        : mapHeadings(document, random, (marks, text) => (/section/i.test(text) ? `#${marks}` : `#`) + ` ${text}`, 0.4)
  },
  {
    name: "marks around the words of headings",
    apply: (document, random) => {
      const around = choose(random, ["**", "**"], ["*", "*"], ["__", "__"], ["`", "`"], ["**", ":**"])
      return mapHeadings(document, random, (marks, text) =>
        text.includes(":") ? `${marks} **${text}**` : `${marks} ${around[0]}${text}${around[1]}`
      )
    }
  },
  {
    name: "signs and numbers before headings",
    apply: (document, random) => {
      const sign = choose(random, "🎯 ", "1. ", "✅ ", "2) ", "➡️ ")
      return mapHeadings(document, random, (marks, text) =>
        /section/i.test(text) ? `${marks} ${text}` : `${marks} ${sign}${text}`
      )
    }
  },
  {
    name: "a colon or hashes after headings",
    apply: (document, random) => {
      const end = choose(random, ":", " ##", " #", ".")
      return mapHeadings(document, random, (marks, text) =>
        /section/i.test(text) ? `${marks} ${text}` : `${marks} ${text}${end}`
      )
    }
  },
  {
    name: "bold lines for headings",
    apply: (document, random) =>
      mapHeadings(document, random, (marks, text) => (/section/i.test(text) ? `${marks} ${text}` : `**${text}**`))
  },
  {
    name: "other words for headings",
    apply: (document, random) =>
      hasOnlyKnown(document)
        ? mapHeadings(
            document,
            random,
            (marks, text) => `${marks} ${pick(wordings[text.toLowerCase()] ?? [text], random)}`
          )
        : undefined
  },
  {
    name: "other words for task sections",
    apply: (document, random) => {
      const word = choose(random, "Section", "Step", "Phase", "Tasks section", "TASK SECTION")
      return document.kind === "task-list"
        ? mapHeadings(
            document,
            random,
            (marks, text) => `${marks} ${text.replace(/^Task section (?=\d+$)/, `${word} `)}`
          )
        : undefined
    }
  },
  {
    name: "rules before headings",
    apply: (document, random) =>
      document.kind === "result" ? undefined : mapHeadings(document, random, (marks, text) => `---\n\n${marks} ${text}`)
  }
]
