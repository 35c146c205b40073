/** The rule `writers-of-one-file`: two writers of one file in one section. */
import { defineRule } from "../Rule.ts"

export const writersOfOneFile = defineRule({
  code: "writers-of-one-file",
  family: "approvals",
  tier: "repair",
  severity: "warning",
  title: "Two writers of one file in one section",
  why: "The tasks of a section run side by side, so the last one to write wins.",
  fix: "Put the tasks into different sections, or let one of them do both.",
  kind: "step-calls",
  before: JSON.stringify(
    [
      { task: "Edit 1", name: "write_file", arguments: { path: "notes.md", content: "one" } },
      { task: "Edit 2", name: "write_file", arguments: { path: "./notes.md", content: "two" } }
    ],
    null,
    2
  ),
  after: JSON.stringify(
    [
      { task: "Edit 1", name: "write_file", arguments: { path: "notes.md", content: "one" } },
      { task: "Edit 2", name: "write_file", arguments: { path: "more.md", content: "two" } }
    ],
    null,
    2
  )
})
