/** Reads the images that tools returned in a run, for a client. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { filesIn } from "../../kit/files.ts"
import { readRun, RunStore } from "../../kit/runs.ts"

/** The maximum number of returned images. The last images of the run are chosen. */
const mostImages = 4

/** The last images that the tools of a run returned. Images that were not saved are left out. */
export const runImages = Effect.fnUntraced(function* (runId: string) {
  const path = yield* Path.Path
  const store = yield* RunStore
  const { read: readBytes } = yield* filesIn(path.dirname(store.pathOf(runId)))
  const { records } = yield* readRun(runId, undefined, ({ event }) => event === "tool.finished")
  const returned = records.flatMap((record) =>
    record.type === "event" && record.event.type === "tool.finished" ? (record.event.result.files ?? []) : []
  )
  const images = [...new Map(returned.map((file) => [file.hash, file])).values()].filter(
    ({ isImage = false, path: kept }) => isImage && kept !== undefined
  )
  const contents = yield* Effect.forEach(images.slice(-mostImages), (file) =>
    Effect.map(readBytes(file), (bytes) => (bytes === undefined ? [] : [{ mediaType: file.mediaType, bytes }]))
  )
  return contents.flat()
})
