/**
 * Reads HTML pages as markdown in a thread with limits of time and memory, so that no page can block the program.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Worker } from "node:worker_threads"
import type { HtmlPage } from "../../domain/web/HtmlMarkdown.ts"
import type { HtmlWork } from "./HtmlWorker.ts"
import { moduleUrl } from "../files/PackageFolder.ts"

/** The rest of a larger page is not read. */
const maxCharacters = 1_000_000
const maxMegabytes = 512
const defaultTime: Duration.Input = "10 seconds"

const workerFile = moduleUrl("services/web/HtmlWorker")

/** Deep nesting overflows the stack, and some constructs need unlimited memory or time. */
const tooIntricate = "its HTML is nested too deeply or too large to be turned into text"

/** Why the thread ended without a page. */
const failureOf = (error: Error): string =>
  error instanceof RangeError || ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
    ? tooIntricate
    : `its HTML cannot be read (${error.message})`

const convert = (work: HtmlWork): Effect.Effect<HtmlPage, string> =>
  Effect.callback((resume) => {
    const worker = new Worker(workerFile, {
      workerData: work,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes }
    })
    worker.on("message", (page: HtmlPage) => resume(Effect.succeed(page)))
    worker.on("error", (error) => resume(Effect.fail(failureOf(error))))
    worker.on("exit", () => resume(Effect.fail(tooIntricate)))
    return Effect.promise(() => worker.terminate())
  })

/**
 * The main content of a page as markdown, with absolute links. Of a page above a million characters only the beginning is
 * read, and the text ends with a note. Fails with the reason when it takes more than `time`.
 */
export const readHtml = Effect.fn("readHtml")(function* (html: string, url: string, time = defaultTime) {
  const page = yield* convert({ html: html.slice(0, maxCharacters), url }).pipe(
    Effect.timeoutOrElse({ duration: time, orElse: () => Effect.fail(tooIntricate) })
  )
  if (html.length <= maxCharacters) return page
  const note = `(The page has ${html.length} characters of HTML; only the first ${maxCharacters} were read.)`
  return { ...page, text: `${page.text}\n\n${note}` }
})
