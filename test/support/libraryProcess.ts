/**
 * A script of somebody who uses the library, started as a process of its own: carries out the run that its argument
 * orders as JSON, or goes on with one, and prints its id, each event and its end, one JSON object a line.
 */
import { resume, type ResumeOptions, run, type RunOptions } from "task-conductor"

/** What the script is to do. */
export type LibraryOrder = { readonly run: RunOptions } | { readonly resume: string; readonly options: ResumeOptions }

const order = JSON.parse(process.argv[2] ?? "") as LibraryOrder
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

const { events, report, runId } = "run" in order ? run(order.run) : resume(order.resume, order.options)
say({ runId })
try {
  for await (const event of events) say(event)
  const { answer, status } = await report
  say({ status, answer })
} catch (error) {
  say(error instanceof Error ? { name: error.name, message: error.message } : { error })
}
