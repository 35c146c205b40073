/**
 * What every task must hold and must not hold, whatever its fields say.
 */
import { addIssue, type Findings } from "../findings/IssueCode.ts"
import type { LabelFault, RawTask } from "./RawTask.ts"
import { fieldLabels, requiredFields } from "./TaskFields.ts"
import { type TaskPlace, textOf } from "./FieldValues.ts"
import { isPlaceholder, namesSeveralSkills } from "./TextEscaping.ts"

const hints: Readonly<Record<(typeof requiredFields)[number], string>> = {
  needed: "say what the task has to find out or do",
  skill: "name one skill of the catalogue",
  expected: "say what the result must contain"
}

const checkRequired = (raw: RawTask, place: TaskPlace, findings: Findings): void => {
  for (const key of requiredFields) {
    const field = raw.fields.get(key)
    const label = fieldLabels[key]
    if (field === undefined) {
      addIssue(
        findings,
        "field-missing",
        { ...place, field: label, line: raw.line },
        {
          what: `The task "${place.task}" has no field "${label}".`,
          how: `Add "- **${label}** ..." and ${hints[key]}.`
        }
      )
    } else if (textOf(raw, key) === "" || isPlaceholder(textOf(raw, key))) {
      addIssue(
        findings,
        "field-empty",
        { ...place, field: label, line: field.line },
        {
          what: `The field "${label}" of the task "${place.task}" is empty.`,
          how: `After "**${label}**" ${hints[key]}.`
        }
      )
    }
  }
}

/** One skill a line, or several on one. */
const checkSkill = (raw: RawTask, place: TaskPlace, findings: Findings): void => {
  const field = raw.fields.get("skill")
  if (field === undefined || field.first.startsWith("\\")) return
  const lines = textOf(raw, "skill")
    .split("\n")
    .filter((line) => line !== "")
  const items = lines.flatMap((line) => /^[-*+]\s+(.+)$/.exec(line)?.[1] ?? [])
  if (!namesSeveralSkills(lines[0] ?? "") && !namesSeveralSkills(items.join(","))) return
  addIssue(
    findings,
    "skill-several",
    { ...place, field: fieldLabels.skill, line: field.line },
    {
      what: `The task "${place.task}" names more than one skill.`,
      quote: lines.join("\n")
    }
  )
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
  const output = raw.fields.get("output")
  if (output === undefined) return
  addIssue(
    findings,
    "output-in-new-task",
    { ...place, field: fieldLabels.output, line: output.line },
    {
      what: `The task "${place.task}" has a field "Output", but it has not run yet.`,
      quote: textOf(raw, "output")
    }
  )
}

/** Records fields that are missing, empty, unknown, given twice, or not for a new task. */
export const checkFields = (raw: RawTask, place: TaskPlace, findings: Findings): void => {
  checkRequired(raw, place, findings)
  checkSkill(raw, place, findings)
  for (const fault of raw.faults) checkFault(fault, place, findings)
  checkOutput(raw, place, findings)
}
