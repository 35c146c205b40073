/**
 * Resolves the references of tasks to content, and checks the references of a task list with the same code. A check
 * asks nobody and opens nothing outside the project.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"
import { ruleText } from "../../domain/permissions/Permission.ts"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import { accessTarget, type CanonicalAccess } from "../../domain/tools/Access.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { Issue, Repair, type Where, makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { readMarkdown } from "../../domain/markdown/Markdown.ts"
import { rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { referenceExcerpts } from "../../domain/models/ReferenceExcerpt.ts"
import type { CutReference } from "../../domain/models/Coverage.ts"
import { searchTermsOf } from "../../domain/excerpts/SearchTerms.ts"
import { ResolvedReference, withoutRepetitions, overBudget, leastSize } from "../../domain/models/ReferenceContent.ts"
import type { Reference } from "../../domain/plan/Reference.ts"
import { Task } from "../../domain/plan/Task.ts"
import { TaskList, Step } from "../../domain/plan/TaskList.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"
import { estimateTokens, type TokenScale } from "../../domain/models/PromptSize.ts"
import { Activities } from "../journal/Activities.ts"
import { textHash } from "../files/Hash.ts"
import { PermissionDenied, type QuestionScope, SavedDenial, questionOfAccess } from "../permissions/GateQuestion.ts"
import { Gate, foreseeDenial, mayRead } from "../permissions/Gate.ts"
import type { GateDenial } from "../permissions/GateDecision.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { problem, type ReferenceContext, type ReferenceProblem, type ReferenceResolver } from "./ReferenceContext.ts"
import { makeReferenceResolver } from "./ReferenceResolver.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { Workspace } from "../files/Workspace.ts"

/**
 * Says that a reference was valid when the plan was checked, but has no content now. For example, its file was deleted,
 * or the fetch was denied.
 */
export class ReferenceError extends Schema.TaggedError<ReferenceError>()("ReferenceError", {
  href: Schema.String,
  detail: Schema.String,
  denied: Schema.optionalKey(SavedDenial)
}) {
  override get message(): string {
    return `The reference ${this.href} cannot be used: ${this.detail}`
  }
}

/** What is recorded about a checked task list, and about one resolved reference. */
const Checked = Schema.Struct({ list: TaskList, issues: Schema.Array(Issue), repairs: Schema.Array(Repair) })
const Probed = Schema.Struct({
  found: Schema.Result(ResolvedReference, ReferenceError),
  denials: Schema.Array(SavedDenial)
})

/** The problem of a reference if nothing can allow access to its target in this run. */
const deniedProblem = (target: string, { denied, rules: [rule] }: GateDenial): ReferenceProblem => {
  const { reason, tool } = denied
  if (reason !== undefined) return problem("reference-denied", `${target} ${reason}.`, ruleOf("reference-denied").fix)
  const what =
    rule === undefined
      ? `No rule allows reading ${target} and nobody can be asked in this run; --allow "${tool}:${exactPattern(target)}" would allow it.`
      : `The rule "${rule.verdict} ${ruleText(rule)}" forbids reading ${target}.`
  return problem("reference-denied", what, ruleOf("reference-denied").fix)
}

const documentOf = ({ requestDocument }: Briefing) => readMarkdown(requestDocument)

/** What is needed to check a list: the briefing, the finished tasks, and the budget for each task in characters. */
interface CheckContext {
  readonly briefing: Briefing
  readonly finished: ReadonlyArray<TaskResult>
  readonly budget: number
}

interface BlockContext extends Omit<CheckContext, "budget"> {
  /**
   * The limit for all references together, in characters. `whole` is the limit for references that are not shortened,
   * `parts` the limit for shortened references, and `changelog` the limit for a whole changelog.
   */
  readonly budget?: { readonly parts: number; readonly whole: number; readonly changelog?: number | undefined }
  /** The place of the task in the run. See `QuestionScope`. */
  readonly place: string
}

/**
 * The smallest budget for one reference, in characters. If less space is left, only the names of the files are
 * shown, and the model can read the files.
 */
const leastExcerpt = 800

/** The references of a task as a prompt shows them. */
export interface ReferenceBlock {
  readonly text: string
  /**
   * Returns the text again within `budget` characters, for a prompt that has grown. Files that the model knows by now
   * are only named.
   */
  readonly within: (budget: number, isKnown: (path: string) => boolean) => string
  /** The references that the text shows only in part. */
  readonly cut: ReadonlyArray<CutReference>
}

