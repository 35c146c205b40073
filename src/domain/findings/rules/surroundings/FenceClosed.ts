/** The rule `fence-closed`: fence closed at the end. */
import { defineRule, lines } from "../Rule.ts"

export const fenceClosed = defineRule({
  code: "fence-closed",
  family: "surroundings",
  tier: "repair",
  severity: "warning",
  title: "Fence closed at the end",
  why: "The last code block was not closed.",
  fix: "Close every code block.",
  kind: "result",
  before: lines("## Result summary", "", "The loader is `src/config.ts`.", "", "```ts", "load()"),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.", "", "```ts", "load()", "```")
})
