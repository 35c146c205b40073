/**
 * The prompt templates: names, placeholders and parser. A template is markdown with placeholders `{name}`, optional
 * parts `{#name}...{/name}`, and one marker line between system part and user part. All templates are read at the
 * start, so that a broken template is found before any run.
 */
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import { type Reading, addIssue, type Findings, type IssueCode, noFindings } from "../findings/Issue.ts"
import { addParts, type FilledPrompt } from "./PromptSize.ts"

/** Placeholders for facts about the project. */
const ofProject = ["project_description", "project_readme", "environment", "project_map"] as const

/** Placeholders of the instructions about how to answer in turns. */
const ofTurns = ["answers", "text_calls", "native_calls", "may_change", "may_remove", "tool_instructions"] as const

/** The placeholders of each template. All prompts of a template begin with the same text, which servers can cache. */
export const templatePlaceholders = {
  /** The prompt that asks for the task list. */
  creation: [
    "skill_catalog",
    "user_prompt",
    ...ofProject,
    "current_file",
    "open_files",
    "previous_proposal",
    "previous_proposal_issues"
  ],
  /** The first message of a task. The messages of later turns follow it. */
  task: [
    "project_description",
    ...ofTurns,
    "project_map",
    "skill_name",
    "skill_input_requirements",
    "skill_refinement",
    "skill_execution",
    "skill_inputs",
    "user_prompt",
    "goals",
    "current_file",
    "references",
    "task_data"
  ],
  /** The first message of a task that decides about many places in files. */
  places: [
    "project_description",
    "may_change",
    "may_note",
    "may_look",
    "skill_name",
    "skill_refinement",
    "user_prompt",
    "current_file",
    "references",
    "task_data",
    "places",
    "numbers"
  ],
  /** The prompt that asks for the tasks that remain to be done. */
  iteration: [
    "skill_catalog",
    "user_prompt",
    "goals",
    ...ofProject,
    "completed_tasks",
    "failed_tasks",
    "outstanding_tasks",
    "previous_proposal",
    "previous_proposal_issues"
  ],
  /** The prompt for the final answer to the user's prompt, after all tasks. */
  conclusion: ["user_prompt", "goals", "completed_tasks", "failed_tasks"],
  /** The first message of a conversation. */
  ask: [...ofProject, ...ofTurns, "current_file", "open_files", "user_prompt"]
} as const

export type TemplateName = keyof typeof templatePlaceholders

/** The value of each placeholder. An empty string removes the optional part of that name. */
export type TemplateValues<Name extends TemplateName> = Readonly<
  Record<(typeof templatePlaceholders)[Name][number], string>
>

/**
 * The line that separates the system part of a template from its user part. Each template has this line exactly once.
 */
export const userPartMarker = "<!-- task-conductor: user part -->"

/** Literal text or a placeholder. `block` is true if the placeholder stands alone on its line. */
export type TemplatePart = (
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Slot"; readonly placeholder: string; readonly block: boolean }
) & {
  /** The name of the enclosing optional part, which is left out if the value of this name is empty. */
  readonly within?: string
}

/** A template with exactly the placeholders that its name requires. */
export interface PromptTemplate {
  readonly name: TemplateName
  readonly system: ReadonlyArray<TemplatePart>
  readonly user: ReadonlyArray<TemplatePart>
}

/**
 * Matches `{#name}`, `{/name}` and `{name}`. If such a mark is alone on its line, the line end is included. JSON does
 * not match.
 */
