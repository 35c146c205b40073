/** The rule `input-path-missing`: path that is not there. */
import { defineRule } from "../Rule.ts"

export const inputPathMissing = defineRule({
  code: "input-path-missing",
  family: "inputs",
  tier: "issue",
  severity: "error",
  title: "Path that is not there",
  why: "A path is a file or folder of the project.",
  fix: "Give the path of a file or folder that exists.",
  kind: "run-inputs",
  before: "- `file`: src/mian.ts",
  after: "- `file`: src/main.ts"
})
