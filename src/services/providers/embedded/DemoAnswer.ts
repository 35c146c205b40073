/**
 * The fixed plan of the built-in demo. A run has one task. A task or message takes two turns:
 *
 * 1. For each path or word of the request, one call of the first tool that accepts it.
 * 2. A report that quotes the lines that were found, and says that the demo wrote it.
 *
 * The demo understands nothing. It changes no file, runs no command, and gives up after a failure.
 */
import { languageOf } from "../../../domain/files/Language.ts"
import { renderWorkedTask, renderTaskList } from "../../../domain/documents/TaskRendering.ts"
import { searchTermsOf } from "../../../domain/excerpts/SearchTerms.ts"
import { plainTask } from "../../../domain/plan/Task.ts"
import { Step, TaskList } from "../../../domain/plan/TaskList.ts"
import type { TaskFailure, TaskResult } from "../../../domain/plan/TaskResult.ts"
import { compareCodePoints } from "../../../domain/text/CodePointOrder.ts"
import type { ToolCall, ToolInfo } from "../../../domain/tools/ToolCall.ts"
import { isSchema, requiredOf } from "../../../domain/tools/ToolSchema.ts"
import type { CallSubject, TurnSubject } from "../CallSubject.ts"
import { outcomeQuotes, quotedText } from "./Quotes.ts"

const disclosure =
  "*The built-in demo wrote this. It is not a language model: it quotes what the tools found and concludes nothing. Choose a model with `--model` for an answer that does.*"

const noSubject =
  "I am the built-in demo of task-conductor, not a language model. I only search and quote: use `task-conductor run` or `task-conductor ask`, or choose a model with `--model`."

/** Words that say nothing about the subject of a request. */
const fillerWords = new Set(
  `again called code declared define defined describe described did docs documentation does done explain file files find get
  give list look mean mentioned modules please project read repository say says search show summarize tell the use used
  uses want whole who whose why work works write you your`.split(/\s+/)
)

const mostCalls = 4

const isUrl = (word: string): boolean => /^https?:\/\//.test(word)

/** The words of a request without punctuation. */
const bareWords = (request: string): ReadonlyArray<string> =>
  request.split(/[\s"“”`()<>,;]+/).map((word) => word.replace(/^'|[.:!?']+$/g, ""))

const pathsIn = (request: string): ReadonlyArray<string> =>
  bareWords(request).filter((word) => !isUrl(word) && word.includes(".") && languageOf(word) !== "")

/** The texts to search for: names and quotations in the request, or else its longest words in the singular. */
export const searchTerms = (request: string): ReadonlyArray<string> => {
  const { literals, names, words } = searchTermsOf(request)
  const named = [...literals, ...names].map(({ text }) => text)
  const telling = words
    .filter((word) => !fillerWords.has(word))
    .map((word) => word.replace(/(?<=..[^su])s$/, ""))
    .toSorted((a, b) => b.length - a.length)
  return named.length > 0 ? named : telling
}

/**
 * Patterns for parameter names, each with the values that the request contains for such parameters. The first pattern
 * that matches a parameter of some tool is used.
 */
const argumentsIn = (request: string): ReadonlyArray<readonly [parameter: RegExp, values: ReadonlyArray<string>]> => [
  [/^(?:path|file)$/, pathsIn(request)],
  [/^url$/, bareWords(request).filter(isUrl)],
  [/^(?:pattern|query)$/, searchTerms(request)]
]

/**
 * Calls of a read-only tool that requires a single value. If there is no such tool, one call of a tool that requires no
 * value, preferably the tool that lists files.
 */
const callsFor = (request: string, tools: ReadonlyArray<ToolInfo>): ReadonlyArray<ToolCall> => {
  const lookingTools = tools
    .filter(({ effect }) => effect === "pure")
    .map(({ name, parameters }) => ({ name, required: isSchema(parameters) ? requiredOf(parameters) : [] }))
  for (const [parameter, values] of argumentsIn(request)) {
    const tool = lookingTools.find(({ required }) => required.length === 1 && parameter.test(required.join()))
    if (tool === undefined || values.length === 0) continue
    return [...new Set(values)].slice(0, mostCalls).map((value, index) => ({
      uid: `call-${index + 1}`,
      name: tool.name,
      arguments: { [tool.required.join()]: value }
    }))
  }
  const freeTools = lookingTools.filter(({ required }) => required.length === 0).map(({ name }) => name)
  const name = freeTools.find((tool) => tool === "get_file_tree") ?? freeTools[0]
  return name === undefined ? [] : [{ uid: "call-1", name, arguments: {} }]
}

const summaries = (results: ReadonlyArray<TaskResult>): ReadonlyArray<string> =>
  results.map(({ result }) => result.summary.replaceAll(disclosure, "").trim())

const turnAnswer = ({ outcomes, request, results, stage, tools }: TurnSubject): string => {
  const earlier = outcomes()
  const calls = earlier.length === 0 ? callsFor(request, tools) : []
  if (calls.length > 0) return renderWorkedTask({ calls })
  const terms = searchTerms(request)
  const quotes = quotedText([...earlier.flatMap((one) => outcomeQuotes(one, terms)), ...summaries(results)], terms)
  return stage === "ask"
    ? `${quotes}\n\n${disclosure}`
    : `## Result summary\n\n${quotes}\n\n## Details\n\n${disclosure}`
}

const planAnswer = (request: string): string => {
  const needed = request.replace(/\s+/g, " ").trim().slice(0, 300)
  const task = plainTask("Search 1", "search-code", needed, "The lines that hold the words, with file and line.")
  const steps = [new Step({ title: "Task section 1", tasks: [task] })]
  return renderTaskList(new TaskList({ goals: "Lines of the project that hold the words of the prompt.", steps }), {
    prompt: request
  })
}

/** The answer of a run. Sorts the results, because tasks finish in any order. */
const conclusionAnswer = (results: ReadonlyArray<TaskResult>, failures: ReadonlyArray<TaskFailure>): string => {
  const sorted = results.toSorted((a, b) => compareCodePoints(a.name, b.name))
  const failed = failures.map(({ message }) => `- ${message}`).join("\n")
  return [
    ...new Set(summaries(sorted)),
    ...(failed === "" ? [] : [`These tasks failed, and what they were to find is missing:\n\n${failed}`]),
    disclosure
  ].join("\n\n")
}

export const demoAnswer = (subject: CallSubject | undefined): string => {
  switch (subject?.stage) {
    case "plan":
      return planAnswer(subject.request)
    case "task":
    case "ask":
      return turnAnswer(subject)
    case "iterate": {
      const { failures, outstanding, request } = subject
      const list = failures.length === 0 ? outstanding : new TaskList({ goals: outstanding.goals, steps: [] })
      return renderTaskList(list, { prompt: request })
    }
    case "conclude":
      return conclusionAnswer(subject.results, subject.failures)
    default:
      return noSubject
  }
}
