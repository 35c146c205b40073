/** The rule `reference-folder`: folder as reference. */
import { defineRule } from "../Rule.ts"

export const referenceFolder = defineRule({
  code: "reference-folder",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Folder as reference",
  why: "A reference is one file.",
  fix: "Link the files by their own paths.",
  kind: "references",
  before: "[sources](src/)",
  after: "[main.ts](src/main.ts) [config.ts](src/config.ts)"
})
