/** The rule `reference-glob`: pattern as reference. */
import { defineRule } from "../Rule.ts"

export const referenceGlob = defineRule({
  code: "reference-glob",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Pattern as reference",
  why: "A reference is one file.",
  fix: "Link each file by its own path.",
  kind: "references",
  before: "[sources](src/*.ts)",
  after: "[main.ts](src/main.ts) [config.ts](src/config.ts)"
})
