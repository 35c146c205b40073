/**
 * A skill tells how to do and report one kind of task, with its allowed tools, its files, and typed inputs. A line of
 * `## Input requirements` such as "- `file` (path, required): The file to change." declares an input. Other lines there
 * are free text.
 */
import * as Schema from "effect/Schema"
import { type Issue, makeIssue } from "../findings/Issue.ts"
import { nestMarkdown } from "../markdown/MarkdownTree.ts"
import { estimateTokens } from "../models/PromptSize.ts"
import { partsOfMove, type ToolCall } from "../tools/ToolCall.ts"
import { exceedsLimits, ToolLimit } from "./AllowedTools.ts"

/**
 * The type of an input. A `path` is an existing file or folder of the project. `yes-no` is a boolean. `choice` is one
 * of several words.
 */
const InputType = Schema.Literals(["text", "path", "url", "number", "yes-no", "choice"])
type InputType = typeof InputType.Type

/** An input of the tasks of a skill, required or optional. */
export const SkillInput = Schema.Struct({
  name: Schema.String,
  type: InputType,
  /** The words to choose from, for the type `choice`; otherwise absent. */
  choices: Schema.optionalKey(Schema.Array(Schema.String)),
  required: Schema.Boolean,
  about: Schema.String
})
export type SkillInput = typeof SkillInput.Type

export class Skill extends Schema.Class<Skill>("task-conductor/domain/skills/Skill")({
  name: Schema.String,
  /** What the skill does and when to use it. The planner sees nothing else. */
  description: Schema.String,
  /** Names of the tools that the skill may use. Absent if the skill file does not restrict them. */
  allowedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The limits on the arguments of some allowed tools. Absent if all arguments are allowed. */
  toolLimits: Schema.optionalKey(Schema.Array(ToolLimit)),
  /** The files beside SKILL.md, as paths for `read_file`: relative to the project, or absolute. */
  files: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The setting `metadata.task-conductor.requires-approval`. */
  requiresApproval: Schema.Boolean,
  /** The setting `metadata.task-conductor.model`. */
  model: Schema.optionalKey(Schema.String),
  /** The setting `metadata.task-conductor.turns`: the number of turns of a task. */
  turns: Schema.optionalKey(Schema.Int),
  /** The markdown under `## Input requirements`. */
  inputRequirements: Schema.String,
  /** The inputs that the lines of `inputRequirements` declare. */
  inputs: Schema.Array(SkillInput),
  /** The markdown under `## How to work`, or the whole body of a file without the headings of this format. */
  refinement: Schema.String,
  /** The markdown under `## How to report`. */
  execution: Schema.String
}) {}

/** True for the name of a model: `qwen3:8b`, `someone/model:tag`, `openai:NAME`. False for a URL or a path. */
export const isModelName = (name: string): boolean =>
  name.length <= 200 &&
  /^(?:[a-z][a-z\d-]*:)?[a-z\d][\w.-]*(?:\/[a-z\d][\w.-]*){0,2}(?::[a-z\d][\w.-]*)?$/i.test(name) &&
  !name.includes("..")

/** True for a model that its server forwards elsewhere, such as `gpt-oss:120b-cloud`. */
export const isCloudModel = (name: string): boolean => /[:-]cloud(?:@.*)?$/i.test(name.trim())

/** The maximum number of turns that a skill may request. */
export const maxTurns = 100

/** True for a name that the format allows for skills. */
export const isSkillName = (name: string): boolean => /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 64

/**
 * The skills that can be used with these tools. A skill whose tools are all missing is left out, because its tasks
 * could never run. A skill that names no tools always counts.
 */
export const usableSkills = (all: ReadonlyArray<Skill>, toolNames: ReadonlyArray<string>): ReadonlyArray<Skill> =>
  all.filter(
    ({ allowedTools }) =>
      allowedTools === undefined || allowedTools.length === 0 || allowedTools.some((tool) => toolNames.includes(tool))
  )

export const missingTools = ({ allowedTools = [] }: Skill, toolNames: ReadonlyArray<string>): ReadonlyArray<string> =>
  allowedTools.filter((tool) => !toolNames.includes(tool))

/** Why the planner does not see a skill, or undefined if it does. */
export const whyNotOffered = (skill: Skill, toolNames: ReadonlyArray<string>): string | undefined => {
  if (usableSkills([skill], toolNames).length > 0) return undefined
  const missing = missingTools(skill, toolNames)
  const tools = missing.length === 1 ? `there is no tool ${missing[0]}` : `there are no tools ${missing.join(", ")}`
  return `The skill "${skill.name}" is not offered: ${tools}.`
}

