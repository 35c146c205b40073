/** The rule `reference-task-unknown`: result of an unknown task. */
import { defineRule } from "../Rule.ts"

export const referenceTaskUnknown = defineRule({
  code: "reference-task-unknown",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Result of an unknown task",
  why: "No task of the list has this name.",
  fix: "Refer to a task of the list or a finished one.",
  kind: "references",
  before: "[Research 9](#research-9-results)",
  after: "[Setup 1](#setup-1-results)"
})
