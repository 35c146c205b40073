/**
 * Recognises an incomplete task list: it announces more tasks than it has, replaces tasks with dots, or breaks off.
 * Without this check the missing tasks would silently never run.
 */
import { Line } from "../markdown/Line.ts"
import { proseLines } from "../markdown/Outline.ts"
import { fieldLabels } from "../markdown/TaskFields.ts"

/** A title with a count: `Task 1 of 3`, `(1/3)`. */
const counted =
  /(?:\b(?:tasks?|sections?|steps?|parts?|phases?|stages?)\s*#?\s*(\d{1,2})\s*(?:of|out of|\/)\s*(\d{1,2})\b|[([]\s*(\d{1,2})\s*(?:of|\/)\s*(\d{1,2})\s*[)\]])/i

const numbers = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
const number = `(\\d{1,2}|${numbers.join("|")})`
/** Matches text that announces a number of tasks, such as "The plan has three tasks". */
const planned = new RegExp(
  `\\b(?:plan (?:has|holds|contains|comprises|consists of)|(?:split|divide|divided|break|broken|broke) (?:(?:this|it|that|the (?:work|job|prompt|request)) )?(?:down )?(?:in)?to) ${number} tasks\\b`,
  "i"
)
/** Matches a statement of how many tasks follow, in the heading "Tasks" or at the beginning of a line. */
const introduced = new RegExp(
  `^#{1,6}\\s+tasks\\s*[([:-]\\s*${number}\\s*(?:tasks)?\\s*[)\\]]?\\s*$|^\\W*(?:there are|here are|these are|the)\\s(?:the )?${number} tasks\\b`,
  "i"
)

/** A line that a model writes in place of tasks, such as "..." or "more tasks follow". */
const standsForMore = [
  /^(?:\.{3,}|…)$/,
  /^(?:and so on|etc|to be continued|continued\b.{0,40}|continues\b.{0,40})\.{0,3}$/i,
  /^\W*(?:add|write|repeat|plus|and)?\s*(?:the |any |all )?(?:more|further|remaining|other|additional|rest of the|following|next|same) (?:tasks?|sections?|steps?)\b.{0,30}(?:\b(?:follow|here|come|later|similar|likewise|omitted|added|continue|next message|same|way|go|for each|for every)\b|$|\.\.\.)/i,
  /^(?:repeat|do the same|same)\b.{0,30}\b(?:for|with) (?:each|every|all|the (?:other|remaining|rest))\b/i
]

/** The maximum length of an announcement in characters. */
const mostCharacters = 200

/** A line without list, comment or emphasis marks around it. */
const bare = (line: string): string =>
  line
    .trim()
    .replace(/^(?:[-*+]\s+|\d+[.)]\s+|<!--\s*|[([*_])+/, "")
    .replace(/(?:\s*-->|[)\]*_])+$/, "")
    .trim()

/** A last line that ends within a link or a sentence. */
const breaksOff = [/\[[^[\]]+\]\([^)\s`]*$/, /\w\s(?:the|an|and|or|of)$/]
const openLabel = /^\s*[-*+]\s+\*{1,2}([^*\s][^*]*)$/
const labels = Object.values(fieldLabels)

const isBroken = (line: string): boolean => {
  const label = openLabel.exec(line)?.[1]?.trim()
  if (label !== undefined) return labels.every((one) => one !== label) && labels.some((one) => one.startsWith(label))
  return breaksOff.some((pattern) => pattern.test(line))
}

const valueOf = (word: string): number => (/^\d/.test(word) ? Number(word) : numbers.indexOf(word.toLowerCase()) + 2)

interface Listed {
  /** The line numbers, from 1, of the headings "Goals" and "Tasks". */
  readonly goals: number
  readonly tasks: number
  /** Section titles and task names as written. */
  readonly titles: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  /** The number of tasks, including finished tasks. */
  readonly all: number
}

/** If the list ends before the announced number of tasks: the last title with a count, such as "Task 2 of 3". */
const missing = (titles: ReadonlyArray<string>): string | undefined => {
  const countedTitles = titles.flatMap((title) => {
    if (title.length > mostCharacters) return []
    const [, at, of, atAlone, ofAlone] = counted.exec(title) ?? []
    const [place, all] = [Number(at ?? atAlone), Number(of ?? ofAlone)]
    return place > 0 && place <= all ? [{ title, place, all }] : []
  })
  const last = countedTitles.toSorted((a, b) => a.place - b.place).at(-1)
  return last === undefined || last.place === last.all ? undefined : last.title
}

type NumberedLine = ReturnType<typeof proseLines>[number]

/** A line that announces more tasks than the list has. */
const announced = (lines: ReadonlyArray<NumberedLine>, { all, goals, tasks }: Listed): string | undefined => {
  const firstTask = lines.findIndex(
    ({ line, text }) => line > tasks && (new Line(text).isField || text.startsWith("#"))
  )
  const before = lines.slice(0, firstTask === -1 ? undefined : firstTask)
  const firstHeading = before.find(({ text }) => text.startsWith("#"))?.line ?? goals
  return before.find(({ line, text }) => {
    // A number in the user's prompt says nothing about the list.
    const countMatch =
      line < firstHeading || line > goals
        ? (planned.exec(text) ?? (line >= tasks ? introduced.exec(text) : null))
        : null
    return valueOf(countMatch?.slice(1).find((one) => one !== undefined) ?? "0") > all
  })?.text
}

/** Why a list is incomplete, and the line that shows it. Undefined for a complete list. */
export const halfPlan = (text: string, listed: Listed) => {
  const { all, names, tasks, titles } = listed
  const title = missing(titles) ?? missing(names)
  if (title !== undefined) return { what: `"${title}" is the last one that is there.`, quote: title }
  const lines = proseLines(text).filter((one) => one.text.trim() !== "")
  const short = lines.filter((one) => one.text.length <= mostCharacters)
  const said = announced(short, listed)
  if (said !== undefined) {
    return { what: `It says "${said.trim()}", and there ${all === 1 ? "is one" : `are ${all}`}.`, quote: said }
  }
  const lastField = lines.findLast(({ text }) => new Line(text).isField)?.line ?? 0
  const more = short.find(
    ({ line, text }) =>
      line > tasks &&
      standsForMore.some((pattern, kind) => (kind === 0 || line > lastField) && pattern.test(bare(text)))
  )
  if (more !== undefined) {
    return { what: `"${bare(more.text)}" replaces tasks that are not written.`, quote: more.text, line: more.line }
  }
  const last = lines.at(-1)
  return last !== undefined && isBroken(last.text.trimEnd().slice(-mostCharacters))
    ? { what: `It breaks off: "${last.text.trim().slice(-60)}".`, quote: last.text, line: last.line }
    : undefined
}