const tokens = /^\{([#/])([A-Za-z][\w-]*)\}(?:\n|$)|^\{([A-Za-z][\w-]*)\}(?:\n{1,2}|$)|\{([#/]?)([A-Za-z][\w-]*)\}/gm

/** Splits a text of a template into parts. The text begins on the line `line` of the template. */
const scan = (
  text: string,
  line: number,
  placeholders: ReadonlyArray<string>,
  findings: Findings
): ReadonlyArray<TemplatePart> => {
  const parts: Array<TemplatePart> = []
  let open: string | undefined
  let rest = 0
  let [lineHere, here] = [line, 0]
  const add = (part: TemplatePart): void => {
    parts.push(open === undefined ? part : { ...part, within: open })
  }
  /** Issues must come in the order of the text, because lines are counted from the previous issue. */
  const issue = (code: IssueCode, field: string, at: number, what: string, how?: string): void => {
    lineHere += text.slice(here, at).split("\n").length - 1
    here = at
    addIssue(findings, code, { field, line: lineHere }, { what, how })
  }
  for (const match of text.matchAll(tokens)) {
    const kind = match[1] ?? match[4] ?? ""
    const name = match[2] ?? match[3] ?? match[5] ?? ""
    if (match.index > rest) add({ _tag: "Text", text: text.slice(rest, match.index) })
    rest = match.index + match[0].length
    if (!placeholders.includes(name)) {
      const how = `Use one of: ${placeholders.map((one) => `{${one}}`).join(", ")}.`
      issue("placeholder-unknown", name, match.index, `There is no placeholder {${name}}.`, how)
    } else if (kind === "") {
      add({ _tag: "Slot", placeholder: name, block: match[3] !== undefined })
    } else if (kind === "#" ? open !== undefined : open !== name) {
      const place = open === undefined ? "no optional part" : `the optional part {#${open}}`
      issue("optional-part-unbalanced", name, match.index, `{${kind}${name}} occurs where ${place} is open.`)
    } else {
      open = kind === "#" ? name : undefined
    }
  }
  if (rest < text.length) add({ _tag: "Text", text: text.slice(rest) })
  if (open !== undefined) {
    const what = `The optional part {#${open}} has no end.`
    issue("optional-part-unbalanced", open, text.length, what, `Add {/${open}}.`)
  }
  return parts
}

/**
 * Reads a template. Issues: a missing or second marker line, an unknown or missing placeholder, or an optional part
 * without end.
 */
export const parseTemplate = (name: TemplateName, text: string): Reading<PromptTemplate> => {
  const placeholders: ReadonlyArray<string> = templatePlaceholders[name]
  const findings = noFindings()
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  const [marker, second, ...others] = lines.flatMap((line, index) => (line === userPartMarker ? [index] : []))
  if (marker === undefined || second !== undefined) {
    const count = marker === undefined ? 0 : 2 + others.length
    const what = `The template contains the marker line ${count} times.`
    const how = `Put the line ${userPartMarker} between the system part and the user part, exactly once.`
    const code = marker === undefined ? "marker-missing" : "marker-doubled"
    addIssue(findings, code, { line: (second ?? 0) + 1 }, { what, how })
    return { value: Option.none(), ...findings }
  }
  const system = scan(lines.slice(0, marker).join("\n"), 1, placeholders, findings)
  const user = scan(lines.slice(marker + 1).join("\n"), marker + 2, placeholders, findings)
  const used = new Set([...system, ...user].map((part) => (part._tag === "Slot" ? part.placeholder : "")))
  for (const placeholder of placeholders.filter((one) => !used.has(one))) {
    const what = `The placeholder {${placeholder}} is missing.`
    addIssue(findings, "placeholder-missing", { field: placeholder }, { what })
  }
  return { value: Option.some({ name, system, user }), ...findings }
}

/** This placeholder is left out of a prompt if the window is too small. */
const dispensable = "project_map"

type Values = Readonly<Record<string, string>>

const withoutBlankStart = (text: string): string => text.replace(/^(?:[ \t\r]*\n)+/, "")

/** The parts of a template in order, with the values in place of placeholders. */
const piecesOf = (parts: ReadonlyArray<TemplatePart>, values: Values) =>
  parts
    .filter(({ within }) => within === undefined || (values[within] ?? "") !== "")
    .map((part) => {
      if (part._tag === "Text") return { name: "instructions", text: part.text }
      const value = values[part.placeholder] ?? ""
      return { name: part.placeholder, text: part.block && value !== "" ? `${value}\n\n` : value }
    })

const joined = (pieces: ReturnType<typeof piecesOf>): string =>
  withoutBlankStart(
    pieces
      .map(({ text }) => text)
      .join("")
      .trimEnd()
  )

export const instructionsOf = ({ system, user }: PromptTemplate): string =>
  [...system, ...user].flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("")

/** Fills a template, without blank lines around the values. */
export const fillTemplate = (template: PromptTemplate, given: Values): FilledPrompt => {
  const values = Record.map(given, (value) => withoutBlankStart(value.trimEnd()))
  const system = piecesOf(template.system, values)
  const user = piecesOf(template.user, values)
  return {
    system: joined(system),
    user: joined(user),
    get parts() {
      return addParts([...system, ...user].map(({ name, text }) => ({ name, characters: text.length })))
    },
    get lighter() {
      return (values[dispensable] ?? "") === "" ? undefined : fillTemplate(template, { ...values, [dispensable]: "" })
    }
  }
}
