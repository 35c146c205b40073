/**
 * Compares a project before and after a command, and says what programs outside the sandbox would run from now on: a
 * repository that the command made, its hooks, tasks of an editor. Nothing can forbid a command to make a new folder.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { rmdir } from "node:fs/promises"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { isInBareRepository } from "../files/Repositories.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import type { ChildEnd } from "./ChildRun.ts"
import { emptySurvey, type ProjectSurvey, surveyChanges, surveyProject } from "./ProjectSurvey.ts"

/** More names are counted. */
const maxNamed = 20

const warningText = (changed: ReadonlyArray<string>): string => {
  const named = changed.slice(0, maxNamed).join(", ")
  const more = changed.length > maxNamed ? ` and ${changed.length - maxNamed} more` : ""
  return `A command created or changed what other programs run by themselves: ${named}${more}. Look at it before you use git, an editor or a build server there.`
}

/** For the commands of one project. */
export const makeCommandWatch = Effect.fnUntraced(function* (root: string, home: string) {
  const events = yield* RunEvents
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
  const look = provide(surveyProject(root, home))
  let running = 0
  const left = new Set<string>()

  /** Removes the empty folders when no command needs them: removing one ends its mount in every sandbox. */
  const tidy = Effect.suspend(() => {
    running -= 1
    if (running > 0) return Effect.void
    const paths = [...left]
    left.clear()
    return Effect.forEach(paths, (one) => Effect.ignore(Effect.tryPromise(() => rmdir(one))), { discard: true })
  })

  const changesSince = Effect.fnUntraced(function* (before: ProjectSurvey) {
    const after = yield* Effect.orElseSucceed(look, () => undefined)
    const changed = after === undefined ? [] : surveyChanges(root, before, after)
    if (changed.length > 0) yield* events.publish({ type: "message", level: "warning", text: warningText(changed) })
    return changed
  })

  const isControl = Effect.fnUntraced(function* (file: string) {
    const path = yield* Path.Path
    const survey = yield* Effect.orElseSucceed(look, () => emptySurvey)
    const controls = [...survey.controls.inside, ...survey.walk.bare]
    return controls.some((one) => isWithin(path, one, file)) || (yield* isInBareRepository(root, file))
  }, provide)

  return {
    isControl,
    /** Fails with `io_error` when a project is too large to be protected; without a sandbox, nothing is compared then. */
    survey: (sandboxed: boolean): Effect.Effect<ProjectSurvey, ToolFailure> =>
      sandboxed ? look : Effect.orElseSucceed(look, () => emptySurvey),
    /** Runs a command, and adds what it changed. `placeholders` are the empty folders that its sandbox makes. */
    watching: (
      before: ProjectSurvey,
      placeholders: ReadonlyArray<string>,
      child: Effect.Effect<ChildEnd, ToolFailure>
    ) =>
      Effect.gen(function* () {
        running += 1
        for (const one of placeholders) left.add(one)
        let changed: ReadonlyArray<string> = []
        const after = Effect.andThen(
          tidy,
          Effect.map(changesSince(before), (found) => void (changed = found))
        )
        const end = yield* Effect.ensuring(child, after)
        return changed.length === 0 ? end : { ...end, changed }
      })
  }
})
