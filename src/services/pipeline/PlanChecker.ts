/**
 * Checks a task list before it may run: the format, every skill, reference and budget. Reports all issues together.
 * Notes name skills that lack tools, and tasks that will wait for approval.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Option from "effect/Option"
import { listPlaces, placeFindings } from "../../domain/documents/FindingPlaces.ts"
import { readTaskList } from "../../domain/documents/TaskListFormat.ts"
import { counted } from "../../domain/text/Format.ts"
import { forEachText } from "../../domain/grammar/ForEachForm.ts"
import { fieldLabels } from "../../domain/markdown/TaskFields.ts"
import { seenKey } from "../../domain/runs/ActivityKey.ts"
import { type Issue, type Repair, makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import type { ForEach } from "../../domain/plan/ForEach.ts"
import { Task } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import { isFinal, type TaskResult } from "../../domain/plan/TaskResult.ts"
import { passes } from "../../domain/checks/CheckOutcome.ts"
import { type Skill, missingTools, usableSkills } from "../../domain/skills/Skill.ts"
import { forgivingSlug } from "../../domain/text/Slug.ts"
import { makeItemFiles } from "../changes/SearchedTexts.ts"
import { makeInstructions } from "./Instructions.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { References } from "../references/References.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Activities } from "../journal/Activities.ts"
import { Skills, catalogueOf } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** The names of the skills, and the markdown that describes them to the model. */
export const plannerSkills = Effect.gen(function* () {
  const skills = yield* Skills
  const { tools } = yield* ToolRegistry
  const offered = usableSkills(
    skills.all.map((found) => found.skill),
    tools.map((tool) => tool.name)
  )
  return { names: offered.map((skill) => skill.name), catalogue: catalogueOf(offered) }
})

const generic = "Name the plugin or the server that has it with --plugin or in the configuration, or use another skill."

export const makeMissingTools = Effect.gen(function* () {
  const { problems, tools } = yield* ToolRegistry
  const names = tools.map((tool) => tool.name)
  /*
   * A missing tool may belong to a skipped plugin. The advice then says why plugins were skipped.
   */
  const remedy = problems.length === 0 ? generic : problems.map(({ message }) => message).join(" ")

  const textOf = (skill: Skill, consequence: string): string => {
    const missing = missingTools(skill, names)
    const what = missing.length === 1 ? `there is no tool ${missing[0]}` : `there are no tools ${missing.join(", ")}`
    return `The skill "${skill.name}" ${consequence}: ${what}. ${remedy}`
  }

  return {
    /** Why the skill cannot work at all; undefined if it can. */
    whyUnusable: (skill: Skill): string | undefined =>
      usableSkills([skill], names).length > 0 ? undefined : textOf(skill, "cannot work"),
    /** The tools that the skill lacks, as a sentence; undefined if it lacks none. */
    whatIsMissing: (skill: Skill): string | undefined =>
      missingTools(skill, names).length === 0 ? undefined : textOf(skill, "works without a part of its tools")
  }
})

const makeApprovalWarnings = Effect.gen(function* () {
  const skills = yield* Skills
  const registry = yield* ToolRegistry

  const reasonOf = ({ allowedTools = [], name, requiresApproval }: Skill): string | undefined => {
    if (requiresApproval) return `the skill "${name}" requires approval`
    const isWriter = allowedTools.length > 0 && allowedTools.every((tool) => registry.find(tool)?.risk === "high")
    return isWriter ? `all tools of the skill "${name}" are of high risk` : undefined
  }

  return (list: TaskList): ReadonlyArray<Repair> =>
    list.steps.flatMap(({ tasks, title }) =>
      tasks.flatMap(({ name, requiresApproval, skill }) => {
        const ungated = requiresApproval ? undefined : skills.find(skill)
        const reason = ungated && reasonOf(ungated)
        if (reason === undefined) return []
        const where = { section: title, task: name, field: "Requires user approval" }
        return [makeRepair("writer-without-approval", where, `"${name}" will wait for approval: ${reason}.`)]
      })
    )
})

const isDone = (result: TaskResult): boolean => isFinal(result) && (result.checks ?? []).every(passes)

export interface PlanContext {
  readonly briefing: Briefing
  readonly finished: ReadonlyArray<TaskResult>
  /** True for a list that continues a run: an empty list then means that the goals are met. */
  readonly mayBeEmpty: boolean
  /** True if tasks may repeat finished work, because the model was already told once that they repeat it. */
  readonly mayRepeat?: boolean
}

/** Corrects a name such as `search_code` to `search-code` if exactly one skill matches. */
const findSkill = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (known.includes(name)) return name
  const similar = known.filter((skill) => forgivingSlug(skill) === forgivingSlug(name))
  return similar.length === 1 ? similar[0] : undefined
}

/** Checks that every task has a usable skill. `whyUnusable` says why an existing skill cannot be used. */
const checkSkills = (
  list: TaskList,
  skillNames: ReadonlyArray<string>,
  whyUnusable: (skill: string) => string | undefined
) => {
  const issues: Array<Issue> = []
  const repairs: Array<Repair> = []
  const steps = list.steps.map((step) => {
    const withSkill = (task: Task): Task => {
      const where = { section: step.title, task: task.name, field: "Skill" }
      const skill = findSkill(task.skill, skillNames)
      if (skill === undefined) {
        issues.push(
          makeIssue("skill-unknown", where, {
            what: whyUnusable(task.skill) ?? `There is no skill "${task.skill}".`,
            how: `Use one of: ${nearestOrAll(task.skill, skillNames).join(", ")}.`,
            quote: task.skill
          })
        )
      } else if (skill !== task.skill) {
        repairs.push(makeRepair("skill-spelling", where, `Read "${task.skill}" as the skill "${skill}".`))
        return new Task({ ...task, skill })
      }
      return task
    }
    const [first, ...rest] = step.tasks
    return new Step({ title: step.title, tasks: [withSkill(first), ...rest.map(withSkill)] })
  })
  return { list: new TaskList({ goals: list.goals, steps }), issues, repairs }
}