/** A note about the missing tools of a skill that can still be used. */
export const missingToolsNote = (skill: Skill, toolNames: ReadonlyArray<string>): string | undefined => {
  const missing = missingTools(skill, toolNames)
  if (missing.length === 0 || whyNotOffered(skill, toolNames) !== undefined) return undefined
  const are = missing.length === 1 ? "there is no such tool" : "there are no such tools"
  return `The skill "${skill.name}" works without ${missing.join(", ")}: ${are}.`
}

/** The estimated tokens of the skill in the prompts of each stage. */
export const skillTokens = (skill: Skill) => ({
  planning: estimateTokens(`- ${skill.name}: ${skill.description}`),
  refinement: estimateTokens(skill.inputRequirements + skill.refinement),
  execution: estimateTokens(skill.execution)
})
export type SkillTokens = ReturnType<typeof skillTokens>

/** A line that looks like a typed input but declares none. `line` counts from 1 in the section. */
interface InputFault {
  readonly kind: "type" | "name"
  readonly line: number
  readonly what: string
  /** How to correct the line. Absent if the text of the rule is exact enough. */
  readonly how?: string
}

const typedLine = /^ {0,3}[-*+] +`([^`\n]+)` *\(([^()\n]*)\) *[:：]?(.*)$/
const nameForm = /^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/

/** Names of types in other notations. */
const foreignType =
  /^(?:string|str|int|integer|float|decimal|bool|boolean|yes\/no|enum|one of|choice|choices|file|folder|uri|link|date|list|array|object|json)\b/i

interface Signature {
  readonly type: InputType
  readonly choices?: ReadonlyArray<string>
  readonly required: boolean
}

const plain = (word: string): string => word.trim().replace(/^`([^`]+)`$/, "$1")

/**
 * Reads the text in parentheses. Returns undefined for prose. For a type in another notation, returns a sentence about
 * the mistake.
 */
const readSignature = (text: string): Signature | string | undefined => {
  const words = text.split(",").map(plain)
  const last = words.at(-1) ?? ""
  const isMarked = last === "required" || last === "optional"
  const [first = "", ...rest] = isMarked ? words.slice(0, -1) : words
  const required = last !== "optional"
  const choice = /^choice of +(.+)$/.exec(first)?.[1]
  if (choice !== undefined) {
    const choices = [...new Set([plain(choice), ...rest])].filter((one) => one !== "")
    return choices.length < 2 ? "A choice has at least two words." : { type: "choice", choices, required }
  }
  if (rest.length === 0 && first !== "choice" && Schema.is(InputType)(first)) return { type: first, required }
  return isMarked || foreignType.test(first) ? `"${text}" is not a type.` : undefined
}

/** The typed inputs under `## Input requirements`, in order, and lines that only look like inputs. */
export const readSkillInputs = (
  markdown: string
): { readonly inputs: ReadonlyArray<SkillInput>; readonly faults: ReadonlyArray<InputFault> } => {
  const inputs: Array<SkillInput> = []
  const faults: Array<InputFault> = []
  for (const [index, text] of markdown.split("\n").entries()) {
    const [, name = "", parentheses = "", about = ""] = typedLine.exec(text) ?? []
    const signature = name === "" ? undefined : readSignature(parentheses)
    if (signature === undefined) continue
    const line = index + 1
    if (typeof signature === "string") {
      faults.push({ kind: "type", line, what: signature })
    } else if (!nameForm.test(name) || name.length > 40) {
      faults.push({ kind: "name", line, what: `"${name}" cannot be the name of an input.` })
    } else if (inputs.some((input) => input.name === name)) {
      faults.push({ kind: "name", line, what: `There are two inputs "${name}".`, how: "Rename or remove one of them." })
    } else {
      inputs.push({ name, ...signature, about: about.trim() })
    }
  }
  return { inputs, faults }
}

/** The type of an input, as a skill writes it: `path`, `choice of a, b`. */
export const inputTypeText = ({ choices = [], type }: SkillInput): string =>
  type === "choice" ? `choice of ${choices.join(", ")}` : type

const valueFormats: Readonly<Record<Exclude<InputType, "choice">, string>> = {
  text: "text",
  path: "path of a file or folder of the project",
  url: "URL",
  number: "number",
  "yes-no": "yes or no"
}

/** The inputs that a model must fill in: "- `file`: <path of a file or folder of the project; required>". */
export const inputLines = (inputs: ReadonlyArray<SkillInput>): string =>
  inputs
    .map(({ choices = [], name, required, type }) => {
      const value = type === "choice" ? `one of: ${choices.join(", ")}` : valueFormats[type]
      return `- \`${name}\`: <${value}; ${required ? "required" : "optional"}>`
    })
    .join("\n")

const reader = "read_file"

/** True if the skill may use `read_file` only for its own files: it lists other tools, but not this one. */
const readsOwnFilesOnly = ({ allowedTools = [], files = [] }: Skill): boolean =>
  files.length > 0 && allowedTools.length > 0 && !allowedTools.includes(reader)

/** The tools that tasks of the skill get. `toolNames` are the tools of the run. */
export const toolsOfSkill = (skill: Skill, toolNames: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...(skill.allowedTools ?? toolNames), ...(readsOwnFilesOnly(skill) ? [reader] : [])].filter((tool) =>
    toolNames.includes(tool)
  )

/** The limits on the tools of a skill. They always let the skill read its own files. */
const limitsOfSkill = (skill: Skill): ReadonlyArray<ToolLimit> => {
  const { files = [], toolLimits = [] } = skill
  if (readsOwnFilesOnly(skill)) return [...toolLimits, { tool: reader, patterns: files.map(escaped) }]
  return toolLimits.map((limit) =>
    limit.tool === reader ? { tool: reader, patterns: [...limit.patterns, ...files.map(escaped)] } : limit
  )
}

const escaped = (path: string): string => path.replace(/[*\\]/g, "\\$&")

const quoted = (words: ReadonlyArray<string>): string => words.map((word) => `\`${word}\``).join(", ")

/** One issue for each call whose arguments the skill does not allow. */
export const callsBeyondLimits = (skill: Skill, calls: ReadonlyArray<ToolCall>, task: string): ReadonlyArray<Issue> => {
  const limits = limitsOfSkill(skill)
  return calls
    .flatMap(partsOfMove)
    .filter((call) => exceedsLimits(limits, call))
    .map((call) => {
      const patterns = limits.find(({ tool }) => tool === call.name)?.patterns ?? []
      return makeIssue("tool-call-limited", { section: "Tool Calls", task }, {
        what: `The skill ${skill.name} may not make this call of ${call.name}.`,
        how: `It may call ${call.name} only for ${quoted(patterns)}. Change the call, or remove it.`,
        quote: JSON.stringify(call)
      })
    })
}

const partWith = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`#### ${title}\n\n${lines.join("\n")}`]

