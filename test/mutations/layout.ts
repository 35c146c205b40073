/**
 * Indentation, markers and blank lines of lists, and the order of fields.
 */
import {
  type Apply,
  changed,
  choose,
  damages,
  freeLines,
  inVariants,
  linesOf,
  mapFields,
  type Random,
  strictField,
  type Variants,
  type Whole
} from "./Damage.ts"

interface Block {
  readonly first: number
  /** Excluded. */
  readonly last: number
}

/** The fields of a document with the lines under them; code blocks that belong to the task are no part of a field. */
const fieldBlocks = (document: Whole): ReadonlyArray<Block> => {
  const lines = linesOf(document)
  return freeLines(document, (text) => strictField.test(text)).map((first) => {
    const indent = /^\s*/.exec(lines[first]?.text ?? "")?.[0].length ?? 0
    let last = first + 1
    for (let index = first + 1; index < lines.length; index += 1) {
      const text = lines[index]?.text ?? ""
      if (text.trim() !== "" && (/^\s*/.exec(text)?.[0].length ?? 0) <= indent) break
      if (text.trim() !== "" && strictField.test(text)) break
      if (text.trim() !== "") last = index + 1
    }
    return { first, last }
  })
}

/** The tasks of a document as runs of fields; a run ends where something else stands between two fields. */
const taskBlocks = (document: Whole): ReadonlyArray<ReadonlyArray<Block>> => {
  const lines = linesOf(document)
  const tasks: Array<Array<Block>> = []
  let previous: Block | undefined
  for (const block of fieldBlocks(document)) {
    if (previous?.last === block.first) tasks.at(-1)?.push(block)
    else tasks.push([block])
    previous = block
  }
  return tasks.filter(([first]) => first !== undefined && (lines[first.first]?.text ?? "").startsWith("- "))
}

const labelOf = (document: Whole, block: Block | undefined): string =>
  strictField.exec(linesOf(document)[block?.first ?? -1]?.text ?? "")?.[2] ?? ""

/** All tasks are flat and start with their names. */
const isFlatAndNamed = (document: Whole, tasks: ReadonlyArray<ReadonlyArray<Block>>): boolean =>
  tasks.length > 0 &&
  tasks.every((blocks) => blocks.every((block, index) => (labelOf(document, block) === "Name") === (index === 0)))

const changeBlocks = (
  document: Whole,
  change: (line: string, isFirstOfBlock: boolean, position: number) => string
): string | undefined => {
  const tasks = taskBlocks(document)
  if (!isFlatAndNamed(document, tasks)) return undefined
  const lines = document.text.split("\n")
  for (const blocks of tasks) {
    for (const [position, { first, last }] of blocks.entries()) {
      for (let index = first; index < last; index += 1)
        lines[index] = lines[index] === "" ? "" : change(lines[index] ?? "", index === first, position)
    }
  }
  return changed(document, lines.join("\n"))
}

/** A damage that changes all lines of the fields of tasks, in one of these forms. */
const ofBlocks = (
  variants: Variants,
  change: (variant: string, line: string, isFirst: boolean, position: number) => string
): Apply => inVariants(variants, (document, variant) => changeBlocks(document, (...line) => change(variant, ...line)))

const shuffle = <A>(all: ReadonlyArray<A>, random: Random): ReadonlyArray<A> =>
  all
    .map((one) => ({ one, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)

const inTasks = (document: Whole, change: (line: string) => string): string | undefined => {
  const lines = linesOf(document)
  const isFreeHeading = (index: number, heading: RegExp): boolean =>
    lines[index]?.free === true && heading.test(lines[index].text)
  const from = lines.findLastIndex((_, index) => isFreeHeading(index, /^#{1,6} tasks\b/i))
  if (from < 0 || document.kind !== "task-list") return undefined
  const next = lines.findIndex((_, index) => index > from && isFreeHeading(index, /^#{1,2} /))
  const isInside = (index: number): boolean => index > from && (next < 0 || index < next)
  return changed(
    document,
    lines
      .map(({ text }, index) => (isInside(index) && !isFreeHeading(index, /^#/) && text !== "" ? change(text) : text))
      .join("\n")
  )
}

export const layout = damages({
  "stars, plus signs or dots for bullets": inVariants(["*", "+", "•", "–"], (document, marker, random) =>
    mapFields(document, random, ({ label, lead, value }) => `${lead.replace("-", marker)}**${label}** ${value}`)
  ),
  "numbers for bullets": ofBlocks([".", ")"], (end, line, isFirst, position) =>
    isFirst ? line.replace("- ", `${position + 1}${end} `) : ` ${line}`
  ),
  "fields nested below the name": ofBlocks(["  ", "   ", "    ", "\t"], (indent, line, _, position) =>
    position === 0 ? line : indent + line
  ),
  "tasks indented": inVariants([" ", "  ", "   ", "    ", "\t"], (document, indent) =>
    inTasks(document, (line) => indent + line)
  ),
  "one field indented differently": (document, random) => {
    const blocks = taskBlocks(document)
      .flatMap((all) => all.slice(1))
      .filter(({ first, last }) => last === first + 1)
    const at = choose(random, -1, ...blocks.map(({ first }) => first))
    const indent = " ".repeat(choose(random, 1, 2, 3, 4))
    return at < 0
      ? undefined
      : document.text
          .split("\n")
          .with(at, indent + (document.text.split("\n")[at] ?? ""))
          .join("\n")
  },
  "blank lines between fields": (document, random) => {
    const share = choose(random, 1, 0.4)
    return mapFields(document, random, ({ label, lead, value }) => `\n${lead}**${label}** ${value}`.trimEnd(), share)
  },
  "hard spaces for blanks": (document, random) =>
    mapFields(document, random, ({ label, lead, value }) =>
      `${lead.replaceAll(" ", "\u00a0")}**${label}**\u00a0${value}`.replace(/\u00a0$/, "")
    ),
  "fields in another order": (document, random) => {
    const tasks = taskBlocks(document)
    if (!isFlatAndNamed(document, tasks)) return undefined
    const lines = document.text.split("\n")
    for (const blocks of tasks.toReversed()) {
      const [name, ...others] = blocks
      if (name === undefined) continue
      const moved = [name, ...shuffle(others, random)].flatMap(({ first, last }) => lines.slice(first, last))
      lines.splice(name.first, moved.length, ...moved)
    }
    return changed(document, lines.join("\n"))
  }
})
