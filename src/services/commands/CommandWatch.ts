/**
 * Detects whether a command changes files that other programs run automatically. Manages the empty folders that
 * sandboxes need.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import type { ChildEnd } from "./ChildRun.ts"
import type { CommittedSecrets } from "./CommittedSecrets.ts"
import { emptySurvey, isInBareRepository, type ProjectSurvey, surveyChanges, surveyProject } from "./ProjectSurvey.ts"
import { removePlaceholders } from "./SandboxProfile.ts"

/** The maximum number of names in a list. The other names are only counted. */
export const maxNamed = 20

const warningText = (changed: ReadonlyArray<string>): string => {
  const named = changed.slice(0, maxNamed).join(", ")
  const more = changed.length > maxNamed ? ` and ${changed.length - maxNamed} more` : ""
  return `A command created or changed what other programs run by themselves: ${named}${more}. Look at it before you use git, an editor or a build server there.`
}

export const makeCommandWatch = Effect.fnUntraced(function* (root: string, home: string, committed: CommittedSecrets) {
  const events = yield* RunEvents
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem>())
  const surveyNow = provide(surveyProject(root, home, committed))
  let running = 0
  const placeholdersLeft = new Set<string>()

  /**
   * Removes the empty folders when no command runs any more. Removing a folder earlier would end its mount in every
   * sandbox.
   */
  const tidy = Effect.suspend(() => {
    running -= 1
    if (running > 0) return Effect.void
    const paths = [...placeholdersLeft]
    placeholdersLeft.clear()
    return removePlaceholders(paths)
  })

  /** Runs a command whose sandbox creates the empty folders `placeholders`. */
  const holding = (placeholders: ReadonlyArray<string>, child: Effect.Effect<ChildEnd, ToolFailure>) =>
    Effect.suspend(() => {
      running += 1
      for (const one of placeholders) placeholdersLeft.add(one)
      return Effect.ensuring(child, tidy)
    })

  const changesSince = Effect.fnUntraced(function* (before: ProjectSurvey) {
    const after = yield* Effect.orElseSucceed(surveyNow, () => undefined)
    const changed = after === undefined ? [] : surveyChanges(root, before, after)
    if (changed.length > 0) yield* events.publish({ type: "message", level: "warning", text: warningText(changed) })
    return changed
  })

  const controlsAmong = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
    const survey = yield* Effect.orElseSucceed(surveyNow, () => emptySurvey)
    const controls = [...survey.controls.inside, ...survey.walk.bare]
    const bare = new Map<string, boolean>()
    for (const file of files) {
      const folder = path.dirname(file)
      if (!bare.has(folder)) bare.set(folder, yield* isInBareRepository(root, file))
    }
    const isControl = (file: string) =>
      controls.some((one) => isWithin(one, file)) || bare.get(path.dirname(file)) === true
    return new Set(files.filter(isControl))
  }, provide)

  return {
    controlsAmong,
    /**
     * Surveys the project before a command. If the project is too large to protect, fails with `io_error` in the
     * sandbox. Without a sandbox, the command then runs and its changes are not detected.
     */
    survey: (sandboxed: boolean): Effect.Effect<ProjectSurvey, ToolFailure> =>
      sandboxed ? surveyNow : Effect.orElseSucceed(surveyNow, () => emptySurvey),
    holding,
    /** Runs a command, and adds the detected changes to its result. */
    watching: Effect.fnUntraced(function* (
      before: ProjectSurvey,
      placeholders: ReadonlyArray<string>,
      child: Effect.Effect<ChildEnd, ToolFailure>
    ) {
      let changed: ReadonlyArray<string> = []
      const after = Effect.map(changesSince(before), (found) => void (changed = found))
      const end = yield* Effect.ensuring(holding(placeholders, child), after)
      return changed.length === 0 ? end : { ...end, changed }
    })
  }
})