/**
 * Replaces the paths of the skill's files by paths that `read_file` accepts. Authors write paths relative to the
 * skill's folder, and models copy what they see.
 */
const withWholePaths = (text: string, { files = [], name }: Skill): string => {
  const folder = `/skills/${name}/`
  return files.reduce((changed, file) => {
    const start = file.lastIndexOf(folder)
    if (start < 0) return changed
    const written = file.slice(start + folder.length).replace(/[^\w/]/g, "\\$&")
    const from = String.raw`(?:\./|${skillFolderNames}/)?`
    return changed.replace(new RegExp(`(?<![\\w./-])${from}${written}(?![\\w/-]|\\.\\w)`, "g"), () => file)
  }, text)
}

/**
 * The file of the skill that a model means by a path. The path is relative to the skill's folder, or begins with `~`.
 * Undefined if no file or several files fit.
 */
export const skillFileAt = (path: string, { files = [] }: Skill): string | undefined => {
  const tail = path.replace(/^(?:\.\/)+/, "")
  if (files.includes(tail)) return tail
  const isHome = tail.startsWith("~/")
  if (tail === "" || tail.startsWith("/") || tail.split("/").includes("..")) return undefined
  const meant = files.filter((file) => file.endsWith(isHome ? tail.slice(1) : `/${tail}`))
  return meant.length === 1 ? meant[0] : undefined
}

/** The placeholders that skills of other programs use for the folder of the skill. */
const skillFolderNames = String.raw`(?:\{[Bb]ase_?[Dd]ir\}|<(?:base|skill)[-_ ]?(?:dir|folder|path)>|\$\{?(?:CLAUDE_)?SKILL_(?:DIR|ROOT|PATH)\}?)`

/** The skill in the prompt of a turn, with its files and limits. Its headings become sub-headings. */
export const refinementText = (skill: Skill): string => {
  const { files = [], refinement, toolLimits = [] } = skill
  return [
    ...(refinement.trim() === "" ? [] : [nestMarkdown(withWholePaths(refinement, skill), 3)]),
    ...partWith("Files of the skill", [
      ...files.slice(0, 1).map(() => "- If the text above sends you to one of them, call `read_file` with this path:"),
      ...files.map((file) => `  - \`${file}\``)
    ]),
    ...partWith(
      "Limits of the tools",
      toolLimits.map(({ patterns, tool }) => `- Call \`${tool}\` only for ${quoted(patterns)}.`)
    )
  ].join("\n\n")
}

export const executionText = (skill: Skill): string => nestMarkdown(withWholePaths(skill.execution, skill), 2)

/** The input requirements for a prompt, with paths as `read_file` needs them. */
export const requirementsText = (skill: Skill): string => withWholePaths(skill.inputRequirements, skill)