/** Checks one task. Returns its issues and repairs, and the task with corrected references. */
const checkTask = Effect.fnUntraced(function* (
  task: Task,
  where: Where,
  context: ReferenceContext,
  budget: number,
  resolve: ReferenceResolver
) {
  const issues: Array<Issue> = []
  const repairs: Array<Repair> = []
  const resolved: Array<ResolvedReference> = []
  const references = yield* Effect.forEach(task.references, (written) =>
    written.kind === "unknown"
      ? Effect.succeed(written)
      : Effect.match(resolve(written, context), {
          onFailure: ({ code, how, what }) => {
            const fix = how === "" ? ruleOf("reference-unreadable").fix : how
            issues.push(makeIssue(code, where, { what, how: fix, quote: written.href }))
            return written
          },
          onSuccess: (result) => {
            const { reference } = result
            const text = `Read the reference "${written.href}" as "${reference.href}".`
            if (reference.href !== written.href) repairs.push(makeRepair("reference-target", where, text))
            resolved.push(result)
            return reference
          }
        })
  )
  const distinct = withoutRepetitions(resolved, ({ reference }) => reference)
  if (leastSize(distinct) > budget) {
    const { how, what } = overBudget(distinct, budget)
    issues.push(makeIssue("references-too-large", where, { what, how }))
  }
  return { task: new Task({ ...task, references }), issues, repairs }
})

const tasksOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Task> => steps.flatMap(({ tasks }) => tasks)

/**
 * Checks a whole task list. Each reference must resolve, and the references of a task must fit `budget` characters. The
 * reader of the list has already checked the form of links and the order of sections.
 */
const checkReferences = Effect.fn("checkReferences")(function* (
  list: TaskList,
  budget: number,
  sharedContext: Omit<ReferenceContext, "expected" | "tooLate">,
  resolve: ReferenceResolver
) {
  const issues: Array<Issue> = []
  const repairs: Array<Repair> = []
  const steps = yield* Effect.forEach(list.steps, (step, index) => {
    const context = {
      ...sharedContext,
      expected: tasksOf(list.steps.slice(0, index)),
      tooLate: tasksOf(list.steps.slice(index))
    }
    const checkOne = (task: Task) => {
      const where = { section: step.title, task: task.name, field: "References" }
      return Effect.map(checkTask(task, where, context, budget, resolve), (checked) => {
        issues.push(...checked.issues)
        repairs.push(...checked.repairs)
        return checked.task
      })
    }
    return Effect.map(Effect.forEach(step.tasks, checkOne), (tasks) => new Step({ title: step.title, tasks }))
  })
  return { list: new TaskList({ goals: list.goals, steps }), issues, repairs }
})

/** Returns a function that resolves each reference of a task once, so that the gate asks only once about an access. */
const makeResolveAll = Effect.gen(function* () {
  const activities = yield* Activities
  const gate = yield* Gate
  const resolve = yield* makeReferenceResolver

  /**
   * Resolves one reference and records the outcome. Results of tasks are not recorded here, because the run already has
   * them.
   */
  const probe = (reference: Reference, scope: QuestionScope, context: Omit<ReferenceContext, "permit">) => {
    const denials: Array<PermissionDenied> = []
    const permit: ReferenceContext["permit"] = (access) =>
      Effect.mapError(gate.authorize(questionOfAccess(scope, access)), (denied) => {
        denials.push(denied)
        return problem("reference-unreadable", denied.forModel)
      })
    const resolved = Effect.mapError(
      resolve(reference, { ...context, permit }),
      ({ message }) => new ReferenceError({ href: reference.href, detail: message })
    )
    if (reference.kind === "task_result") return resolved
    const probed = Effect.map(Effect.result(resolved), (found) => ({ found, denials }))
    const key = seenKey.reference(scope.task, reference.href)
    return Effect.flatMap(activities.record({ key, success: Probed }, probed), ({ denials, found }) => {
      const denied = denials.at(-1)
      return Effect.mapError(Effect.fromResult(found), ({ detail, href }) =>
        denied === undefined ? new ReferenceError({ href, detail }) : new ReferenceError({ href, detail, denied })
      )
    })
  }

  return (task: Task, place: string, context: Omit<ReferenceContext, "permit">) =>
    Effect.forEach(
      withoutRepetitions(task.references, (reference) => reference),
      (reference) => probe(reference, { task: task.name, place }, context)
    )
})

/**
 * The references for the event `references.read`, with their sizes. `shown` is the number of shown characters, and is
 * absent if the whole text is shown.
 */
