/**
 * Turns an order into a valid task list: from the model, from a file, or with one task for a given skill. A resumed run
 * uses its earlier briefing and list again.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { taskListShape } from "../../domain/documents/AnswerWatch.ts"
import { exampleIn, planIssues } from "../../domain/documents/PlanExample.ts"
import { readTaskList } from "../../domain/documents/TaskListFormat.ts"
import { planGrammar } from "../../domain/documents/AnswerGrammar.ts"
import { link, renderTaskList } from "../../domain/documents/TaskRendering.ts"
import { Repair } from "../../domain/findings/Issue.ts"
import { fencedBlock } from "../../domain/markdown/PromptBlock.ts"
import {
  AnsweredQuestion,
  Briefing,
  attachmentAnchor,
  briefingBlocks,
  briefingLinks,
  withAnswers
} from "../../domain/models/Briefing.ts"
import { issuesBlock } from "../../domain/models/ExecutionBlocks.ts"
import type { AnchorReference } from "../../domain/plan/Reference.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import { stageKey } from "../../domain/runs/ActivityKey.ts"
import { NoValidPlan, type RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { Activities } from "../journal/Activities.ts"
import { Prompts } from "../models/Prompts.ts"
import { CurrentSubject } from "../providers/CallSubject.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { Briefer } from "./Briefer.ts"
import { makeOrderOverflow, requireFit } from "./FirstPrompts.ts"
import { makeModelQuestions } from "./ModelQuestions.ts"
import { PlanChecker, type PlanContext, makeMissingTools, plannerSkills } from "./PlanChecker.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { Skills } from "../skills/Skills.ts"

const Planned = Schema.Struct({
  taskList: TaskList,
  attempts: Schema.Int,
  /** Repairs and notes about a plan from a file. */
  repairs: Schema.optionalKey(Schema.Array(Repair)),
  /** The user's replies during planning. */
  answers: Schema.optionalKey(Schema.Array(AnsweredQuestion))
})
type Planned = typeof Planned.Type

const startOf = (briefing: Briefing): PlanContext => ({ briefing, finished: [], mayBeEmpty: false })

const planOfSkill = (skill: string, { attachment, prompt }: Briefing): Planned => {
  const target = attachmentAnchor
  const attached: AnchorReference = { kind: "anchor", title: "Attached input", href: `#${target}`, target }
  const references = attachment === undefined ? [] : [attached]
  const task = plainTask(`${skill} 1`, skill, prompt, "What the prompt asks for.", { references })
  const step = new Step({ title: "Task section 1", tasks: [task] })
  return { taskList: new TaskList({ goals: prompt, steps: [step] }), attempts: 0 }
}

/** The question that nobody answered, with advice for the user. Empty if there is none. */
const openQuestion = (question: string | undefined, what: string, how: string): string =>
  question === undefined ? "" : `${what}: "${question.replaceAll(/\s+/g, " ")}" ${how}`

const readPlan = Effect.fn("Planner.read")(function* (
  checker: PlanChecker["Service"],
  markdown: string,
  briefing: Briefing
) {
  const reading = yield* checker.check(markdown, startOf(briefing))
  if (reading.issues.length > 0 || Option.isNone(reading.value)) {
    return yield* new NoValidPlan({ detail: "The plan is not a valid task list.", issues: reading.issues })
  }
  const { repairs } = reading
  return { taskList: reading.value.value, attempts: 0, ...(repairs.length === 0 ? {} : { repairs }) }
})

