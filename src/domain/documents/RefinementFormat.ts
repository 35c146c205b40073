/**
 * Reads the report of a task. The report may have these sections:
 * - `## Task`: the fields of the task. Its texts and references replace those of the planned task. Name, skill and
 *   approval stay as the plan has them.
 * - `## Added references`: links that are added to the task.
 * - `## Inputs`: the typed inputs of the skill.
 * - `## Look first` and `## Tool Calls`: calls.
 */
import * as Arr from "effect/Array"
import {
  type Reading,
  type Where,
  addIssue,
  addRepair,
  type Findings,
  inDocumentOrder,
  type RepairCode
} from "../findings/Issue.ts"
import { DocumentReader, refuseOthers } from "../grammar/DocumentReader.ts"
import {
  addNotes,
  approvalOf,
  defaultName,
  givenName,
  givenSkill,
  isAsGiven,
  placeOf,
  type TaskPlace,
  textOf
} from "../grammar/FieldValues.ts"
import type { RawTask } from "../grammar/RawTask.ts"
import { readLinkText, readNewTask } from "../grammar/NewTask.ts"
import type { ResolveResult } from "../grammar/ReferenceForm.ts"
import { collectTasks } from "../grammar/TaskParser.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import type { MarkdownSection } from "../markdown/Sections.ts"
import { type KnownHeadings, turnHeadings } from "../markdown/MarkdownHeadings.ts"
import { type FieldKey, fieldLabels } from "../markdown/TaskFields.ts"
import type { Reference } from "../plan/Reference.ts"
import { Task } from "../plan/Task.ts"
import type { SkillInput } from "../skills/Skill.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import { plainUid, numberCalls } from "../tools/ToolCallFormat.ts"
import type { ToolCall } from "../tools/ToolCall.ts"
import { readNative } from "../tools/native/NativeCalls.ts"
import { holdsCall, mentionsCall } from "../tools/ToolCallTraces.ts"
import { callsAlone, checkMisplacedCalls, checkTornCalls, placedInAnswer, readCalls } from "./RefinementCalls.ts"
import { readInputs } from "./InputFormat.ts"
import type { InputValue, TaskOutcome } from "./TaskOutcome.ts"

const targetOf = (references: ReadonlyArray<Reference>, kind: Reference["kind"], wanted: string) =>
  references.find((one) => one.kind === kind && forgivingSlug(one.target) === forgivingSlug(wanted))?.target

/** Reads `#x-results` as the result of a task, unless the plan has a heading with this anchor. */
const resolveByForm =
  (planned: ReadonlyArray<Reference>, findings: Findings): ResolveResult =>
  ({ certain, href, name, title }, where) => {
    const slug = slugOf(name)
    const heading = certain ? undefined : targetOf(planned, "anchor", `${slug}-results`)
    if (heading !== undefined) return { kind: "anchor", title, href, target: heading }
    const target = targetOf(planned, "task_result", slug) ?? slug
    const canonical = `#${target}-results`
    if (href !== canonical) addRepair(findings, "reference-target", where, `Read "${href}" as "${canonical}".`)
    return { kind: "task_result", title, href: canonical, target }
  }

/** Removes references of a task to its own result, which does not exist yet. */
const withoutOwn = (references: ReadonlyArray<Reference>, own: string, where: Where, findings: Findings) =>
  references.filter(({ kind, target }) => {
    const isOwn = kind === "task_result" && target === own
    if (isOwn) addRepair(findings, "reference-own-dropped", where, "Left out the reference to the task's own result.")
    return !isOwn
  })

/**
 * Records an issue for a reference of the task to its own result. Only for a document without a planned task, because
 * `withoutOwn` removes the reference of a planned task.
 */
