/**
 * The embedded model's answers to the prompts of a run, chosen by the stage that the system part names: it plans, fills
 * calls, quotes what tools and references hold, and concludes with the same quotes.
 */
import * as Arr from "effect/Array"
import * as Schema from "effect/Schema"
import type { Reference } from "../../../domain/plan/Reference.ts"
import { plainTask, type Task } from "../../../domain/plan/Task.ts"
import { Step, TaskList } from "../../../domain/plan/TaskList.ts"
import { noFindings } from "../../../domain/findings/Issue.ts"
import { readForEach } from "../../../domain/grammar/ForEachForm.ts"
import type { ForEach } from "../../../domain/plan/ForEach.ts"
import { renderTaskList, renderRefined } from "../../../domain/documents/TaskRendering.ts"
import { sharedWords, readRequest, type Request, readClues } from "./Clues.ts"
import {
  blockText,
  type PromptBlock,
  skillsIn,
  userPromptIn,
  type OfferedTool,
  blocksIn,
  projectBlocksIn,
  referencesIn,
  stageIn,
  taskIn,
  toolsIn
} from "./PromptReading.ts"
import type { Arguments, ToolCall } from "../../../domain/tools/ToolCall.ts"
import { type JsonSchema, propertiesOf, requiredOf } from "../../../domain/tools/ToolSchema.ts"
import { compareCodePoints } from "../../../domain/text/CodePointOrder.ts"
import { callSign, InputValue } from "../../../domain/documents/Refinement.ts"
import { outline } from "../../../domain/markdown/Outline.ts"
import { fenced } from "../../../domain/markdown/PromptBlock.ts"
import type { FilledPrompt } from "../../../domain/models/PromptSize.ts"
import {
  isWriting,
  outcomesIn,
  readOutcome,
  readReference,
  disclosure,
  foundText,
  pathsOf,
  readFound
} from "./Quotes.ts"

/** The skills that come with the program: their part in a plan is fixed. */
const builtIn = /^(?:search-(?:code|docs)|read-code|research-web|run-checks|summarize|edit-files|plan-change|review)$/

const taskFor = (name: string, skill: string, needed: string, more: Partial<Task> = {}): Task => {
  const line = needed.replace(/\s+/g, " ").trim()
  const short = line.replace(/^(.{300}).+$/u, "$1 ...")
  const requiresApproval = skill === "edit-files" || skill === "run-checks"
  return plainTask(name, skill, short, "What was found or done, with file and line.", { requiresApproval, ...more })
}

/** Makes one task for each thing when the skill is offered: `Read` of `src/a.ts` is to "Read src/a.ts". */
type Plan = (verb: string, skill: string, things: ReadonlyArray<string>, more?: Partial<Task>) => ReadonlyArray<Task>

const target = "project-description"
const description: Reference = { kind: "anchor", title: "Project description", href: `#${target}`, target }
const resultsOf = (tasks: ReadonlyArray<Task>): ReadonlyArray<Reference> =>
  tasks.map(({ name, slug }) => ({ kind: "task_result", title: name, href: `#${slug}-results`, target: slug }))

const inQuotes = (term: string): string => (term.includes('"') ? `\`${term}\`` : `"${term}"`)

/** What to read, to fetch, to run and to search; the files of the project when there is nothing of it. */
const research = ({ command, paths, quoted, terms, text, urls }: Request, plan: Plan, isDescribed: boolean) => {
  // "Which files use config.json?" asks for the places that name the file, not for what it holds.
  const asksWhere = /^\s*(?:which|where|who)\b/i.test(text)
  const asksDocs = /(?<![\w/.-])(?:docs?|documentation|documented|readme|changelog|manual|guide)(?![\w/-]|\.\w)/i
  const about = terms.length === 0 ? "" : ` and find ${terms.slice(0, 5).map(inQuotes).join(", ")}`
  const reads = paths.map(({ line, path }) => `${path}${line === undefined ? "" : `:${line}`}${about}`)
  const definite = [
    ...plan("Read", "read-code", asksWhere ? [] : reads.slice(0, 3)),
    ...plan("Fetch", "research-web", urls.slice(0, 2)),
    ...plan("Run", "run-checks", command === undefined ? [] : [`\`${command}\``])
  ]
  const fallback = asksWhere ? [...terms, ...paths.map(({ path }) => path)] : terms
  const sought = definite.length > 0 ? quoted.filter((one) => !command?.includes(one)) : fallback
  const searches = sought.slice(0, 4).map((term) => `for ${inQuotes(term)}`)
  const docs = asksDocs.test(text) ? plan("Search", "search-docs", searches) : []
  const found = [...definite, ...(docs.length > 0 ? docs : plan("Search", "search-code", searches))]
  const more = isDescribed ? { references: [description] } : {}
  return found.length > 0 ? found : plan("List", "search-code", ["the files of the project"], more)
}

