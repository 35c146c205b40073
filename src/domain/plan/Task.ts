/** A task of a plan. Its result is stored separately (see domain/plan/TaskResult). */
import * as Schema from "effect/Schema"
import { ForEach } from "./ForEach.ts"
import { CodeBlock } from "../markdown/PromptBlock.ts"
import { Reference } from "./Reference.ts"
import { TaskName } from "./TaskName.ts"
import { slugOf } from "../text/Slug.ts"

export class Task extends Schema.Class<Task>("task-conductor/domain/plan/Task")({
  name: TaskName,
  whatIsNeeded: Schema.String,
  /** Where the items come from, if the task works item by item. Absent for most tasks. */
  forEach: Schema.optionalKey(ForEach),
  /** The name of the skill. The planner checks that it exists. */
  skill: Schema.String,
  references: Schema.Array(Reference),
  expectedOutput: Schema.String,
  /**
   * True if the plan requires approval of the task. The program may require more approvals, but never drops this one.
   */
  requiresApproval: Schema.Boolean,
  /** The fenced blocks below the task in the document. */
  codeBlocks: Schema.Array(CodeBlock)
}) {
  #slug: string | undefined

  get slug(): string {
    return (this.#slug ??= slugOf(this.name))
  }

  /** The slugs of the tasks whose results this task uses, through a reference or as the source of its items. */
  get producerSlugs(): ReadonlyArray<string> {
    const source = this.forEach?.source
    const sources = source === undefined || source.kind === "glob" ? this.references : [...this.references, source]
    return [...new Set(sources.flatMap((one) => (one.kind === "task_result" ? [one.target] : [])))]
  }
}

/** Makes a task. Without `more`, it has no references and requires no approval. */
export const plainTask = (
  name: string,
  skill: string,
  whatIsNeeded: string,
  expectedOutput: string,
  more: Partial<Task> = {}
): Task =>
  new Task({
    name,
    whatIsNeeded,
    skill,
    references: [],
    expectedOutput,
    requiresApproval: false,
    codeBlocks: [],
    ...more
  })
