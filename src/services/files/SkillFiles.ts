/**
 * The files beside the skill of a task. The user installed them. If rules or `--yes` allow the scripts of the skill,
 * the task may also read these files, although they are outside the project.
 */
import * as Context from "effect/Context"

/** The real absolute paths of the files beside the skill of the current task. Empty outside tasks. */
export const SkillFiles = Context.Reference<ReadonlySet<string>>("task-conductor/services/files/SkillFiles", {
  defaultValue: () => new Set()
})
