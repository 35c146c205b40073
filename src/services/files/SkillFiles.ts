/**
 * The files in the folder of a task's skill, which the user installed. If rules or `--yes` allow the scripts of the
 * skill, the task may read these files although they are outside the project.
 */
import * as Context from "effect/Context"

/** The real absolute paths of these files for the current task. Empty outside tasks. */
export const SkillFiles = Context.Reference<ReadonlySet<string>>("task-conductor/services/files/SkillFiles", {
  defaultValue: () => new Set()
})