export const makePlanner = Effect.gen(function* () {
  const attempts = yield* Attempts
  const events = yield* RunEvents
  const checker = yield* PlanChecker
  const prompts = yield* Prompts
  const skills = yield* Skills
  const { catalogue, names } = yield* plannerSkills
  const missing = yield* makeMissingTools
  const questionsAt = yield* makeModelQuestions
  const example = exampleIn(prompts.instructions("creation"))

  const promptOf = (briefing: Briefing, previous?: Previous) =>
    prompts.fill("creation", {
      ...briefingBlocks(briefing),
      skill_catalog: catalogue,
      previous_proposal: fencedBlock("## Previous proposal", previous?.answer ?? "", "markdown"),
      previous_proposal_issues: issuesBlock("## Issues with the previous proposal", previous?.issues)
    })

  /** Asks the model until its task list is valid. */
  const plan = Effect.fn("Planner.plan")(function* (briefing: Briefing) {
    const questions = questionsAt(stageKey.plan)
    /** A list from the model must not copy the example in the prompt. */
    const check = Effect.fnUntraced(function* (answer: string) {
      const reading = yield* checker.check(answer, startOf(briefing))
      if (Option.isNone(reading.value)) return reading
      const { prompt } = withAnswers(briefing, questions.answered())
      return { ...reading, issues: [...planIssues(reading.value.value, example, prompt), ...reading.issues] }
    })
    const accepted = yield* attempts
      .run({
        stage: "plan",
        round: 0,
        prompt: (previous: Previous | undefined) => promptOf(withAnswers(briefing, questions.answered()), previous),
        shape: taskListShape,
        grammar: () => planGrammar({ skills: names, links: briefingLinks(briefing).map(link), mayBeEmpty: false }),
        readPart: (part) => readTaskList(part).issues,
        compare: check,
        read: Effect.fnUntraced(function* (answer) {
          return (yield* questions.ask(answer)) ?? (yield* check(answer))
        })
      })
      .pipe(
        Effect.provideService(CurrentSubject, { stage: "plan", request: briefing.prompt }),
        Effect.catchTag("AttemptsExhausted", ({ attempts, issues, message }) => {
          const question = openQuestion(questions.open(), " The model asks", "Answer it in the prompt.")
          return new NoValidPlan({ detail: `Could not build valid task list ${message}${question}`, issues, attempts })
        })
      )
    const text = openQuestion(
      questions.open(),
      "The model asked, and then planned without an answer",
      "Say it in the prompt when the plan is wrong."
    )
    if (text !== "") yield* events.publish({ type: "message", level: "warning", text })
    const answers = questions.answered()
    return {
      taskList: accepted.value,
      attempts: accepted.attempts,
      ...(answers.length === 0 ? {} : { answers })
    }
  })

  /** A plan with a single task. The task uses this skill and does what the prompt says. */
  const single = Effect.fn("Planner.single")(function* (name: string, briefing: Briefing) {
    const skill = skills.find(name)
    if (skill === undefined) {
      const names = skills.all.map((found) => found.skill.name)
      return yield* new UnknownSkill({ skill: name, nearest: nearestOrAll(name, names) })
    }
    const unusable = missing.whyUnusable(skill)
    if (unusable !== undefined) return yield* new NoValidPlan({ detail: unusable, issues: [] })
    return planOfSkill(name, briefing)
  })

  const read = (markdown: string, briefing: Briefing) => readPlan(checker, markdown, briefing)
  return { plan, promptOf, read, single }
})

/** A checked task list, which a run accepts as its plan. */
export interface CheckedTaskList {
  /** The plan as a value. */
  readonly taskList: TaskList
  /** The plan as markdown, which `run` accepts as `plan`. */
  readonly markdown: string
}

export type Prepared = Effect.Success<ReturnType<Effect.Success<typeof makePreparation>>>

export const makePreparation = Effect.gen(function* () {
  const activities = yield* Activities
  const briefer = yield* Briefer
  const planner = yield* makePlanner
  const events = yield* RunEvents
  const missing = yield* makeMissingTools
  const overflow = yield* makeOrderOverflow
  const skills = yield* Skills

  const brief = (order: RunOrder) => {
    const { attachment, currentFile, openFiles = [], prompt } = order
    return activities.runStage(
      { key: stageKey.briefing, success: Briefing },
      briefer
        .brief({ prompt, openFiles, currentFile, attachment })
        .pipe(Effect.tap((found) => requireFit(overflow(order, planner.promptOf), found)))
    )
  }

  const plan = ({ plan: markdown }: RunOrder, briefing: Briefing) =>
    activities.runStage(
      { key: stageKey.plan, success: Planned },
      markdown === undefined ? planner.plan(briefing) : planner.read(markdown, briefing)
    )

  const partlyEquipped = ({ tasks }: TaskList): ReadonlyArray<string> =>
    [...new Set(tasks.map(({ skill }) => skill))].flatMap((name) => {
      const skill = skills.find(name)
      return (skill === undefined ? undefined : missing.whatIsMissing(skill)) ?? []
    })

  const emitPlan = Effect.fnUntraced(function* (made: Planned, { prompt }: RunOrder, briefing: Briefing) {
    const { answers = [], ...planned } = made
    const { taskList } = planned
    const markdown = renderTaskList(taskList, { prompt })
    yield* events.publish({ type: "plan.created", ...planned, markdown })
    for (const text of partlyEquipped(taskList)) {
      yield* events.publish({ type: "message", level: "warning", text })
    }
    const list: CheckedTaskList = { taskList, markdown }
    return { list, briefing: withAnswers(briefing, answers) }
  })

  /**
   * Gathers the briefing. An order that cannot be carried out fails here, before the first event. `createTaskList`
   * makes or reads the list and publishes it. It returns the list, and the briefing with the user's replies.
   */
  return Effect.fn("prepare")(function* (order: RunOrder) {
    const briefing = yield* brief(order)
    const planned =
      order.skill === undefined
        ? plan(order, briefing)
        : yield* planner.single(order.skill, briefing).pipe(
            Effect.map(Effect.succeed),
            Effect.catchTag("NoValidPlan", (invalid) => Effect.succeed(Effect.fail(invalid)))
          )
    return { briefing, createTaskList: Effect.flatMap(planned, (made) => emitPlan(made, order, briefing)) }
  })
})