const refuseOwn =
  (resolve: ResolveResult, task: string, findings: Findings): ResolveResult =>
  (form, where) => {
    const reference = resolve(form, where)
    if (reference?.kind !== "task_result" || reference.target !== slugOf(task)) return reference
    const what = `The task "${task}" refers to its own result.`
    addIssue(findings, "reference-self", where, { what, quote: `[${form.title}](${form.href})` })
    return undefined
  }

const isSameTarget = (one: Reference, other: Reference): boolean =>
  one.kind === other.kind && one.target === other.target

const quoted = (references: ReadonlyArray<Reference>): string => references.map(({ href }) => `"${href}"`).join(", ")

/**
 * The references of a task after its report. References in the report replace the planned references. If the report
 * lists none, the planned references stay.
 */
const listedReferences = (
  raw: RawTask,
  place: TaskPlace,
  planned: ReadonlyArray<Reference>,
  findings: Findings
): ReadonlyArray<Reference> => {
  if (!raw.fields.has("references") || isAsGiven(textOf(raw, "references"))) return planned
  const where = placeOf(raw, place, "references")
  const read = readLinkText(textOf(raw, "references"), where, resolveByForm(planned, findings), findings)
  const listed = withoutOwn(read, slugOf(place.task), where, findings)
  const lost = planned.filter((one) => !listed.some((other) => isSameTarget(one, other)))
  if (lost.length === 0) return listed
  if (listed.length === 0) {
    addRepair(findings, "references-kept", where, `Kept the references that the plan gives: ${quoted(lost)}.`)
    return planned
  }
  const message = `Left out ${quoted(lost)}, which the plan gives: the answer lists ${quoted(listed)} in its place.`
  addRepair(findings, "reference-dropped", where, message)
  return listed
}

const isNarrowed = (reference: Reference): boolean =>
  reference.kind === "file" && (reference.heading !== undefined || reference.lines !== undefined)

/** True if the added reference is a part of a file that the plan references whole. */
const isNarrower = (added: Reference, planned: Reference): boolean =>
  isSameTarget(added, planned) && isNarrowed(added) && !isNarrowed(planned)

/** Adds the links under `## Added references` to the task. */
const addReferences = (reader: DocumentReader, task: Task): Task => {
  const section = reader.section("references")
  if (section === undefined) return task
  const { findings } = reader
  const where = { section: section.heading, task: task.name, field: "References", line: section.line }
  const text = reader.sourceOf(section)
  if (text === "" || isAsGiven(text)) return task
  const read = readLinkText(text, where, resolveByForm(task.references, findings), findings)
  const links = withoutOwn(read, task.slug, where, findings)
  const replaced = task.references.filter((one) => links.some((link) => isNarrower(link, one)))
  if (replaced.length > 0) {
    const message = `Took parts in place of ${quoted(replaced)}, which the plan gives whole.`
    addRepair(findings, "reference-dropped", where, message)
  }
  const kept = task.references.filter((one) => !replaced.includes(one))
  const added = links.filter(({ href }) => !kept.some((one) => one.href === href))
  return new Task({ ...task, references: [...kept, ...added] })
}

/** A report as the model wrote it. `looks` are calls whose outputs the model wants to see first. */
export interface RefinementDocument extends Omit<TaskOutcome, "priorCalls" | "result"> {
  readonly looks?: Arr.NonEmptyReadonlyArray<ToolCall>
}

/** The field `inputs` of a report; absent if there are none. */
export const inputsField = (inputs: ReadonlyArray<InputValue>): Pick<TaskOutcome, "inputs"> =>
  Arr.isReadonlyArrayNonEmpty(inputs) ? { inputs } : {}

/** The field `looks` of a report; absent if there are none. */
export const looksField = (looks: ReadonlyArray<ToolCall>): Pick<RefinementDocument, "looks"> =>
  Arr.isReadonlyArrayNonEmpty(looks) ? { looks } : {}

interface RefinementOptions {
  /** The planned task. If absent, the document must contain a whole task. */
  readonly task?: Task | undefined
  /** The typed inputs of the skill. If absent, every value is read as text. */
  readonly inputs?: ReadonlyArray<SkillInput> | undefined
  /** Inputs of an earlier attempt, used for inputs that the document leaves out. */
  readonly kept?: ReadonlyArray<InputValue>
}

