/**
 * Asks a question about a project, writes the report of the run, and prints which calls decided how long it took.
 * `node examples/report-a-run.ts FOLDER report.html`
 */
import { writeFileSync } from "node:fs"
import { report, run } from "../src/index.ts"

const [project = ".", file = "report.html"] = process.argv.slice(2)

const handle = run({ prompt: "Where are the limits of a run defined?", project, readOnly: true, allow: ["read_file"] })
const { status } = await handle.report
const { data, html } = await report(handle.runId)
writeFileSync(file, html)

console.log(`${status}, ${data.tasks.length} tasks, report in ${file}`)
const slowest = data.critical_path.spans.toSorted((a, b) => b.end_ms - b.start_ms - (a.end_ms - a.start_ms)).slice(0, 3)
for (const { end_ms, kind, name, start_ms } of slowest)
  console.log(`${Math.round(end_ms - start_ms)} ms ${kind} ${name}`)
