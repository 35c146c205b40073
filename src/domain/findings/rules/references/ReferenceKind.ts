/** The rule `reference-kind`: unknown kind of reference. */
import { defineRule } from "../Rule.ts"

export const referenceKind = defineRule({
  code: "reference-kind",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Unknown kind of reference",
  why: "Only headings, results, files and web pages are resolved.",
  fix: "Use a heading, a result, a file path, or an http(s) URL.",
  kind: "references",
  before: "[mail](mailto:someone@example.org)",
  after: "[main.ts](src/main.ts)"
})
