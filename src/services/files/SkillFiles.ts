/**
 * The files in the folder of a task's skill, which the user installed. If rules or `--yes` allow the scripts of the
 * skill, the task may read these files although they are outside the project.
 */
import * as Context from "effect/Context"

/** The real absolute paths of the files in the folder of the current task's skill. Empty outside tasks. */
export const SkillFiles = Context.Reference<ReadonlySet<string>>("task-conductor/services/files/SkillFiles", {
  defaultValue: () => new Set()
})
