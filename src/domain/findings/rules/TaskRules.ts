/**
 * The rules of the families `refinements`, `inputs`, `skills` and `approvals`: what a task may say. Each family is in
 * the order of its page.
 */
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
    "report-early": {
      severity: "note",
      title: "Report beside calls",
      why: "It was written before the outputs of the calls were known.",
      fix: "Write the report when the calls have been made."
    },
    "tool-call-known": {
      severity: "note",
      title: "Same call twice",
      why: "A second call with the same arguments gives nothing new.",
      fix: "Write each call once."
    },
    "change-open": {
      title: "Report with a change that failed",
      why: "A change that failed was not made, whatever the report says.",
      fix: "Send the change again, corrected. If it is not needed any more, say so in the report."
    },
    "check-failed": {
      title: "Report with a check that fails",
      why: "A change that breaks a check of the project is not done.",
      fix: "Correct the changes. If the check is wrong or fails for another reason, say so in the report."
    },
    "tool-calls-many": {
      title: "Too many calls at once",
      why: "What an answer asks for is done in one turn, whose outputs have to fit the window.",
      fix: "Ask for the rest in the next answer."
    }
  }
})

export const inputsRules = defineFamily({
  family: "inputs",
  title: "Inputs",
  about: "What a refinement gives for the typed inputs of a skill.",
  rules: {
    "input-missing": {
      title: "Input without a value",
      why: "The skill cannot work without a required input.",
      fix: "Give the value under `## Inputs`."
    },
    "input-type": {
      title: "Value of another type",
      why: "The skill says what the value of an input is.",
      fix: "Give a value of the type that the skill asks for."
    },
    "input-repeated": {
      title: "Input given twice",
      why: "It is unclear which of the values is meant.",
      fix: "Keep one line for it."
    },
    "input-path-missing": {
      title: "Path not found",
      why: "A path is a file or folder of the project.",
      fix: "Give a path of the project that exists."
    },
    "input-ignored": {
      severity: "warning",
      title: "Unknown input",
      why: "Only the inputs of the skill are passed on.",
      fix: "Leave it out, or name an input of the skill."
    },
    "input-spelling": {
      severity: "note",
      title: "Input in another spelling",
      why: "Exactly one input of the skill is meant.",
      fix: "Spell the name as the skill does."
    },
    "input-form": {
      severity: "note",
      title: "Input in another form",
      why: "The line or the value was written in another form that means the same.",
      fix: 'Write "- `name`: value" without marks around the value.'
    },
    "input-kept": {
      severity: "note",
      title: "Input kept from before",
      why: "The answer left the input out.",
      fix: "Repeat every input."
    }
  }
})

export const skillsRules = defineFamily({
  family: "skills",
  title: "Skills of a task",
  about: "The skill that a task names.",
  rules: {
    "skill-unknown": {
      title: "Unknown skill",
      why: "A task runs by the text of its skill.",
      fix: "Use a skill of the catalogue.",
      help: '"task-conductor skills list" shows the skills that there are.'
    },
    "skill-several": {
      title: "More than one skill",
      why: "A task is refined and executed with one skill.",
      fix: "Keep one of them, or make a task of each."
    },
    "skill-spelling": {
      severity: "note",
      title: "Skill spelled differently",
      why: "Exactly one skill can be meant.",
      fix: "Write the name as in the catalogue."
    },
    "skill-form": {
      severity: "note",
      title: "Marks around a skill",
      why: "A skill's name is plain text.",
      fix: "Write the skill as plain text."
    }
  }
})

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
