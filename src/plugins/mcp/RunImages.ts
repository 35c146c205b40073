/**
 * The images that tools gave in a run, for a client that is given the result of the run.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { filesIn } from "../../kit/files.ts"
import { readRun, RunStore } from "../../kit/runs.ts"

/** A result of a run has at most so many images, the last ones. */
const mostImages = 4

/** The last images that tools gave in a run, as far as they are kept. */
export const runImages = Effect.fnUntraced(function* (runId: string) {
  const path = yield* Path.Path
  const store = yield* RunStore
  const { read } = yield* filesIn(path.dirname(store.pathOf(runId)))
  const { records } = yield* readRun(runId, undefined, ({ event }) => event === "tool.finished")
  const given = records.flatMap((record) =>
    record.type === "event" && record.event.type === "tool.finished" ? (record.event.result.files ?? []) : []
  )
  const images = [...new Map(given.map((file) => [file.hash, file])).values()].filter(
    ({ isImage = false, path: kept }) => isImage && kept !== undefined
  )
  const shown = yield* Effect.forEach(images.slice(-mostImages), (file) =>
    Effect.map(read(file), (bytes) => (bytes === undefined ? [] : [{ mediaType: file.mediaType, bytes }]))
  )
  return shown.flat()
})
