/**
 * Which run is the last one: the newest of the project that a person is in. Runs of other projects are not meant.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { RunSummary } from "../../domain/history/RunStanding.ts"
import { RunNotFound } from "./RunNotFound.ts"

/** A folder by the name that is the same on every way to it. */
const realFolder = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  return yield* Effect.orElseSucceed((yield* FileSystem.FileSystem).realPath(folder), () => path.resolve(folder))
})

/** The runs of the project in a folder, and those of other projects; both in the order in which they were given. */
export const runsOf = Effect.fn("runsOf")(function* (all: ReadonlyArray<RunSummary>, folder: string) {
  const here = yield* realFolder(folder)
  const named = new Set(all.flatMap(({ project }) => project ?? []))
  const real = new Map(
    yield* Effect.forEach(named, (one) => Effect.map(realFolder(one), (found) => [one, found] as const))
  )
  const isHere = ({ project }: RunSummary): boolean => project !== undefined && real.get(project) === here
  return { here, own: all.filter(isHere), others: all.filter((one) => !isHere(one)) }
})

/**
 * The newest run of the project in `folder`, from all runs, the newest first. `isMoved` says that the project came there
 * from elsewhere: then a run of a project that is no longer where it was is meant when there is no other.
 */
export const lastOf = Effect.fn("lastOf")(function* (
  all: ReadonlyArray<RunSummary>,
  { folder, isMoved }: { readonly folder: string; readonly isMoved: boolean }
) {
  const fs = yield* FileSystem.FileSystem
  const { here, others, own } = yield* runsOf(all, folder)
  const [last] = own
  if (last !== undefined) return last.runId
  const known = others.flatMap(({ project, runId }) => (project === undefined ? [] : [{ project, runId }]))
  if (isMoved) {
    for (const { project, runId } of known) {
      if (!(yield* Effect.orElseSucceed(fs.exists(project), () => true))) return runId
    }
  }
  const [newest] = known
  return yield* new RunNotFound({
    given: "last",
    candidates: [],
    isAmbiguous: false,
    ...(newest === undefined
      ? {}
      : {
          elsewhere: { project: here, runs: others.length, newest: newest.runId, newestProject: newest.project }
        })
  })
})