/**
 * The number of items of a task, and sentences about files that were not searched. Older journals contain only the
 * number.
 */
const CountedItems = Schema.Struct({ count: Schema.Int, notLookedAt: Schema.String })

/**
 * Makes a check of for-each tasks with a file pattern. It records the number of items of each task, and an issue if
 * there are none.
 */
const makeItemCheck = Effect.gen(function* () {
  const activities = yield* Activities
  const itemFiles = yield* makeItemFiles

  const count = Effect.fnUntraced(function* (task: string, forEach: ForEach, pattern: string) {
    const recorded = yield* activities.record(
      { key: seenKey.itemCount(task), success: Schema.Union([Schema.Int, CountedItems]) },
      Effect.map(itemFiles(forEach, pattern), ({ items, notLookedAt }) => ({ count: items.length, notLookedAt }))
    )
    return typeof recorded === "number" ? { count: recorded, notLookedAt: "" } : recorded
  })

  return Effect.fnUntraced(function* ({ steps }: TaskList) {
    const issues: Array<Issue> = []
    const repairs: Array<Repair> = []
    for (const { tasks, title } of steps) {
      for (const { forEach, name } of tasks) {
        if (forEach?.source.kind !== "glob") continue
        const where = { section: title, task: name, field: fieldLabels.each }
        const items = yield* count(name, forEach, forEach.source.pattern)
        const text = forEachText(forEach)
        const what =
          items.notLookedAt === ""
            ? `There is no ${text}.`
            : `No ${text} was found in what was looked at. ${items.notLookedAt}`
        if (items.count === 0) issues.push(makeIssue("for-each-empty", where, { what }))
        else
          repairs.push(
            makeRepair("for-each-count", where, `"${name}" has ${counted(items.count, "item")}: each ${text}.`)
          )
      }
    }
    return { issues, repairs }
  })
})

export class PlanChecker extends Context.Service<PlanChecker>()("task-conductor/services/pipeline/PlanChecker", {
  make: Effect.gen(function* () {
    const checkItems = yield* makeItemCheck
    const references = yield* References
    const settings = yield* RunSettings
    const { names: skillNames } = yield* plannerSkills
    const missing = yield* makeMissingTools
    const skills = yield* Skills
    const whyUnusable = (name: string): string | undefined => {
      const skill = skills.find(name)
      return skill === undefined ? undefined : missing.whyUnusable(skill)
    }
    const instructions = yield* makeInstructions
    const taskPrompts = yield* makeTaskPrompts
    const noteWriters = yield* makeApprovalWarnings

    /** Returns issues for tasks whose prompts cannot fit the window, even without references and outputs. */
    const sizeIssues = Effect.fnUntraced(function* (list: TaskList, briefing: Briefing) {
      const issues: Array<Issue> = []
      for (const { tasks, title } of list.steps) {
        for (const task of tasks.filter(({ skill }) => skillNames.includes(skill))) {
          const what = taskPrompts.overflow(task, yield* instructions.forTask(briefing, task, "plan"))
          if (what !== undefined)
            issues.push(makeIssue("task-too-large", { section: title, task: task.name }, { what }))
        }
      }
      return issues
    })

    const checkList = Effect.fn("PlanChecker.checkList")(function* (list: TaskList, context: PlanContext) {
      const withSkills = checkSkills(list, skillNames, whyUnusable)
      const withReferences = yield* references.check(withSkills.list, {
        briefing: context.briefing,
        finished: context.finished,
        budget: settings.referenceBudget
      })
      const withItems = yield* checkItems(withReferences.list)
      const withIssues = new Set(withReferences.issues.map(({ where }) => where.task))
      const sizes = yield* sizeIssues(withReferences.list, context.briefing)
      const tooLarge = sizes.filter(({ where }) => !withIssues.has(where.task))
      return {
        value: Option.some(withReferences.list),
        issues: [...withSkills.issues, ...withReferences.issues, ...withItems.issues, ...tooLarge],
        repairs: [
          ...withSkills.repairs,
          ...withReferences.repairs,
          ...withItems.repairs,
          ...noteWriters(withReferences.list)
        ]
      }
    })

    const check = Effect.fn("PlanChecker.check")(function* (text: string, context: PlanContext) {
      const finished = context.finished.map((result) => result.name)
      const work = context.mayRepeat === true ? [] : context.finished.filter(isDone).map(({ task }) => task)
      const read = readTaskList(text, { finished, work, allowEmpty: context.mayBeEmpty })
      if (Option.isNone(read.value)) return read
      const checked = yield* checkList(read.value.value, context)
      if (checked.issues.length + checked.repairs.length === 0) return { ...read, value: checked.value }
      const issues = [...read.issues, ...checked.issues]
      const repairs = [...read.repairs, ...checked.repairs]
      return { value: checked.value, ...placeFindings({ issues, repairs }, listPlaces(text, finished)) }
    })

    return {
      /** Checks the text of a task list, and returns it with all repairs. */
      check,
      /** Checks the skills and references of a parsed list. */
      checkList
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
