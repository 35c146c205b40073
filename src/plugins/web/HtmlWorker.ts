/**
 * The worker thread that converts one HTML page.
 */
import { parentPort, workerData } from "node:worker_threads"
import { htmlMarkdown } from "./HtmlMarkdown.ts"

export interface HtmlWork {
  readonly html: string
  readonly url: string
}

const { html, url } = workerData as HtmlWork
parentPort?.postMessage(htmlMarkdown(html, url), [])
