/**
 * Builds a task from its raw form and checks what every task must and must not contain.
 */
import { addIssue, type Findings } from "../findings/IssueCode.ts"
import type { LinkReader } from "../markdown/MarkdownTree.ts"
import { fieldLabels, requiredFields } from "../markdown/TaskFields.ts"
import { Task } from "../plan/Task.ts"
import { addNotes, approvalOf, givenSkill, type NamedTask, placeOf, type TaskPlace, textOf } from "./FieldValues.ts"
import { isPlaceholder } from "./Placeholder.ts"
import type { LabelFault, RawTask } from "./RawTask.ts"
import { readReferences, type ResolveResult } from "./TaskReferences.ts"
import { namesSeveralSkills } from "./TextEscaping.ts"

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

/** Several skills may stand on one line or on a line each. */
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

const known = Object.values(fieldLabels).filter((label) => label !== fieldLabels.output)

const checkFault = ({ kind, label, line, quote }: LabelFault, place: TaskPlace, findings: Findings): void => {
  const where = { ...place, field: label, line }
  if (kind === "duplicate") {
    addIssue(findings, "field-duplicate", where, {
      what: `The task "${place.task}" has the field "${label}" twice.`,
      quote
    })
    return
  }
  addIssue(findings, "field-unknown", where, {
    what: `The task "${place.task}" has a field "${label}", which does not exist.`,
    how: `Use only these fields: ${known.join(", ")}. Put other text into "What is needed".`,
    quote
  })
}

const checkOutput = (raw: RawTask, place: TaskPlace, findings: Findings): void => {
  if (!raw.fields.has("output")) return
  addIssue(findings, "output-in-new-task", placeOf(raw, place, "output"), {
    what: `The task "${place.task}" has a field "Output", but it has not run yet.`,
    quote: textOf(raw, "output")
  })
}

/** The task, with everything that is found about its fields; nothing when a text that it must have is empty. */
export const readNewTask = (
  { name, notes, raw, section }: Pick<NamedTask, "name" | "notes" | "raw" | "section">,
  resolve: ResolveResult,
  findings: Findings,
  findLinks?: LinkReader
): Task | undefined => {
  const place = { section, task: name }
  const skill = givenSkill(raw)
  addNotes([...notes, ...raw.notes, ...skill.notes], place, findings)
  checkRequired(raw, place, findings)
  checkSkill(raw, place, findings)
  for (const fault of raw.faults) checkFault(fault, place, findings)
  checkOutput(raw, place, findings)
  const values = {
    name,
    whatIsNeeded: textOf(raw, "needed"),
    skill: skill.value,
    references: readReferences(raw, place, resolve, findings, findLinks),
    expectedOutput: textOf(raw, "expected"),
    requiresApproval: approvalOf(raw, place, findings),
    codeBlocks: raw.codeBlocks
  }
  const isWhole = values.whatIsNeeded !== "" && values.skill !== "" && values.expectedOutput !== ""
  return isWhole ? new Task(values) : undefined
}