/** For skills without inputs, "Inputs" is an ordinary heading. */
const headingsWithoutInputs: KnownHeadings = (heading) => {
  const found = turnHeadings(heading)
  return found?.key === "inputs" ? undefined : found
}

/** The planned task, with the texts and references that the document gives. */
const mergeTask = (raw: RawTask, planned: Task, section: string, findings: Findings): Task => {
  const place = { section, task: planned.name }
  const repair = (code: RepairCode, key: FieldKey, message: string): void =>
    addRepair(findings, code, placeOf(raw, place, key), message)
  const name = givenName(raw).value
  if (name !== "" && name !== planned.name && !isAsGiven(name))
    repair("name-kept", "name", `Kept the name "${planned.name}" instead of "${name}".`)
  const { notes, value: skill } = givenSkill(raw)
  addNotes([...raw.notes, ...notes], place, findings)
  if (skill !== "" && skill !== planned.skill && !isAsGiven(skill))
    repair("skill-kept", "skill", `Kept the skill "${planned.skill}" instead of "${skill}".`)
  const asks = approvalOf(raw, place, findings)
  if (planned.requiresApproval && !asks && raw.fields.has("approval"))
    repair("approval-kept", "approval", "Kept the approval that the plan asks for.")
  const text = (key: "needed" | "expected", kept: string): string => {
    const given = textOf(raw, key)
    const written = isAsGiven(given) ? "" : given
    const where = { ...placeOf(raw, place, key), line: raw.line }
    if (written === "") addRepair(findings, "field-kept", where, `Kept "${fieldLabels[key]}" as planned.`)
    return written === "" ? kept : written
  }
  return new Task({
    name: planned.name,
    skill: planned.skill,
    whatIsNeeded: text("needed", planned.whatIsNeeded),
    ...(planned.forEach === undefined ? {} : { forEach: planned.forEach }),
    references: listedReferences(raw, place, planned.references, findings),
    expectedOutput: text("expected", planned.expectedOutput),
    requiresApproval: planned.requiresApproval || asks,
    codeBlocks: raw.codeBlocks.length > 0 ? raw.codeBlocks : planned.codeBlocks
  })
}

/** The task of a report. Undefined if neither the document nor the plan has a task. */
const readTask = (
  reader: DocumentReader,
  section: MarkdownSection | undefined,
  planned: Task | undefined
): Task | undefined => {
  const { findings } = reader
  const heading = section?.heading ?? "Task"
  const where = { section: heading, ...(planned === undefined ? {} : { task: planned.name }) }
  const tasks = collectTasks(reader.linesOf(section), heading, findings)
  const [raw, second] = tasks
  if (second !== undefined) {
    const what = `There are ${tasks.length} tasks under "${heading}".`
    reader.issue("task-several", { ...where, line: second.line }, what)
  }
  if (raw !== undefined) {
    if (planned !== undefined) return mergeTask(raw, planned, heading, findings)
    const { notes, value } = givenName(raw)
    const name = value === "" ? defaultName(givenSkill(raw).value, 1) : value
    const resolve = resolveByForm([], findings)
    return readNewTask({ raw, name, notes, section: heading }, refuseOwn(resolve, name, findings), findings)
  }
  if (section === undefined) return planned
  if (planned !== undefined) {
    reader.repair("task-kept", { ...where, line: section.line }, "Kept the task as planned: the section is empty.")
  } else {
    const how =
      'Write the fields of the task: "- **What is needed** ...", "- **Skill** ...", "- **Expected output** ...".'
    reader.issue("section-empty", { ...where, line: section.line }, `There is no task under "${heading}".`, { how })
  }
  return planned
}

