/** The rule `byte-order-mark`: byte order mark. */
import { defineRule, lines } from "../Rule.ts"

export const byteOrderMark = defineRule({
  code: "byte-order-mark",
  family: "surroundings",
  tier: "repair",
  severity: "note",
  title: "Byte order mark",
  why: "An invisible first character.",
  fix: "Write no byte order mark.",
  kind: "result",
  before: lines("\ufeff## Result summary", "", "The loader is `src/config.ts`."),
  after: lines("## Result summary", "", "The loader is `src/config.ts`.")
})
