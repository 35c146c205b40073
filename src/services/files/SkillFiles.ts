/**
 * The files beside the skill that a task works with. The user installed them for its tasks: where rules or `--yes` let the scripts of the
 * skill run, its tasks may read them although they lie outside the project.
 */
import * as Context from "effect/Context"

/** The real absolute paths of the files beside the skill of the task that a fiber works for; none outside of tasks. */
export const SkillFiles = Context.Reference<ReadonlySet<string>>("task-conductor/services/files/SkillFiles", {
  defaultValue: () => new Set()
})
