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
      why: "The section is there, but holds no task.",
      fix: "Leave the section `## Task` out, or write the fields of the task under it."
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
      why: "The answer repeats the task without this field.",
      fix: "Leave `## Task` out: the task is known. Where it stands, it holds every field."
    },
    "references-kept": {
      severity: "warning",
      title: "References kept as planned",
      why: "A task without the references of its plan would work without the results that it builds on.",
      fix: "Leave the field out. Write further links under `## Added references`."
    },
    "reference-dropped": {
      severity: "warning",
      title: "Reference of the plan left out",
      why: "What a planned reference holds is missing from the work of the task.",
      fix: "Leave the field out, so that the planned references stay. Write further links under `## Added references`."
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
    },
    "look-changes": {
      severity: "error",
      title: "Look that may change something",
      why: "Looks run before anybody has approved the calls of the task.",
      fix: "Put only reading calls under `## Look first`, and this call under `## Tool Calls`."
    },
    "look-over": {
      severity: "error",
      title: "Look after the last pass",
      why: "A skill limits how often a task may look, so that a model cannot read for ever.",
      fix: "Write the calls of the task under `## Tool Calls`."
    },
    "look-repeated": {
      severity: "error",
      title: "Nothing but looks that were made before",
      why: "Their outputs are in the prompt already.",
      fix: "Write the calls of the task under `## Tool Calls`."
    },
    "look-known": {
      severity: "note",
      title: "Look that was made before",
      why: "The output of the same call is in the prompt already.",
      fix: "Look only at what the prompt does not show."
    },
    "look-implied": {
      severity: "note",
      title: "Reading calls taken as a look",
      why: "A task that has to change something cannot consist of reading.",
      fix: "Put reading calls under `## Look first`."
    },
    "calls-postponed": {
      severity: "note",
      title: "Calls beside looks",
      why: "They were written before the outputs of the looks were known.",
      fix: "Leave `## Tool Calls` empty while you look."
    }
  }
})
