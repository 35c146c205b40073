/**
 * Builds a task from its raw form, and checks its content. In the field "References", CommonMark defines what a link
 * is. Other text in this field is completed or ignored if its meaning is clear. Otherwise it is an issue.
 */
import * as Option from "effect/Option"
import { type Where, addIssue, addRepair, type Findings } from "../findings/Issue.ts"
import { type FoundLink, inlineLinks } from "../markdown/MarkdownTree.ts"
import { fieldLabels, requiredFields } from "../markdown/TaskFields.ts"
import type { Reference } from "../plan/Reference.ts"
import { Task } from "../plan/Task.ts"
import { nearest } from "../text/Nearest.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import {
  addNotes,
  approvalOf,
  givenSkill,
  isPlaceholder,
  type NamedTask,
  placeOf,
  type TaskPlace,
  textOf
} from "./FieldValues.ts"
import { readForEach } from "./ForEachForm.ts"
import { excerpt, type LabelFault, type RawTask } from "./RawTask.ts"
import { readReference, type ResolveResult } from "./ReferenceForm.ts"
import { namesSeveralSkills } from "./TextEscaping.ts"

/**
 * A link, or text that is meant as one. `bracketed` is false for a target with spaces that is not between `<` and `>`.
 */
interface Candidate {
  readonly title: string
  readonly href: string
  readonly bracketed: boolean
}