/** Only these repairs of the text around a report are shown. */
const around: ReadonlySet<string> = new Set(["byte-order-mark", "line-endings", "fence-unwrapped", "thinking-removed"])

/** Reads a report. Returns a value if the task could be built, even if calls have issues. */
export const readTaskReport = (written: string, options: RefinementOptions = {}): Reading<RefinementDocument> => {
  const clean = readMarkdown(written, { knownHeadings: turnHeadings, hasFields: true })
  const native = readNative(clean.text)
  if (native.text === clean.text) return readTaskReportText(written, options)
  const { issues, repairs, value } = readTaskReportText(native.text, options)
  // An unreadable call already explains why a section is missing.
  const others = native.issues.length === 0 ? issues : issues.filter(({ code }) => code !== "section-missing")
  const removed = clean.repairs.filter(({ code }) => around.has(code))
  const lines = written.split(/\r\n|\n|\r/).length
  /*
   * `readNative` may add a line before a call, so the rewritten text may be longer than the answer. A line number
   * beyond the end of the answer becomes its last line.
   */
  const placed = <A extends { readonly where: Where }>(one: A): A =>
    (one.where.line ?? 0) <= lines ? one : { ...one, where: { ...one.where, line: lines } }
  return {
    value,
    ...inDocumentOrder({
      issues: [...native.issues, ...others].map(placed),
      repairs: [...removed, ...native.repairs, ...repairs].map(placed)
    })
  }
}

/** Reads a report whose calls `readNative` has already rewritten. */
export const readTaskReportText = (text: string, options: RefinementOptions): Reading<RefinementDocument> => {
  const { inputs, kept = [], task: planned } = options
  const hasInputs = inputs?.length !== 0
  const knownHeadings = hasInputs ? turnHeadings : headingsWithoutInputs
  const reader = new DocumentReader(text, { knownHeadings, hasFields: true })
  const { findings } = reader
  if (findings.issues.length > 0) return reader.reading()
  const alone = planned === undefined ? undefined : callsAlone(reader.document)
  if (alone !== undefined) {
    reader.repair("tool-calls-alone", { section: "Tool Calls" }, 'Read the answer as the section "Tool Calls".')
    const { issues, repairs, value } = readTaskReportText(alone, options)
    return { value, issues: placedInAnswer(issues), repairs: [...findings.repairs, ...placedInAnswer(repairs)] }
  }
  const taskSection = reader.section("task")
  const readPassSection = reader.section("look-first")
  const callsSection = reader.section("tool-calls")
  for (const section of [callsSection, readPassSection])
    refuseOthers(reader, section, (text) => holdsCall(text) || mentionsCall(text))
  reader.checkFences()
  if (taskSection === undefined && callsSection === undefined && readPassSection === undefined) {
    reader.addMissing("Tool Calls")
  }
  if (taskSection === undefined && planned === undefined) reader.addMissing("Task")
  const written = readTask(reader, taskSection, planned)
  const task = written && addReferences(reader, written)
  const inputsSection = hasInputs ? reader.section("inputs") : undefined
  const where = {
    section: inputsSection?.heading ?? "Inputs",
    ...(planned === undefined ? {} : { task: planned.name })
  }
  const values = readInputs(reader.linesOf(inputsSection), where, inputs, kept, findings)
  checkTornCalls(reader)
  checkMisplacedCalls(reader, taskSection, callsSection ?? readPassSection)
  const callsUnder = (section: MarkdownSection | undefined) => {
    const written = section === undefined ? [] : readCalls(section, reader.linesOf(section), findings)
    // In later turns, the program puts a prefix before the ids of calls. A model may copy the prefix.
    const plain = written.map((call) => Object.assign(call, { uid: plainUid(call.uid) }))
    return numberCalls(plain, findings)
  }
  const looks = callsUnder(readPassSection)
  const calls = callsUnder(callsSection)
  return reader.reading(task === undefined ? undefined : { task, ...inputsField(values), ...looksField(looks), calls })
}
