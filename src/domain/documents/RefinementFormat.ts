/**
 * The refinement document: `## Task` with the fields again, `## Inputs` with the typed inputs of the skill, and
 * `## Tool Calls` with one JSON object per fence. What the
 * plan decided (name, skill, approval) stays as it is.
 */
import * as Option from "effect/Option"
import { addMissingSection, checkStrayFences, landmarkEnd, lastSection } from "../grammar/DocumentSections.ts"
import type { Reading, Where } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings, inDocumentOrder } from "../findings/IssueCode.ts"
import { readInputs } from "./InputFormat.ts"
import type { InputValue } from "./InputValue.ts"
import { scanJson } from "../text/JsonScan.ts"
import { type KnownHeadings, refinementHeadings } from "../markdown/KnownHeadings.ts"
import { checkMisplacedCalls } from "./MisplacedCalls.ts"
import { type MarkdownDocument, type MarkdownSection, readMarkdown } from "../markdown/Markdown.ts"
import { inputsField, Refinement } from "./Refinement.ts"
import { excerpt } from "../grammar/RawTask.ts"
import { readRefinedTask } from "./RefinedTask.ts"
import type { SkillInput } from "../skills/SkillInput.ts"
import type { Task } from "../plan/Task.ts"
import { collectTasks } from "../grammar/TaskParser.ts"
import { isField } from "../grammar/TaskFields.ts"
import { classifyLines } from "../grammar/TaskLines.ts"
import { numberCalls, readCallBlock, type UnnumberedCall } from "../tools/ToolCallFormat.ts"
import { mentionsCall } from "../tools/ToolCallTraces.ts"

/** What the refinement is about; without it the document must hold a whole task. */
export interface RefinementOptions {
  readonly task?: Task
  /** The typed inputs of the skill; without them every input is taken as text. */
  readonly inputs?: ReadonlyArray<SkillInput>
  /** Inputs of an earlier attempt, for those that the document leaves out. */
  readonly kept?: ReadonlyArray<InputValue>
}

/** Inputs are a part of the document only for skills that have them: elsewhere the word is as good as any other. */
const landmarksFor = ({ inputs }: RefinementOptions): KnownHeadings =>
  inputs?.length === 0
    ? (heading) => {
        const landmark = refinementHeadings(heading)
        return landmark?.key === "inputs" ? undefined : landmark
      }
    : refinementHeadings

const readInputSection = (
  document: MarkdownDocument,
  { inputs, kept, task }: RefinementOptions,
  findings: Findings
): ReadonlyArray<InputValue> => {
  const section = inputs?.length === 0 ? undefined : lastSection(document, "inputs", findings)
  const lines =
    section === undefined
      ? []
      : classifyLines(document.lines, section.first, landmarkEnd(document, section), document.fences)
  const options = {
    ...(inputs === undefined ? {} : { inputs }),
    ...(kept === undefined ? {} : { kept }),
    ...(task === undefined ? {} : { task: task.name })
  }
  return readInputs(lines, section?.heading ?? "Inputs", options, findings)
}

const readProse = (text: string, where: Where, findings: Findings): void => {
  if (text.replace(/<\/?(?:tool|function)_call>/g, "").trim() === "") return
  if (!mentionsCall(text)) {
    addRepair(findings, "text-ignored", where, `Ignored text between the tool calls: "${excerpt(text)}".`)
    return
  }
  addIssue(findings, "tool-call-json", where, {
    what: "There is text that looks like a tool call outside a code block.",
    how: "Put each call as one JSON object into a code block of its own.",
    quote: text
  })
}

const tagged = /<(tool|function)_call>([^]*?)(?:<\/\1_call>|$)/g

/** Calls between tags; the tags say where each ends, whatever its JSON is like. */
const readTagged = (text: string, where: Where, findings: Findings): ReadonlyArray<UnnumberedCall> => {
  const calls = [...text.matchAll(tagged)].flatMap(([, , call = ""]) => readCallBlock(call, where, findings))
  if (calls.length > 0) addRepair(findings, "tool-call-repaired", where, "Read a tool call out of the tags around it.")
  readProse(text.replace(tagged, ""), where, findings)
  return calls
}

/** Text outside of fences: calls when it starts with JSON, and otherwise talk. */
const readLoose = (lines: ReadonlyArray<string>, where: Where, findings: Findings): ReadonlyArray<UnnumberedCall> => {
  const text = lines
    .join("\n")
    .trim()
    .replace(/^`([^`]+)`$/, "$1")
  if (!/^(?:[{[]|<(?:tool|function)_call>)/.test(text)) {
    readProse(text, where, findings)
    return []
  }
  addRepair(findings, "tool-call-unfenced", where, "Read a tool call that stood outside a code block.")
  if (text.startsWith("<")) return readTagged(text, where, findings)
  const end = scanJson(text).ends.at(-1) ?? text.length
  const calls = readCallBlock(text.slice(0, end), where, findings)
  readProse(text.slice(end), where, findings)
  return calls
}

const readSectionCalls = (
  document: MarkdownDocument,
  section: MarkdownSection,
  findings: Findings
): ReadonlyArray<UnnumberedCall> => {
  const calls: Array<UnnumberedCall> = []
  let loose: Array<string> = []
  let looseLine = section.line
  const endLoose = (): void => {
    if (loose.length > 0) calls.push(...readLoose(loose, { section: section.heading, line: looseLine }, findings))
    loose = []
  }
  for (const line of classifyLines(document.lines, section.first, landmarkEnd(document, section), document.fences)) {
    if (line.kind === "fence" || line.kind === "heading") {
      endLoose()
      if (line.kind === "fence") {
        calls.push(...readCallBlock(line.fence.text, { section: section.heading, line: line.line }, findings))
      }
      continue
    }
    if (loose.length === 0) looseLine = line.line
    if (loose.length > 0 || line.kind !== "blank") loose.push(line.text)
  }
  endLoose()
  return calls
}

/** Reads a refinement. The value is present when the task could be built, also when calls have issues. */
export const readRefinement = (text: string, options: RefinementOptions = {}): Reading<Refinement> => {
  const { task: planned } = options
  const document = readMarkdown(text, { knownHeadings: landmarksFor(options), isStructure: isField })
  const findings: Findings = { issues: [...document.issues], repairs: [...document.repairs] }
  if (document.issues.length > 0) return { value: Option.none(), ...inDocumentOrder(findings) }
  const taskSection = lastSection(document, "task", findings)
  const callsSection = lastSection(document, "tool-calls", findings)
  checkStrayFences(document, undefined, findings)
  if (taskSection === undefined && callsSection === undefined) addMissingSection(document, "Tool Calls", findings)
  if (taskSection === undefined && planned === undefined) addMissingSection(document, "Task", findings)
  const tasks =
    taskSection === undefined
      ? []
      : collectTasks(
          classifyLines(document.lines, taskSection.first, landmarkEnd(document, taskSection), document.fences),
          taskSection.heading,
          findings
        )
  const task = readRefinedTask(tasks, taskSection, planned, findings)
  const inputs = readInputSection(document, options, findings)
  checkMisplacedCalls(document, taskSection, callsSection, findings)
  const calls = callsSection === undefined ? [] : readSectionCalls(document, callsSection, findings)
  const numbered = numberCalls(calls, findings)
  return {
    value: task === undefined ? Option.none() : Option.some({ task, ...inputsField(inputs), calls: numbered }),
    ...inDocumentOrder(findings)
  }
}
