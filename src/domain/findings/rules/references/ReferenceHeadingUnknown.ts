/** The rule `reference-heading-unknown`: unknown heading. */
import { defineRule } from "../Rule.ts"

export const referenceHeadingUnknown = defineRule({
  code: "reference-heading-unknown",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Unknown heading",
  why: "A heading that is not there has no text.",
  fix: "Refer to a heading that exists.",
  kind: "project-references",
  before: "[guide](docs/guide.md#instal)",
  after: "[guide](docs/guide.md#install)"
})
