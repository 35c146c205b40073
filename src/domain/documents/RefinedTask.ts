/**
 * Merges the task of a refinement into the planned one: texts and references are updated, name, skill and approval stay.
 */
import type { Where } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { MarkdownSection } from "../markdown/Markdown.ts"
import type { AnchorReference, Reference } from "../plan/Reference.ts"
import { Task } from "../plan/Task.ts"
import type { RawTask } from "../grammar/RawTask.ts"
import { checkFields } from "../grammar/TaskChecks.ts"
import { fieldLabels } from "../grammar/TaskFields.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import { defaultName } from "../grammar/TaskNaming.ts"
import { addNotes, approvalOf, givenName, givenSkill, type TaskPlace, textOf } from "../grammar/FieldValues.ts"
import { readReferences, type ResolveResult } from "../grammar/TaskReferences.ts"

const answers = (target: string, sought: string): boolean => forgivingSlug(target) === forgivingSlug(sought)

/** By form: `#x-results` is the result of a task unless the plan used it as a heading. */
const resolveByForm =
  (planned: Task | undefined, findings: Findings): ResolveResult =>
  ({ certain, href, name, title }, where) => {
    const slug = slugOf(name)
    const heading = planned?.references.find(
      (one): one is AnchorReference => one.kind === "anchor" && answers(one.target, `${slug}-results`)
    )
    if (heading !== undefined && !certain) return { kind: "anchor", title, href, target: heading.target }
    const known = planned?.references.find((one) => one.kind === "task_result" && answers(one.target, slug))
    const target = known?.target ?? slug
    const canonical = `#${target}-results`
    if (href !== canonical) addRepair(findings, "reference-target", where, `Read "${href}" as "${canonical}".`)
    return { kind: "task_result", title, href: canonical, target }
  }

const keepPlan = (raw: RawTask, planned: Task, place: TaskPlace, findings: Findings): Task => {
  const where = (key: "name" | "skill" | "approval"): Where => ({
    ...place,
    field: fieldLabels[key],
    line: raw.fields.get(key)?.line ?? raw.line
  })
  const { value: name } = givenName(raw)
  if (name !== "" && name !== planned.name)
    addRepair(findings, "name-kept", where("name"), `Kept the name "${planned.name}" instead of "${name}".`)
  const { notes, value: skill } = givenSkill(raw)
  addNotes([...raw.notes, ...notes], place, findings)
  if (skill !== "" && skill !== planned.skill)
    addRepair(findings, "skill-kept", where("skill"), `Kept the skill "${planned.skill}" instead of "${skill}".`)
  const asks = approvalOf(raw, place, findings)
  if (planned.requiresApproval && !asks && raw.fields.has("approval")) {
    addRepair(findings, "approval-kept", where("approval"), "Kept the approval that the plan asks for.")
  }
  const text = (key: "needed" | "expected", kept: string): string => {
    const written = textOf(raw, key)
    if (written !== "") return written
    addRepair(
      findings,
      "field-kept",
      { ...place, field: fieldLabels[key], line: raw.line },
      `Kept "${fieldLabels[key]}" as planned.`
    )
    return kept
  }
  const references: ReadonlyArray<Reference> = raw.fields.has("references")
    ? readReferences(raw, place, resolveByForm(planned, findings), findings)
    : planned.references
  return new Task({
    name: planned.name,
    skill: planned.skill,
    whatIsNeeded: text("needed", planned.whatIsNeeded),
    references,
    expectedOutput: text("expected", planned.expectedOutput),
    requiresApproval: planned.requiresApproval || asks,
    codeBlocks: raw.codeBlocks.length > 0 ? raw.codeBlocks : planned.codeBlocks
  })
}

const readWhole = (raw: RawTask, section: string, findings: Findings): Task | undefined => {
  const given = givenName(raw)
  const { notes, value: skill } = givenSkill(raw)
  const name = given.value === "" ? defaultName(skill, 1) : given.value
  const place = { section, task: name }
  addNotes([...given.notes, ...raw.notes, ...notes], place, findings)
  checkFields(raw, place, findings)
  const whatIsNeeded = textOf(raw, "needed")
  const expectedOutput = textOf(raw, "expected")
  const references = readReferences(raw, place, resolveByForm(undefined, findings), findings)
  const requiresApproval = approvalOf(raw, place, findings)
  if (whatIsNeeded === "" || skill === "" || expectedOutput === "") return undefined
  return new Task({
    name,
    whatIsNeeded,
    skill,
    references,
    expectedOutput,
    requiresApproval,
    codeBlocks: raw.codeBlocks
  })
}

/** The task of a refinement; nothing when neither the document nor the plan gives one. */
export const readRefinedTask = (
  tasks: ReadonlyArray<RawTask>,
  section: MarkdownSection | undefined,
  planned: Task | undefined,
  findings: Findings
): Task | undefined => {
  const [raw, second] = tasks
  const heading = section?.heading ?? "Task"
  const task = planned === undefined ? {} : { task: planned.name }
  if (second !== undefined) {
    addIssue(
      findings,
      "task-several",
      { section: heading, ...task, line: second.line },
      {
        what: `There are ${tasks.length} tasks under "${heading}".`
      }
    )
  }
  if (raw !== undefined) {
    const place = { section: heading, task: planned?.name ?? "" }
    return planned === undefined ? readWhole(raw, heading, findings) : keepPlan(raw, planned, place, findings)
  }
  if (planned !== undefined) {
    addRepair(
      findings,
      "task-kept",
      { section: heading, ...task },
      "Kept the task as planned: the answer does not repeat it."
    )
    return planned
  }
  if (section !== undefined) {
    addIssue(
      findings,
      "section-empty",
      { section: heading, line: section.line },
      {
        what: `There is no task under "${heading}".`,
        how: 'Write the fields of the task: "- **What is needed** ...", "- **Skill** ...", "- **Expected output** ...".'
      }
    )
  }
  return undefined
}
