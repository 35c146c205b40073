/**
 * Parts of documents that models leave out or write in another place, although there is one thing that they can mean.
 */
import { changed, choose, damages, freeLines, linesOf, mapFields, splice, type Whole } from "./Damage.ts"

const lineAt = ({ text }: Whole, at: number): string => text.split("\n")[at] ?? ""

/** A list of numbered sections with one named task each, without text of its own. */
const oneTaskEach = (document: Whole): boolean => {
  const sections = freeLines(document, (line) => line.startsWith("### "))
  const names = freeLines(document, (line) => /^- \*\*Name\*\* (?!task\b|item\b)[a-z][\w ]+$/i.test(line))
  return (
    document.kind === "task-list" &&
    sections.length > 0 &&
    sections.length === names.length &&
    freeLines(document, (line) => /\*\*(?:Skill)\*\*/i.test(line)).length === names.length &&
    sections.every((at, index) => lineAt(document, at) === `### Task section ${index + 1}` && names[index] === at + 2)
  )
}

const headedTasks = (document: Whole, sign: string): string => {
  const lines = document.text.split("\n")
  return lines
    .flatMap((line, index) => {
      const name = /^- \*\*Name\*\* (.*)$/.exec(lines[index + 2] ?? "")?.[1]
      if (line.startsWith("### Task section ") && name !== undefined)
        return [`${line.replace(" section", "")}${sign} ${name}`]
      return line.startsWith("- **Name** ") && lines[index - 2]?.startsWith("### Task section ") === true ? [] : [line]
    })
    .join("\n")
}

const path = /\[([^\][\\]*)\]\(((?:[\w-]+\/)*\1)\)/g

/** The summary of a result in sentences, without what stands around it; nothing for any other text. */
const summaryOf = ({ kind, text }: Whole): string | undefined => {
  const [, summary = ""] = /^## Result summary\n\n([A-Z][^#<>{}]*\.)\n*(?=\n## |$(?![^]))/m.exec(text) ?? []
  const isReport =
    /[a-z]+ [a-z]+ [a-z]+/i.test(summary) && !/\b(?:I|let me|please|could you)\b|`{3}|~{3}/i.test(summary)
  return kind === "result" && isReport && text.split("## Result summary").length === 2 ? summary : undefined
}

export const parts = damages({
  "the prompt is left out": (document) => {
    const lines = document.text.split("\n")
    const [prompt, goals] = [lines.indexOf("## Original prompt"), lines.indexOf("## Goals / summary")]
    const isPlain = ["## Goals / summary", "## Tasks"].every((one) => lines.indexOf(one) === lines.lastIndexOf(one))
    const isWhole = isPlain && prompt >= 0 && prompt < goals && goals < lines.indexOf("## Tasks")
    return document.kind === "task-list" && isWhole ? splice(document, prompt, goals - prompt) : undefined
  },
  "headings of tasks for sections": (document, random) =>
    oneTaskEach(document) ? changed(document, headedTasks(document, choose(random, ":", " -", " –", "."))) : undefined,
  "paths without links": (document, random) => {
    const mark = choose(random, "", "`")
    return mapFields(document, random, ({ label, lead, value }) => {
      const paths = value.replace(path, (link, title: string, href: string) =>
        /\.[a-z]+$/.test(title) ? `${mark}${href}${mark}` : link
      )
      const isAll = value.replace(path, "").replace(/[\s,]/g, "") === ""
      return `${lead}**${label}** ${label === "References" && isAll ? paths : value}`
    })
  },
  "the summary without its heading": (document) => summaryOf(document),
  "the summary after a label": (document, random) => {
    const label = choose(random, "Result summary:", "**Result summary:**", "Summary:", "**Summary**:", "Results:")
    const summary = summaryOf(document)
    return summary === undefined ? undefined : `${label} ${summary}`
  },
  "polite words under empty tasks": (document, random) => {
    const words = choose(
      random,
      "Let me know if you need anything else!",
      "Everything has been done. Thank you!",
      "All goals are met.\n\nI hope this helps.",
      "The work is complete. Feel free to ask for more."
    )
    const isEmpty = linesOf(document).findLast(({ text }) => text.trim() !== "")?.text === "## Tasks"
    return document.kind === "task-list" && isEmpty ? `${document.text.trimEnd()}\n\n${words}\n` : undefined
  }
})
