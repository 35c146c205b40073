/**
 * Asks a question about a project, writes the report of the run, and prints which calls decided how long it took.
 * `node examples/report-a-run.ts FOLDER report.html`
 */
import { writeFileSync } from "node:fs"
import { report, run } from "task-conductor"

const [project = ".", file = "report.html"] = process.argv.slice(2)

const handle = run({ prompt: "Where are the limits of a run defined?", project, readOnly: true, allow: ["read_file"] })
const { status } = await handle.report
const { data, html } = await report(handle.runId)
writeFileSync(file, html)

console.log(`${status}, ${data.tasks.length} tasks, report in ${file}`)
const slowest = data.criticalPath.spans.toSorted((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs)).slice(0, 3)
for (const { endMs, kind, name, startMs } of slowest) console.log(`${Math.round(endMs - startMs)} ms ${kind} ${name}`)
