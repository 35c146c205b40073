/** Reads the images of a run for the page of the report. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { filesIn } from "../../kit/files.ts"
import { RunStore } from "../../kit/runs.ts"
import type { ReportData } from "./ReportData.ts"

/**
 * The maximum size of all embedded images together, in bytes. Of an image beyond this limit, the page shows only the
 * name.
 */
const mostBytes = 10_000_000

/** The saved images as `data:` URLs, by hash. */
export const reportImages = Effect.fnUntraced(function* (runId: string, { tasks }: ReportData) {
  const path = yield* Path.Path
  const { read: readBytes } = yield* filesIn(path.dirname((yield* RunStore).pathOf(runId)))
  const files = tasks.flatMap(({ calls }) => calls.flatMap(({ result }) => result?.files ?? []))
  const images = new Map<string, string>()
  let bytesLeft = mostBytes
  for (const file of files) {
    if (file.isImage !== true || file.path === undefined || images.has(file.hash) || file.bytes > bytesLeft) continue
    const bytes = yield* readBytes(file)
    if (bytes === undefined) continue
    bytesLeft -= bytes.length
    images.set(file.hash, `data:${file.mediaType};base64,${Buffer.from(bytes).toString("base64")}`)
  }
  return images
})
