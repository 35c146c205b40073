/**
 * The files beside the skill of a task. The user installed them, so the task may read them outside the project if rules
 * or `--yes` let the scripts of the skill run.
 */
import * as Context from "effect/Context"

/** The real absolute paths of the files beside the skill of the fiber's task; empty outside tasks. */
export const SkillFiles = Context.Reference<ReadonlySet<string>>("task-conductor/services/files/SkillFiles", {
  defaultValue: () => new Set()
})
