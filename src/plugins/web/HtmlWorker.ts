/**
 * The thread that converts one HTML page to markdown and ends.
 */
import { parentPort, workerData } from "node:worker_threads"
import { htmlMarkdown } from "./HtmlMarkdown.ts"

/** The input of the thread. */
export interface HtmlWork {
  readonly html: string
  readonly url: string
}

const { html, url } = workerData as HtmlWork
parentPort?.postMessage(htmlMarkdown(html, url), [])