const readReferences = (excerpts: ReturnType<typeof referenceExcerpts>, scale: TokenScale) =>
  excerpts.flatMap(({ resolved: { content, reference }, shownCharacters: shownCount }) => {
    if (content.kind === "later") return []
    const { href, title } = reference
    const { text } = content
    const isCut = shownCount < text.trimEnd().length
    const tokens = estimateTokens(text, scale)
    return [
      { href, title, characters: text.length, ...(isCut ? { shown: shownCount } : {}), tokens, hash: textHash(text) }
    ]
  })

const makeReferences = Effect.gen(function* () {
  const activities = yield* Activities
  const calibration = yield* TokenCalibration
  const events = yield* RunEvents
  const gate = yield* Gate
  const readTexts = yield* ReadTexts
  const settings = yield* RunSettings
  const workspace = yield* Workspace
  const resolve = yield* makeReferenceResolver
  const resolveAll = yield* makeResolveAll

  const fileAt = (target: string) =>
    Effect.match(workspace.canonical(target), {
      onFailure: () => "project" as const,
      onSuccess: ({ path: file }) => ({ file })
    })

  const foresee = (access: CanonicalAccess) =>
    Effect.map(foreseeDenial(gate, access), (denial) => denial && deniedProblem(accessTarget(access), denial))

  /**
   * Checks the references of a whole list against the project and the run. Each reference must mean a heading of the
   * request, a task, a readable file or a page. The references of one task must together fit `budget` characters.
   * Returns the corrected list. The reader of the list, and not this function, checks the form of links and the order
   * of sections.
   */
  const check = Effect.fnUntraced(function* (list: TaskList, { briefing, budget, finished }: CheckContext) {
    if (list.tasks.every(({ references }) => references.length === 0)) return { list, issues: [], repairs: [] }
    const tree = yield* Effect.cached(workspace.tree)
    return yield* activities.record(
      { key: seenKey.check(list.tasks.map(({ name }) => name)), success: Checked },
      checkReferences(
        list,
        budget,
        { document: documentOf(briefing), finished, tree, mayRead: mayRead(gate), foresee },
        resolve
      )
    )
  })

  /**
   * Returns the block with the references of a task. It shows for each reference `Reference information for <title>`,
   * `The contents of <href>`, and the content. Long content is shown in parts. The block is empty if there are no
   * references.
   */
  const block = Effect.fnUntraced(function* (
    task: Task,
    { briefing, budget, finished, place }: BlockContext
  ): Effect.fn.Return<ReferenceBlock, ReferenceError> {
    if (task.references.length === 0) return { text: "", within: () => "", cut: [] }
    const context = {
      document: documentOf(briefing),
      finished,
      expected: [],
      tooLate: [],
      tree: yield* Effect.cached(workspace.tree)
    }
    const resolved = withoutRepetitions(yield* resolveAll(task, place, context), ({ reference }) => reference)
    yield* Effect.forEach(resolved, ({ content, reference: { kind, target } }) => {
      if (content.kind === "later" || kind !== "file") return Effect.void
      return Effect.flatMap(fileAt(target), (file) => readTexts.noteRead(content.text, file))
    })
    const terms = searchTermsOf(`${task.name}\n${task.whatIsNeeded}\n${task.expectedOutput}`, briefing.prompt)
    const fit = (some: typeof resolved, blocks?: number, whole?: number) =>
      referenceExcerpts(some, terms, {
        changelog: budget?.changelog,
        contents: settings.referenceBudget,
        blocks,
        whole
      })
    const fitted = fit(resolved, budget?.parts, budget?.whole)
    const read = readReferences(fitted, calibration.scale(settings.model))
    if (read.length > 0) yield* events.publish({ type: "references.read", task: task.name, references: read })
    const textOf = (all: typeof fitted): string => all.map(({ block }) => block).join("")
    const text = textOf(fitted)
    const within = (characters: number, isKnown: (path: string) => boolean): string => {
      const isTooLittle = characters < leastExcerpt * resolved.length
      const isNamed = ({ reference: { kind, target } }: ResolvedReference): boolean =>
        kind === "file" && (isKnown(target) || (isTooLittle && text.length > characters))
      const names = resolved.filter(isNamed).map(({ reference }) => reference.href)
      if (names.length === 0) return text.length <= characters ? text : textOf(fit(resolved, characters))
      const note = `(There is no room for the contents of ${names.join(", ")}: read what you need of them.)`
      const others = resolved.filter((reference) => !isNamed(reference))
      return `${rawBlock("## Reference information", note)}${textOf(fit(others, characters))}`
    }
    return { text, within, cut: fitted.flatMap(({ cut }) => cut ?? []) }
  })

  return { check, block }
})

export class References extends Context.Service<References>()("task-conductor/services/references/References", {
  make: makeReferences
}) {
  static readonly layer = Layer.effect(this, this.make)
}
