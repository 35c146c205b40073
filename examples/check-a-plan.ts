/**
 * Checks a plan without a model and prints the report for a model; then fixes a plan with harmless deviations only.
 * In your own project, import from "task-conductor/check". `node examples/check-a-plan.ts`
 */
import { check, fix, issuesForModel, spanOf } from "task-conductor/check"

const plan = (fields: string) => `## Original prompt

Find dead code.

## Goals / summary

Name every function that nothing calls.

## Tasks

### Task section 1

- **Name** Research 1
- **What is needed** List exported functions.
${fields}
- **Expected output** A list.
`

const wrong = plan("- **References** [all sources](src/**/*.ts)")
const report = check(wrong)
console.log(report.verdict)
for (const issue of report.issues) {
  const place = spanOf(wrong, issue)
  console.log(`${place?.line}:${place?.column} ${issue.code}: ${issue.what}`)
}
console.log(issuesForModel(report))

const fixed = fix(plan("- Skill: search-code"))
console.log(fixed.report.verdict, fixed.report.repairs)
console.log(fixed.text)
