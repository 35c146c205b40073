/**
 * Checks documents against a project, without a model or side effects. A task list gets the same checks as in a run. A
 * refinement is checked against the skills, tools and files that its task may use.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  type CheckOptions,
  type DocumentKind,
  fixDocument,
  type FixedDocument,
  inputsField,
  isBetter,
  type Issue,
  looksField,
  placeFindings,
  plainTask,
  promptOfPlan,
  type Reading,
  readTaskReport,
  type RefinementDocument,
  refinementPlaces,
  renderTaskReport,
  type Repair,
  reportOfList,
  reportOfTurn,
  Skills,
  Step,
  strictLists,
  TaskList,
  TaskResult
} from "../../kit/documents.ts"
import { checkInputPaths } from "../../kit/files.ts"
import { Briefer, PlanChecker, type PlanContext, RunSettings } from "../../kit/program.ts"
import { Gate, mayShow, revealedFiles, type ToolCall, ToolRegistry } from "../../kit/tools.ts"
import { Workspace } from "../../plugin-kit.ts"
import { checkPurpose, checkRepetition, unfitCalls } from "./CallFitness.ts"

/** A finished task of which only the name is known. */
const finishedTask = (name: string): TaskResult =>
  new TaskResult({ task: plainTask(name, "", "", ""), calls: [], result: { summary: "", document: "" } })

export const makeRefinementCheck = Effect.gen(function* () {
  const plans = yield* PlanChecker
  const registry = yield* ToolRegistry
  const skills = yield* Skills
  const { limits } = yield* RunSettings
  const workspace = yield* Workspace
  const gate = yield* Gate
  const allTools = registry.tools.map(({ name }) => name)

  const mayReveal = (call: ToolCall) =>
    Effect.flatMap(revealedFiles(call, [], workspace), (files) =>
      Effect.map(Effect.filter(files, mayShow(gate)), (shown) => shown.length === files.length)
    )

  return Effect.fn("checkRefinement")(function* (
    text: string,
    { inputs, planned }: CheckOptions,
    context: PlanContext
  ) {
    const first = readTaskReport(text, { task: planned, inputs })
    if (Option.isNone(first.value)) return first
    const { task: listed } = first.value.value
    const places = refinementPlaces(text)
    const list = new TaskList({ goals: "", steps: [new Step({ title: "Task", tasks: [listed] })] })
    // A refinement does not list the finished tasks, so every task to which it refers counts as finished.
    const finished = [...context.finished, ...listed.producerSlugs.map(finishedTask)]
    const checked = yield* plans.checkList(list, { ...context, finished })
    const task = Option.getOrUndefined(checked.value)?.tasks[0] ?? listed
    const skill = skills.find(task.skill)
    // The skill determines the inputs of the task.
    const reading = skill === undefined ? first : readTaskReport(text, { task: planned, inputs: skill.inputs })
    const document = Option.getOrElse(reading.value, (): RefinementDocument => ({ task, calls: [] }))
    const { calls, inputs: givenInputs = [], looks: priorCalls = [] } = document
    const issues: Array<Issue> = [...reading.issues, ...checked.issues]
    const repairs: Array<Repair> = [...reading.repairs, ...checked.repairs]
    const accept = (value: RefinementDocument): Reading<RefinementDocument> => ({
      value: Option.some(value),
      ...placeFindings({ issues, repairs }, places.ofTask)
    })
    if (skill === undefined) return accept({ ...document, task })
    const tools = new Set((skill.allowedTools ?? allTools).filter((tool) => allTools.includes(tool)))
    const tryAll = (section: string, sectionCalls: ReadonlyArray<ToolCall>) =>
      sectionCalls.map((call, index) => {
        const checked = registry.check(call, tools, task.name)
        const callFindings = placeFindings(checked, (where) =>
          places.ofCall(section, sectionCalls, index)({ ...where, section })
        )
        issues.push(...callFindings.issues)
        repairs.push(...callFindings.repairs)
        return checked
      })
    const reads = tryAll("Look first", priorCalls).map(({ call }) => call)
    const tried = tryAll("Tool Calls", calls)
    const callsMade = tried.map(({ call }) => call)
    const fitting = tried.flatMap((one) => (one.issues.length === 0 ? [one.call] : []))
    issues.push(
      ...(yield* Effect.provideService(checkInputPaths(skill.inputs, givenInputs, task.name), Workspace, workspace)),
      ...(yield* unfitCalls(fitting, { section: "Tool Calls", task: task.name }, registry, mayReveal)),
      ...checkRepetition([...reads, ...callsMade], limits.identicalCalls, task),
      ...(tools.size === 0 ? [] : checkPurpose([...reads, ...callsMade], task, reading, text))
    )
    return accept({ task, ...inputsField(givenInputs), ...looksField(reads), calls: callsMade })
  })
})

/** The options of a check. `name` is the file name of a plan, used if the plan contains no prompt. */
type NamedOptions = CheckOptions & { readonly name?: string }

const makeDocumentChecker = Effect.gen(function* () {
  const briefer = yield* Briefer
  const checker = yield* PlanChecker
  const checkRefinement = yield* makeRefinementCheck
  const { root: project } = yield* Workspace

  /** Makes the report about a document. If the document is readable, adds its repaired value. */
  const examine = Effect.fnUntraced(function* (kind: "task-list" | "refinement", text: string, options: NamedOptions) {
    const { finished = [], name = "" } = options
    const isList = kind === "task-list"
    const context = {
      briefing: yield* briefer.brief({ prompt: isList ? promptOfPlan(text, name) : "Refine a task." }),
      finished: finished.map(finishedTask),
      mayBeEmpty: isList && finished.length > 0
    }
    if (isList) {
      const reading = yield* checker.check(text, context)
      return { report: { ...reportOfList(reading, finished), project }, strictForms: strictLists(text, reading) }
    }
    const reading = yield* checkRefinement(text, options, context)
    const strictForms = Option.toArray(reading.value).map(renderTaskReport)
    return { report: { ...reportOfTurn(reading), project }, strictForms }
  })

  return {
    /** Checks a document. Also repairs its text if there are repairs but no issues. */
    fix: Effect.fn("DocumentChecker.fix")(function* (kind: DocumentKind, text: string, options: NamedOptions) {
      // A result refers to nothing that must exist, so it needs no project.
      if (kind === "result") return fixDocument(kind, text, options)
      const { report, strictForms } = yield* examine(kind, text, options)
      const fixed = (found: string): FixedDocument => ({ report, text: found })
      if (report.verdict !== "repaired") return fixed(text)
      for (const candidate of strictForms) {
        const again = yield* examine(kind, candidate, options)
        if (isBetter(report, again.report)) return fixed(candidate)
      }
      return fixed(text)
    })
  }
})

export class DocumentChecker extends Context.Service<DocumentChecker>()(
  "task-conductor/plugins/check-tools/DocumentChecker",
  { make: makeDocumentChecker }
) {
  static readonly layer = Layer.effect(this, this.make)
}
