/**
 * The thread that turns one HTML page into markdown and ends. Started by services/web/HtmlReader.
 */
import { parentPort, workerData } from "node:worker_threads"
import { htmlMarkdown } from "../../domain/web/HtmlMarkdown.ts"

/** What the thread is given. */
export interface HtmlWork {
  readonly html: string
  readonly url: string
}

const { html, url } = workerData as HtmlWork
parentPort?.postMessage(htmlMarkdown(html, url), [])
