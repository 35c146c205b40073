/**
 * The embedded model's answer to the creation prompt: research side by side, then a summary of the results, then what
 * is to be written. Skills are taken from the catalogue; without the usual ones the skill nearest to the prompt does it
 * all.
 */
import * as Arr from "effect/Array"
import type { Reference } from "../../../domain/plan/Reference.ts"
import { plainTask, type Task } from "../../../domain/plan/Task.ts"
import { Step, TaskList } from "../../../domain/plan/TaskList.ts"
import { renderTaskList } from "../../../domain/documents/TaskRendering.ts"
import { sharedWords } from "./Clues.ts"
import { blockText, type PromptBlock, skillsIn, userPromptIn } from "./PromptReading.ts"
import { readRequest, type Request } from "./Request.ts"

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

/** Answers the creation prompt with a task list; with one plain task when the plan before it was refused. */
export const planAnswer = (blocks: ReadonlyArray<PromptBlock>, system: string): string => {
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
  const usual = isRefused || chosen !== undefined ? [] : usualPlan(request, plan, isDescribed)
  const otherwise = chosen ?? (skills.has("search-code") ? "search-code" : byFit[0]) ?? "search-code"
  const steps = usual.length > 0 ? usual : [Arr.of(taskFor("Answer", otherwise, prompt))]
  const list = new TaskList({
    goals: `The prompt is answered${request.file === undefined ? "" : ` in ${request.file.path}`}.`,
    steps: steps.map((tasks, index) => new Step({ title: `Task section ${index + 1}`, tasks }))
  })
  return renderTaskList(list, { prompt })
}
