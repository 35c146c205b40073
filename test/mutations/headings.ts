/**
 * Headings as models write them. The words of a heading are the same in every damage but the one about wording.
 */
import {
  type Apply,
  changed,
  damages,
  inVariants,
  mapFree,
  onlyIn,
  pick,
  type Random,
  type Variants,
  type Whole
} from "./Damage.ts"

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
  const last = document.text.split("\n").findLastIndex((line) => /^#{1,6} tasks\s*$/i.test(line))
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

/** Damage to every heading that the documents are made of. */
const headed = (
  write: (marks: string, text: string, variant: string, random: Random) => string,
  variants: Variants = [""],
  share?: number
): Apply =>
  inVariants(variants, (document, variant, random) =>
    mapHeadings(document, random, (marks, text) => write(marks, text, variant, random), share)
  )

/** The same for all but the headings of sections. */
const headedAlone: typeof headed = (write, variants) =>
  headed((marks, text, ...rest) => (/section/i.test(text) ? `${marks} ${text}` : write(marks, text, ...rest)), variants)

/** A result may be all its own headings. */
const outsideResults =
  (apply: Apply): Apply =>
  (document, random) =>
    document.kind === "result" ? undefined : apply(document, random)

export const headings = damages({
  "letter case of headings": headed(
    (marks, text, change) =>
      `${marks} ${text.replace(/^(?:task section|[^:]*$)/i, (words) => (change === "upper" ? words.toUpperCase() : words.toLowerCase()))}`,
    ["upper", "lower"]
  ),
  "all headings one level up or down": outsideResults(
    inVariants(["1", "-1"], (document, step) =>
      changed(
        document,
        mapFree(document, (line) =>
          line.replace(/^#{1,6}(?= )/, (marks) => "#".repeat(Math.min(6, Math.max(1, marks.length + Number(step)))))
        )
      )
    )
  ),
  "one heading on another level": outsideResults(
    headed((marks, text) => `${/section/i.test(text) ? `#${marks}` : "#"} ${text}`, [""], 0.4)
  ),
  "marks around the words of headings": headed(
    (marks, text, around) => `${marks} ${(text.includes(":") ? "**x**" : around).replace("x", () => text)}`,
    ["**x**", "*x*", "__x__", "`x`", "**x:**"]
  ),
  "signs and numbers before headings": headedAlone(
    (marks, text, sign) => `${marks} ${sign}${text}`,
    ["🎯 ", "1. ", "✅ ", "2) ", "➡️ "]
  ),
  "a colon or hashes after headings": headedAlone(
    (marks, text, end) => `${marks} ${text}${end}`,
    [":", " ##", " #", "."]
  ),
  "bold lines for headings": headedAlone((_, text) => `**${text}**`),
  "other words for headings": (document, random) =>
    hasOnlyKnown(document)
      ? mapHeadings(
          document,
          random,
          (marks, text) => `${marks} ${pick(wordings[text.toLowerCase()] ?? [text], random)}`
        )
      : undefined,
  "other words for task sections": onlyIn(
    "task-list",
    headed(
      (marks, text, word) => `${marks} ${text.replace(/^Task section (?=\d+$)/, `${word} `)}`,
      ["Section", "Step", "Phase", "Tasks section", "TASK SECTION"]
    )
  )
})
