/** The rules of the family `refinements`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const refinementsRules = defineFamily({
  family: "refinements",
  title: "Refinements",
  about: "What a refinement may change of the task that the plan decided.",
  rules: {
    "task-kept": {
      severity: "note",
      title: "Task kept as planned",
      why: "The answer did not repeat the task.",
      fix: "Repeat the task under `## Task`."
    },
    "tool-calls-alone": {
      severity: "note",
      title: "Calls without their heading",
      why: "The answer is nothing but calls.",
      fix: "Write the calls under `## Tool Calls`."
    },
    "field-kept": {
      severity: "note",
      title: "Field kept as planned",
      why: "The answer left the field out.",
      fix: "Repeat every field of the task."
    },
    "name-kept": {
      severity: "note",
      title: "Name kept",
      why: "Names are given by the plan.",
      fix: "Leave the name as it is."
    },
    "skill-kept": {
      severity: "note",
      title: "Skill kept",
      why: "Skills are given by the plan.",
      fix: "Leave the skill as it is."
    },
    "approval-kept": {
      severity: "warning",
      title: "Approval kept",
      why: "A refinement may add an approval, never remove one.",
      fix: "Leave the approval as it is."
    }
  }
})
