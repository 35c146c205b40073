/**
 * The refinement document: `## Task` with the fields, `## Added references`, `## Inputs` with the typed inputs of the skill,
 * `## Look first` with reading calls whose outputs the model wants to see before it writes the calls, and `## Tool Calls`.
 * An answer of a model leaves out the task, which is known. A task that it repeats is merged into the planned one: texts
 * and references are updated; name, skill and approval stay as planned.
 */
import * as Arr from "effect/Array"
import type { Reading } from "../findings/Issue.ts"
import { addRepair, type Findings, type RepairCode } from "../findings/IssueCode.ts"
import { DocumentReader } from "../grammar/DocumentReader.ts"
import { addNotes, approvalOf, defaultName, givenName, givenSkill, placeOf, textOf } from "../grammar/FieldValues.ts"
import { isAsGiven } from "../grammar/Placeholder.ts"
import type { RawTask } from "../grammar/RawTask.ts"
import { refuseOthers } from "../grammar/SeveralLists.ts"
import { readNewTask } from "../grammar/TaskChecks.ts"
import { collectTasks } from "../grammar/TaskParser.ts"
import type { MarkdownSection } from "../markdown/Markdown.ts"
import { type KnownHeadings, refinementHeadings } from "../markdown/MarkdownHeadings.ts"
import { type FieldKey, fieldLabels } from "../markdown/TaskFields.ts"
import { Task } from "../plan/Task.ts"
import type { SkillInput } from "../skills/Skill.ts"
import { plainUid, numberCalls, type UnnumberedCall } from "../tools/ToolCallFormat.ts"
import type { ToolCall } from "../tools/ToolCall.ts"
import { holdsCall, mentionsCall } from "../tools/ToolCallTraces.ts"
import { readInputs } from "./InputFormat.ts"
import { callsAlone, placedInAnswer } from "./CallsAlone.ts"
import type { InputValue, Refinement } from "./Refinement.ts"
import { addReferences, listedReferences, refuseOwn, resolveByForm } from "./RefinedReferences.ts"
import { checkMisplacedCalls, checkTornCalls, readCalls } from "./RefinementCalls.ts"

/** A refinement as one answer has it: `looks` are calls that wait for their outputs. */
export interface RefinementDocument extends Omit<Refinement, "looks"> {
  readonly looks?: Arr.NonEmptyReadonlyArray<ToolCall>
}

/** The inputs as a field of a refinement; no field when there are none. */
export const inputsField = (inputs: ReadonlyArray<InputValue>): Pick<Refinement, "inputs"> =>
  Arr.isReadonlyArrayNonEmpty(inputs) ? { inputs } : {}

/** The calls under `## Look first` as a field of a document; no field when there are none. */
export const looksField = (looks: ReadonlyArray<ToolCall>): Pick<RefinementDocument, "looks"> =>
  Arr.isReadonlyArrayNonEmpty(looks) ? { looks } : {}

/** What the refinement is about; without it the document must hold a whole task. */
interface RefinementOptions {
  readonly task?: Task | undefined
  /** The typed inputs of the skill; without them every input is taken as text. */
  readonly inputs?: ReadonlyArray<SkillInput> | undefined
  /** Inputs of an earlier attempt, for those that the document leaves out. */
  readonly kept?: ReadonlyArray<InputValue>
}

/** Inputs are a part of the document only for skills that have them: elsewhere the word is an ordinary heading. */
const headingsWithoutInputs: KnownHeadings = (heading) => {
  const found = refinementHeadings(heading)
  return found?.key === "inputs" ? undefined : found
}

/** The planned task with what the document says about it. */
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
    references: listedReferences(raw, place, planned.references, findings),
    expectedOutput: text("expected", planned.expectedOutput),
    requiresApproval: planned.requiresApproval || asks,
    codeBlocks: raw.codeBlocks.length > 0 ? raw.codeBlocks : planned.codeBlocks
  })
}

/** The task of a refinement; nothing when neither the document nor the plan gives one. */
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

/** The uids of looks belong to the program; a model may have copied one. */
const withPlainUid = (call: UnnumberedCall): UnnumberedCall => ({ ...call, uid: plainUid(call.uid) })

const holdsOrMentionsCall = (text: string): boolean => holdsCall(text) || mentionsCall(text)

/** Reads a refinement. The value is present when the task could be built, also when calls have issues. */
export const readRefinement = (text: string, options: RefinementOptions = {}): Reading<RefinementDocument> => {
  const { inputs, kept = [], task: planned } = options
  const hasInputs = inputs?.length !== 0
  const knownHeadings = hasInputs ? refinementHeadings : headingsWithoutInputs
  const reader = new DocumentReader(text, { knownHeadings, hasFields: true })
  const { findings } = reader
  if (findings.issues.length > 0) return reader.reading()
  const alone = planned === undefined ? undefined : callsAlone(reader.document)
  if (alone !== undefined) {
    reader.repair("tool-calls-alone", { section: "Tool Calls" }, 'Read the answer as the section "Tool Calls".')
    const { issues, repairs, value } = readRefinement(alone, options)
    return { value, issues: placedInAnswer(issues), repairs: [...findings.repairs, ...placedInAnswer(repairs)] }
  }
  const taskSection = reader.section("task")
  const looksSection = reader.section("look-first")
  const callsSection = reader.section("tool-calls")
  for (const section of [callsSection, looksSection]) refuseOthers(reader, section, holdsOrMentionsCall)
  reader.checkFences()
  if (taskSection === undefined && callsSection === undefined && looksSection === undefined) {
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
  checkMisplacedCalls(reader, taskSection, callsSection ?? looksSection)
  const callsUnder = (section: MarkdownSection | undefined) => {
    const written = section === undefined ? [] : readCalls(section, reader.linesOf(section), findings)
    return numberCalls(written.map(withPlainUid), findings)
  }
  const looks = callsUnder(looksSection)
  const calls = callsUnder(callsSection)
  return reader.reading(task === undefined ? undefined : { task, ...inputsField(values), ...looksField(looks), calls })
}
