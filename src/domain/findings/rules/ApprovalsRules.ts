/** The rules of the family `approvals`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const approvalsRules = defineFamily({
  family: "approvals",
  title: "Approvals",
  about: "What the host says about tasks that change things. Nothing is changed; the person who decides is told.",
  rules: {
    "writer-without-approval": {
      severity: "note",
      title: "Writer without approval",
      why: "The host decides what needs approval: it asks before anything is changed, whatever the list says.",
      fix: "Add `- **Requires user approval**`; the host asks all the same."
    },
    "writers-of-one-file": {
      severity: "warning",
      title: "Two writers of one file in one section",
      why: "The tasks of a section run side by side, so the last one to write wins.",
      fix: "Put the tasks into different sections, or let one of them do both."
    }
  }
})
