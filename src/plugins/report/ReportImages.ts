/**
 * The images that tools gave in a run, for the page about it.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { filesIn } from "../../kit/files.ts"
import { RunStore } from "../../kit/runs.ts"
import type { ReportData } from "./ReportData.ts"

/** The page has images of at most so many bytes, the first ones; of the others it has the names. */
const mostBytes = 10_000_000

/** `data:` URLs by the hashes of the images, as far as these are kept. */
export const reportImages = Effect.fnUntraced(function* (runId: string, { tasks }: ReportData) {
  const path = yield* Path.Path
  const { read } = yield* filesIn(path.dirname((yield* RunStore).pathOf(runId)))
  const files = tasks.flatMap(({ calls }) => calls.flatMap(({ result }) => result?.files ?? []))
  const images = new Map<string, string>()
  let left = mostBytes
  for (const file of files) {
    if (file.isImage !== true || file.path === undefined || images.has(file.hash) || file.bytes > left) continue
    const bytes = yield* read(file)
    if (bytes === undefined) continue
    left -= bytes.length
    images.set(file.hash, `data:${file.mediaType};base64,${Buffer.from(bytes).toString("base64")}`)
  }
  return images
})