/** Research, a summary of it, and a file that is written from a text of the request or from the results. */
const usualPlan = (request: Request, plan: Plan, isDescribed: boolean) => {
  const { content, path } = request.file ?? {}
  const found = content === undefined ? research(request, plan, isDescribed) : []
  const references = resultsOf(found)
  const summary =
    found.length > 1 ? plan("Summarize", "summarize", [`the results for: ${request.text}`], { references }) : []
  const isWritten = path !== undefined && (content !== undefined || found.length > 0)
  const source = content === undefined ? "the results" : "the text of the code block"
  const writing = plan("Write", "edit-files", isWritten ? [`the file ${path} with ${source}`] : [], {
    references: resultsOf(summary.length > 0 ? summary : found),
    codeBlocks: content === undefined ? [] : [{ language: "text", text: content }]
  })
  return [found, summary, writing].filter(Arr.isReadonlyArrayNonEmpty)
}

/** `every file in docs/` in a prompt, as the items of a task. */
const itemsIn = (prompt: string): ForEach | undefined => {
  const written = /\b(?:each|every)\s+[^.,;:\n]{1,40}?\s(?:in|of|under)\s+\S+?(?=[.,;:]?(?:\s|$))/i.exec(prompt)?.[0]
  const none = { section: "", task: "" }
  return written === undefined ? undefined : readForEach(written, none, () => undefined, noFindings())
}

