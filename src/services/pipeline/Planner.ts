/**
 * Makes a valid task list for the request: with the model, from a file, or from a single skill.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { taskListShape } from "../../domain/documents/AnswerWatch.ts"
import { readTaskList } from "../../domain/documents/TaskListFormat.ts"
import { attachmentAnchor } from "../../domain/models/Attachment.ts"
import { type Briefing, briefingBlocks } from "../../domain/models/Briefing.ts"
import { Repair } from "../../domain/findings/Issue.ts"
import { issuesBlock } from "../../domain/models/IssuesBlock.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { fencedBlock } from "../../domain/markdown/PromptBlock.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { NoValidPlan, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { PlanChecker, type PlanWorld } from "./PlanChecker.ts"
import { makeMissingTools } from "./MissingTools.ts"
import { plannerSkills } from "./UsableSkills.ts"
import { Prompts } from "../models/Prompts.ts"
import { Skills } from "../skills/Skills.ts"

export const Planned = Schema.Struct({
  taskList: TaskList,
  attempts: Schema.Int,
  /** The repairs and notes about a plan from a file. */
  repairs: Schema.optionalKey(Schema.Array(Repair))
})
export type Planned = typeof Planned.Type

const startOf = (briefing: Briefing): PlanWorld => ({ briefing, finished: [], mayBeEmpty: false })

export class Planner extends Context.Service<
  Planner,
  {
    /** Asks the model until its task list is valid. */
    plan(briefing: Briefing): Effect.Effect<Planned, NoValidPlan | ModelError>
    /** Checks a task list that somebody wrote. */
    read(markdown: string, briefing: Briefing): Effect.Effect<Planned, NoValidPlan>
    /** One task with the given skill that does what the prompt says. */
    single(skill: string, briefing: Briefing): Effect.Effect<Planned, UnknownSkill | NoValidPlan>
  }
>()("task-conductor/services/pipeline/Planner") {
  static readonly layer = Layer.effect(
    Planner,
    Effect.gen(function* () {
      const attempts = yield* Attempts
      const checker = yield* PlanChecker
      const prompts = yield* Prompts
      const skills = yield* Skills
      const { catalogue } = yield* plannerSkills
      const missing = yield* makeMissingTools

      const plan = Effect.fn("Planner.plan")(function* (briefing: Briefing) {
        const ahead = yield* checker.streamingReader
        const accepted = yield* attempts
          .run({
            stage: "plan",
            round: 0,
            turn: 0,
            prompt: (previous: Previous | undefined) =>
              prompts.fill("creation", {
                ...briefingBlocks(briefing),
                skill_catalog: catalogue,
                previous_proposal: fencedBlock("## Previous proposal", previous?.answer ?? "", "markdown"),
                previous_proposal_issues: issuesBlock("## Issues with the previous proposal", previous?.issues)
              }),
            shape: taskListShape,
            listen: ahead.listen,
            readPart: (part) => readTaskList(part).issues,
            read: (answer) => checker.check(answer, { ...startOf(briefing), ahead })
          })
          .pipe(
            Effect.catchTag(
              "AttemptsExhausted",
              (gaveUp) =>
                new NoValidPlan({
                  detail: `Could not build valid task list ${gaveUp.message}`,
                  issues: gaveUp.issues,
                  attempts: gaveUp.attempts
                })
            )
          )
        return { taskList: accepted.value, attempts: accepted.attempts }
      }, Effect.scoped)

      const read = Effect.fn("Planner.read")(function* (markdown: string, briefing: Briefing) {
        const reading = yield* checker.check(markdown, startOf(briefing))
        if (reading.issues.length > 0 || Option.isNone(reading.value)) {
          return yield* new NoValidPlan({ detail: "The plan is not a valid task list.", issues: reading.issues })
        }
        const { repairs } = reading
        return { taskList: reading.value.value, attempts: 0, ...(repairs.length === 0 ? {} : { repairs }) }
      })

      const single = Effect.fn("Planner.single")(function* (skill: string, briefing: Briefing) {
        const found = skills.find(skill)
        if (found === undefined) {
          const names = skills.all.map((found) => found.skill.name)
          return yield* new UnknownSkill({ skill, nearest: nearestOrAll(skill, names) })
        }
        const unusable = missing.whyUnusable(found)
        if (unusable !== undefined) return yield* new NoValidPlan({ detail: unusable, issues: [] })
        const references =
          briefing.attachment === undefined
            ? []
            : [
                {
                  kind: "anchor" as const,
                  title: "Attached input",
                  href: `#${attachmentAnchor}`,
                  target: attachmentAnchor
                }
              ]
        const task = plainTask(`${skill} 1`, skill, briefing.prompt, "What the prompt asks for.", { references })
        const step = new Step({ title: "Task section 1", tasks: [task] })
        return { taskList: new TaskList({ goals: briefing.prompt, steps: [step] }), attempts: 0 }
      })

      return Planner.of({ plan, read, single })
    })
  )
}