const splitMarks = /\*\*(?=\[)|(?<=\[)\*\*|\*\*(?=\])|(?<=[\])])\*\*|`(?=\[[^\]`]*\]\([^)`]*\)`)|(?<=\]\([^)`]*\))`/g
const noReferences =
  /^[([*_]*(?:none|no|n\/?a|nil|null|empty|nothing|-+|–|—|no references?(?: needed| required)?|not (?:applicable|needed|required))[)\]*_]*[.!]?$/i
const joint = /^(?:[\s,;.&|/·•+*_!()[\]-]|\band\b|\bor\b|\bsee\b|\d+[.)])*$/i
const looksLikeTarget = /[\w)]\/[\w(.]|\/\w|\w\.[a-z]{1,5}\b|#\w|:\/\//i
const spacedTarget = /(?<!\\)\]\(([^()<>"'\n]+)\)/g
const bareTarget = /^(?:https?:\/\/\S+|#[\w-]+)$/i
/** A path with an extension. Line numbers may follow it. */
const barePath =
  /^(?!(?:e\.g|i\.e)\b)(?:[\w@+.-]*\/)*[\w@+-][\w@+.-]*\.[a-z]\w{0,9}(?:#L?\d+(?:-L?\d+)?|:\d+(?:-\d+)?)?$/i
/** A word that may stand before a path or a link. */
const leadWord = /^(?:see|use|read|check):?$/i
const marksAround = /^[`"'(]+|[`"'),.;]+$/g
const blankBeforeTarget = /(?<!\\)\](?:\*\*)?[ \t]+(?:\*\*)?\((?=[^\s()]+\))/g

/**
 * Joins the parts of a link if emphasis marks or blanks stand between them. Puts `<` and `>` around targets that
 * contain spaces.
 */
const joinLinks = (written: string) => {
  const joined = written.replace(splitMarks, "").replace(blankBeforeTarget, "](")
  const withSpaces = new Set<string>()
  const text = joined.replace(spacedTarget, (link, target: string) => {
    if (!/\S\s+\S/.test(target)) return link
    withSpaces.add(target.trim())
    return `](<${target.trim()}>)`
  })
  return { text, withSpaces, isJoined: joined !== written }
}

/** The label of a link, without emphasis around it. Escaped marks belong to the label. */
const titleOf = ({ start, title }: FoundLink, text: string): string =>
  /^\[[*_]/.test(text.slice(start, start + 2)) ? (/^([*_])([^*_].*)\1$/s.exec(title)?.[2] ?? title) : title

interface Found {
  readonly links: ReadonlyArray<Candidate>
  readonly rest: string
}

const parseLinks = (text: string, withSpaces: ReadonlySet<string>): Option.Option<Found> =>
  Option.map(inlineLinks(text), (inlineParts) => ({
    links: inlineParts.map((link) => ({
      title: titleOf(link, text),
      href: link.href,
      bracketed: !withSpaces.has(link.href)
    })),
    rest: [
      ...inlineParts.map(({ start }, index) => text.slice(inlineParts[index - 1]?.end, start)),
      text.slice(inlineParts.at(-1)?.end)
    ]
      .join(" ")
      .trim()
  }))

const addProse = (written: string, { links, rest }: Found, where: Where, findings: Findings): void => {
  const target = rest
    .split(/[\s,;]+/)
    .find((word) => looksLikeTarget.test(word))
    ?.replace(/^[`"'(]+|[`"').:]+$/g, "")
  addIssue(findings, "references-prose", where, {
    what:
      links.length === 0
        ? "The field has text but no link."
        : `The field has text beside its links: "${excerpt(rest)}".`,
    how:
      target === undefined
        ? "Write markdown links only, such as [main.ts](src/main.ts), or leave the field out."
        : `Write each reference as a markdown link, such as [${target.split("/").at(-1) ?? target}](${target}).`,
    quote: written
  })
}

/** The title for a path without a label: its file name. */
const bareTitle = (href: string): string => (bareTarget.test(href) ? href : (href.split("/").at(-1) ?? href))

const readLinks = (written: string, where: Where, findings: Findings): ReadonlyArray<Candidate> => {
  if (written === "") return []
  if (noReferences.test(written)) {
    addRepair(findings, "references-none", where, `Read "${excerpt(written)}" as no references.`)
    return []
  }
  const strict = Option.getOrUndefined(parseLinks(written, new Set()))
  if (strict !== undefined && joint.test(strict.rest) && !/\[\*\*|\*\*\]/.test(written)) return strict.links
  const { isJoined, text, withSpaces } = joinLinks(written)
  const parsed = Option.getOrUndefined(parseLinks(text, withSpaces))
  if (parsed === undefined) {
    addIssue(findings, "field-too-large", where, {
      what: "The field is too large or too deeply nested to look for links in it."
    })
    return []
  }
  if (isJoined)
    addRepair(findings, "reference-form", where, "Joined the parts of a link that marks or blanks had split.")
  const { links, rest } = parsed
  if (joint.test(rest)) return links
  const words = rest.split(/[\s,;]+/).filter((word) => !joint.test(word))
  const targets = (leadWord.test(words[0] ?? "") ? words.slice(1) : words).map((word) =>
    bareTarget.test(word) ? word : word.replace(marksAround, "")
  )
  if (targets.length > 0 && targets.every((target) => bareTarget.test(target) || barePath.test(target))) {
    addRepair(findings, "reference-form", where, `Read ${targets.map((one) => `"${one}"`).join(", ")} as links.`)
    return [...links, ...targets.map((href) => ({ title: bareTitle(href), href, bracketed: true }))]
  }
  if (links.length > 0 && !looksLikeTarget.test(rest)) {
    addRepair(findings, "references-text", where, `Ignored the text beside the links: "${excerpt(rest)}".`)
  } else {
    addProse(written, parsed, where, findings)
  }
  return links
}

/** The references in a text. Records findings about them. */
export const readLinkText = (
  text: string,
  where: Where,
  resolve: ResolveResult,
  findings: Findings
): ReadonlyArray<Reference> =>
  readLinks(text, where, findings).map(({ bracketed, href, title: label }) => {
    const title = label === "" ? href : label
    if (title !== label)
      addRepair(findings, "reference-form", where, `Labelled the link to "${title}" with its target.`)
    const form = readReference(title, href, bracketed)
    switch (form._tag) {
      case "Wrong":
        addIssue(findings, form.code, where, { what: form.what, how: form.how, quote: `[${title}](${href})` })
        return form.reference
      case "Plain":
        if (form.repair !== undefined) addRepair(findings, "reference-target", where, form.repair)
        return form.reference
      case "Result":
        return resolve(form, where) ?? { kind: "unknown", title, href: form.href, target: form.name }
    }
  })

/** A task whose result other tasks can use. `step` is absent for a finished task. */
interface Producer {
  readonly name: string
  readonly slug: string
  /** Another slug that means this task. Absent if it could also mean another task. */
  readonly also?: string
  readonly step?: number
  readonly section?: string
}

/** Indexes new and finished tasks by their names and slugs. */
export const indexProducers = (producers: ReadonlyArray<Producer>) => {
  const exact = new Map(producers.map((producer) => [producer.slug, producer] as const))
  const forgiving = Map.groupBy(exact.values(), ({ slug }) => forgivingSlug(slug))
  const named = producers.filter(({ also }) => also !== undefined)
  const byOtherName = Map.groupBy(named, ({ also = "" }) => forgivingSlug(also))
  /** Finds the task with exactly this name or slug, or else the only task with a similar slug. */
  const find = (name: string): Producer | undefined => {
    const slug = slugOf(name)
    const similar = forgiving.get(forgivingSlug(slug)) ?? byOtherName.get(forgivingSlug(slug)) ?? []
    return exact.get(slug) ?? (similar.length === 1 ? similar[0] : undefined)
  }
  /** The tasks whose results a task in this step may use: finished tasks, and tasks of earlier steps. */
  const before = (step: number): ReadonlyArray<string> =>
    producers.filter((one) => one.step === undefined || one.step < step).map(({ name }) => name)
  return { before, find }
}

/**
 * Makes a function that resolves the references of one task. They may lead to results of finished tasks, to results of
 * tasks in earlier sections, or to headings. `headings` are the anchors of the request document; if undefined, any
 * anchor may be a heading. An anchor that is neither a result nor a heading is an issue.
 */
export const resolveInList =
  (
    self: Producer & { readonly step: number },
    { before, find }: ReturnType<typeof indexProducers>,
    headings: ReadonlyArray<string> | undefined,
    findings: Findings
  ): ResolveResult =>
  ({ certain, href, name, title }, where) => {
    const quote = `[${title}](${href})`
    const producer = find(name)
    if (producer === undefined) {
      const anchor = forgivingSlug(slugOf(`${name}-results`))
      const isHeading = headings?.some((heading) => forgivingSlug(heading) === anchor) ?? true
      if (!certain && isHeading) return { kind: "anchor", title, href, target: slugOf(href.slice(1)) }
      const near = nearest(name, before(self.step)).map((other) => `#${slugOf(other)}-results`)
      addIssue(findings, "reference-task-unknown", where, {
        what: `The reference "${href}" names the result of a task that is not in the list.`,
        how: near.length === 0 ? undefined : `Use one of: ${near.join(", ")}.`,
        quote
      })
      return undefined
    }
    if (producer.slug === self.slug) {
      const what = `The task "${self.name}" refers to its own result.`
      addIssue(findings, "reference-self", where, { what, quote })
    } else if (producer.step !== undefined && producer.step >= self.step) {
      addIssue(findings, "reference-order", where, {
        what: `The task "${self.name}" needs the result of "${producer.name}", which is in ${producer.step === self.step ? "the same" : "a later"} section ("${producer.section ?? ""}").`,
        how: `Move "${self.name}" into a section after the one of "${producer.name}".`,
        quote
      })
    }
    const canonical = `#${producer.slug}-results`
    if (href !== canonical) addRepair(findings, "reference-target", where, `Read "${href}" as "${canonical}".`)
    return { kind: "task_result", title, href: canonical, target: producer.slug }
  }

const hints = {
  needed: "say what the task has to find out or do",
  skill: "name one skill of the catalogue",
  expected: "say what the result must contain"
}

const checkRequired = (raw: RawTask, place: TaskPlace, findings: Findings): void => {
  for (const key of requiredFields) {
    const label = fieldLabels[key]
    const text = textOf(raw, key)
    if (!raw.fields.has(key)) {
      addIssue(findings, "field-missing", placeOf(raw, place, key), {
        what: `The task "${place.task}" has no field "${label}".`,
        how: `Add "- **${label}** ..." and ${hints[key]}.`
      })
    } else if (text === "" || isPlaceholder(text)) {
      addIssue(findings, "field-empty", placeOf(raw, place, key), {
        what: `The field "${label}" of the task "${place.task}" is empty.`,
        how: `After "**${label}**" ${hints[key]}.`
      })
    }
  }
}

/** Records an issue if the field "Skill" names several skills, on one line or as a list. */
const checkSkill = (raw: RawTask, place: TaskPlace, findings: Findings): void => {
  const field = raw.fields.get("skill")
  if (field === undefined || field.first.startsWith("\\")) return
  const lines = textOf(raw, "skill")
    .split("\n")
    .filter((line) => line !== "")
  const items = lines.flatMap((line) => /^[-*+]\s+(.+)$/.exec(line)?.[1] ?? [])
  if (!namesSeveralSkills(lines[0] ?? "") && !namesSeveralSkills(items.join(","))) return
  addIssue(findings, "skill-several", placeOf(raw, place, "skill"), {
    what: `The task "${place.task}" names more than one skill.`,
    quote: lines.join("\n")
  })
}

const readLabels = Object.values(fieldLabels).filter((label) => label !== fieldLabels.output)

const checkFault = (
  { kind, label, line, quote }: LabelFault,
  { section, task }: TaskPlace,
  findings: Findings
): void => {
  const isTwice = kind === "duplicate"
  addIssue(
    findings,
    isTwice ? "field-duplicate" : "field-unknown",
    { section, task, field: label, line },
    {
      what: `The task "${task}" has ${isTwice ? `the field "${label}" twice` : `a field "${label}", which does not exist`}.`,
      how: isTwice
        ? undefined
        : `Use only these fields: ${readLabels.join(", ")}. Put other text into "What is needed".`,
      quote
    }
  )
}

/** Reads a task, and records findings about its fields. Undefined if a required text is empty. */
export const readNewTask = (
  { name, notes, raw, section }: Pick<NamedTask, "name" | "notes" | "raw" | "section">,
  resolve: ResolveResult,
  findings: Findings
): Task | undefined => {
  const place = { section, task: name }
  const skill = givenSkill(raw)
  addNotes([...notes, ...raw.notes, ...skill.notes], place, findings)
  checkRequired(raw, place, findings)
  checkSkill(raw, place, findings)
  for (const fault of raw.faults) checkFault(fault, place, findings)
  if (raw.fields.has("output"))
    addIssue(findings, "output-in-new-task", placeOf(raw, place, "output"), {
      what: `The task "${name}" has a field "Output", but it has not run yet.`,
      quote: textOf(raw, "output")
    })
  const forEach = raw.fields.has("each")
    ? readForEach(textOf(raw, "each"), placeOf(raw, place, "each"), resolve, findings)
    : undefined
  const values = {
    name,
    whatIsNeeded: textOf(raw, "needed"),
    ...(forEach === undefined ? {} : { forEach }),
    skill: skill.value,
    references: readLinkText(textOf(raw, "references"), placeOf(raw, place, "references"), resolve, findings),
    expectedOutput: textOf(raw, "expected"),
    requiresApproval: approvalOf(raw, place, findings),
    codeBlocks: raw.codeBlocks
  }
  const isWhole = values.whatIsNeeded !== "" && values.skill !== "" && values.expectedOutput !== ""
  return isWhole ? new Task(values) : undefined
}