/** Answers the creation prompt with a task list; with one plain task when the plan before it was refused. */
const planAnswer = (blocks: ReadonlyArray<PromptBlock>, system: string): string => {
  const prompt = userPromptIn(blocks)
  const request = readRequest(prompt)
  const skills = skillsIn(system)
  const plan: Plan = (verb, skill, things, more) =>
    (skills.has(skill) ? things : []).map((one, at) => taskFor(`${verb} ${at + 1}`, skill, `${verb} ${one}`, more))
  const called = new Set(prompt.toLowerCase().match(/(?<=\b(?:use|using|with) (?:the )?(?:skill )?["'`]?)[\w-]+/g))
  const fit = (name: string) => (called.has(name) ? Infinity : sharedWords(skills.get(name) ?? "", request.terms))
  const byFit = [...skills.keys()].toSorted((a, b) => fit(b) - fit(a))
  const isRefused = blockText(blocks, "Issues with the previous proposal") !== ""
  const chosen = byFit.find((name) => !isRefused && fit(name) >= (builtIn.test(name) ? Infinity : 2))
  const isDescribed = blockText(blocks, "Project description") !== ""
  const forEach = isRefused || chosen !== undefined || !skills.has("read-code") ? undefined : itemsIn(prompt)
  const usual =
    forEach !== undefined
      ? [Arr.of(taskFor("Read each", "read-code", prompt, { forEach }))]
      : isRefused || chosen !== undefined
        ? []
        : usualPlan(request, plan, isDescribed)
  const otherwise = chosen ?? (skills.has("search-code") ? "search-code" : byFit[0]) ?? "search-code"
  const steps = usual.length > 0 ? usual : [Arr.of(taskFor("Answer", otherwise, prompt))]
  const list = new TaskList({
    goals: `The prompt is answered${request.file === undefined ? "" : ` in ${request.file.path}`}.`,
    steps: steps.map((tasks, index) => new Step({ title: `Task section ${index + 1}`, tasks }))
  })
  return renderTaskList(list, { prompt })
}

/** What parameters are for by their names. */
const roles = [
  ["content", /^contents?$/i],
  ["command", /^(?:argv|args|command|cmd)$/i],
  ["url", /^(?:url|uri|href|link|address)$/i],
  ["path", /^(?:path|file(?:_?(?:path|name))?|source|target|document)$/i],
  ["term", /^(?:pattern|query|term|search|needle|keyword|word|regex|phrase)$/i]
] as const
type Role = (typeof roles)[number][0] | "other"
const roleOf = (name: string): Role => roles.find(([, names]) => names.test(name))?.[0] ?? "other"

/** The kinds of tools, the most definite first: a task that one can do needs none of the next. */
const kinds = ["content", "command", "url", "path", "term", "other", "look"] as const
type Kind = (typeof kinds)[number]

/** What a tool is for, by what it requires: one that requires nothing looks around. */
export const kindOf = ({ parameters }: OfferedTool): Kind => {
  const required = new Set(requiredOf(parameters).map(roleOf))
  return required.has("other") ? "other" : (roles.find(([role]) => required.has(role))?.[0] ?? "look")
}

/** All values for a parameter, in order; a required choice has one also when the words name none. */
const valuesFor = (
  role: Role,
  { enum: choices, type }: JsonSchema,
  { command, file, numbers, paths, quoted, terms, text, urls }: Request,
  isRequired = true
): ReadonlyArray<Schema.Json> => {
  const lower = text.toLowerCase()
  const files = paths.map(({ path }) => path)
  // The person quoted these words on purpose, so they count more than the rest of the sentence.
  if (role === "term") return [quoted, terms, files].find((all) => all.length > 0) ?? []
  if (role === "path") return files
  if (role === "url") return urls
  if (role === "content") return file?.content === undefined ? [] : [file.content.replace(/\n?$/, "\n")]
  if (role === "command") return command === undefined ? [] : [type === "array" ? command.split(/\s+/) : command]
  if (type === "boolean") return isRequired ? [!/\b(?:not|no|never|without)\b/.test(lower)] : []
  if (type === "number" || type === "integer") return numbers
  if (!Array.isArray(choices)) return quoted
  const named = choices.filter((one) => lower.includes(String(one).toLowerCase()))
  return isRequired ? [...named, ...choices] : named
}

/** One call for each value of what the tool is for; one that lacks a value is not made. */
const callsOf = ({ name, parameters }: OfferedTool, kind: Kind, asked: Request): ReadonlyArray<ToolCall> => {
  const properties = propertiesOf(parameters)
  const required = requiredOf(parameters)
  const request = kind === "content" ? { ...asked, paths: asked.file === undefined ? [] : [asked.file] } : asked
  const argumentsOf = (index: number): Arguments => {
    const values: Record<string, Schema.Json> = {}
    for (const one of required) {
      const all = valuesFor(roleOf(one), properties.get(one) ?? {}, request)
      const unused = all.find((value) => typeof value !== "string" || !Object.values(values).includes(value))
      const value = kind !== "other" && roleOf(one) === kind ? all[index] : unused
      if (value !== undefined) values[one] = value
    }
    const line = properties.has("start_line") ? request.paths[index]?.line : undefined
    return line === undefined ? values : { ...values, start_line: Math.max(1, line - 20), end_line: line + 20 }
  }
  return (kind === "other" || kind === "look" ? [0] : [0, 1, 2, 3])
    .map((index) => ({ uid: `call-${index + 1}`, name, arguments: argumentsOf(index) }))
    .filter((call) => required.every((one) => one in call.arguments))
}

/** The calls of the most definite tool that the task can fill; of several such tools the one nearest to its words. */
export const fillCalls = (tools: ReadonlyArray<OfferedTool>, request: Request): ReadonlyArray<ToolCall> => {
  const words = request.text.match(/\p{L}{3,}/gu) ?? []
  const calls = tools
    .map((tool) => ({ tool, kind: kindOf(tool), fit: sharedWords(`${tool.name} ${tool.description}`, words) }))
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.fit - a.fit)
    // No words of a task tell what to replace by an edit.
    .filter(({ tool }) => !propertiesOf(tool.parameters).has("old_text"))
    .map(({ kind, tool }) => callsOf(tool, kind, request))
  return calls.find((some) => some.length > 0) ?? []
}

const elsewhere =
  "I am the built-in demo of task-conductor, not a language model. I only know the stages of a run: use `task-conductor run`, or choose a model with `--model`."

type Answer = (blocks: ReadonlyArray<PromptBlock>, system: string) => string

const inputLine = /^- `([^`]+)`: <(one of: |path|URL|number|yes|text)([^\n]*); (required|optional)>$/gm

/** Values for the typed inputs of a skill; the format in the prompt says which there are. */
const inputsFor = (system: string, request: Request): ReadonlyArray<InputValue> => {
  const taken = new Set<unknown>()
  return [...system.matchAll(inputLine)].flatMap(([, name = "", type = "", rest = "", need]) => {
    const isRequired = need === "required"
    const role = type === "path" ? "path" : type === "URL" ? "url" : "other"
    const schema: JsonSchema =
      type === "one of: " ? { enum: rest.split(", ") } : { type: type === "yes" ? "boolean" : type }
    const values = valuesFor(role, schema, request, isRequired)
    const otherwise = isRequired ? [values[0], request.terms[0], request.text.replace(/\s+/g, " ")] : []
    const value = [...values.filter((one) => !taken.has(one)), ...otherwise].find((one) => one !== undefined)
    taken.add(value)
    return Schema.is(InputValue.fields.value)(value) ? [{ name, value }] : []
  })
}

const details = `## Details\n\n${disclosure}`

/** What a task refers to, without what this model says of itself in its own reports. */
const sourcesIn = (blocks: ReadonlyArray<PromptBlock>) =>
  referencesIn(blocks).map((source) =>
    Object.assign({}, source, { text: source.text.replaceAll(details, "").trimEnd() })
  )

/** The tool behind a block without old text, which the prompt of a task describes as a change. */
const writing: OfferedTool = {
  name: "write_file",
  description: "Creates a file of the project.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"]
  }
}

/** Takes from results what the task does not say itself. */
const refinement: Answer = (blocks, system) => {
  const task = taskIn(blocks)
  if (task === undefined) return "## Tool Calls"
  const results = sourcesIn(blocks).map(({ text }) => text.replace(/^#{1,6} Result summary$/m, "").trim())
  const asked = readRequest(task.whatIsNeeded)
  const content = [task.codeBlocks[0]?.text, asked.file?.content, results.join("\n\n")].find((one) => one)
  const request: Request = {
    ...asked,
    paths: asked.paths.length > 0 ? asked.paths : pathsOf(results.flatMap(readFound)),
    file: asked.file && { ...asked.file, content }
  }
  const seen = new Set(outcomesIn(blocks).map(({ call }) => callSign(call)))
  const tools = /^\*\*Changes of files\*\*/m.test(system) ? [...toolsIn(system), writing] : toolsIn(system)
  const calls = fillCalls(tools, request).filter((call) => !seen.has(callSign(call)))
  return renderRefined({ inputs: inputsFor(system, request), calls })
}

const execution: Answer = (blocks) => {
  const { terms } = readClues(taskIn(blocks)?.whatIsNeeded ?? "")
  const outcomes = outcomesIn(blocks)
  // What a file was written from is not a result of the writing.
  const references = outcomes.some(isWriting) ? [] : sourcesIn(blocks)
  const pieces = [
    ...outcomes.flatMap((outcome) => readOutcome(outcome, terms)),
    ...references.flatMap((reference) => readReference(reference, terms))
  ]
  return `## Result summary\n\n${foundText(pieces, terms)}\n\n${details}`
}

/** Nothing is left when all tasks have run or some failed: it knows no better way. Tasks that were not reached stay. */
const iteration: Answer = (blocks) => {
  const isStuck = blockText(blocks, "Tasks that failed") + blockText(blocks, "Issues with the previous proposal") !== ""
  const tasks = isStuck ? "" : blockText(blocks, "Outstanding tasks")
  const prompt = fenced(userPromptIn(blocks), "text")
  const goals = blockText(blocks, "Goals / summary") || "The prompt is answered."
  return `## Original prompt\n\n${prompt}\n\n## Goals / summary\n\n${goals}\n\n## Tasks\n\n${tasks}`.trimEnd()
}

const conclusion: Answer = (blocks) => {
  const { paths, terms } = readClues(userPromptIn(blocks))
  // Tasks finish in any order; the answer does not depend on it.
  const tasks = outline(blockText(blocks, "Outputs from completed tasks"))
    .filter(({ level }) => level === 3)
    .sort((a, b) => compareCodePoints(a.title, b.title))
  const failed = blockText(blocks, "Tasks that failed")
  const pieces = tasks.flatMap(({ body }) => readFound(body))
  const found = foundText(pieces, [...terms, ...paths.map(({ path }) => path)])
  return [
    tasks.length === 0 ? "No task finished, so there is no answer." : found,
    ...(failed === "" ? [] : [`These tasks failed, and what they were to find is missing:\n\n${failed}`]),
    disclosure
  ].join("\n\n")
}

/** Calls at first, and a report when their outputs are there, or when there is nothing to call. */
const turn: Answer = (blocks, system) => {
  const asked = outcomesIn(blocks).length === 0 ? refinement(blocks, system) : ""
  if (asked.includes("```json")) return asked
  const inputs = asked.replace(/^## Tool Calls$/m, "").trim()
  return `${inputs}\n\n${execution(blocks, system)}`.trimStart()
}

const answers = new Map(Object.entries({ creation: planAnswer, task: turn, iteration, conclusion }))

/** The answer to the prompt of a stage, which its system part names: the same text every time. */
export const stageAnswer = ({ system, user }: FilledPrompt): string =>
  answers.get(stageIn(system) ?? "")?.([...projectBlocksIn(system), ...blocksIn(user)], system) ?? elsewhere
