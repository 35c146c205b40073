/** The rules of the family `structure`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const structureRules = defineFamily({
  family: "structure",
  title: "Structure",
  about: "Headings and sections of the documents, and where tasks may stand.",
  rules: {
    "section-missing": {
      severity: "error",
      title: "Required section missing",
      why: "Without it the document cannot be understood.",
      fix: "Write the heading on a line of its own, outside any code block, with its text under it."
    },
    "section-empty": {
      severity: "error",
      title: "Required section empty",
      why: "A heading without text states nothing.",
      fix: "Write the text under the heading."
    },
    "text-hidden": {
      severity: "error",
      title: "Hidden part of a document",
      why: "In a comment, a hidden element or the title of a link nobody sees what would run.",
      fix: "Write the document once and as visible text, without HTML."
    },
    "section-several": {
      severity: "error",
      title: "Two lists in one document",
      why: "Who reads the document sees both, and only one would run.",
      fix: "Write the list of tasks, or the tool calls, once under one heading."
    },
    "section-unknown": {
      severity: "error",
      title: "Unknown section under Tasks",
      why: "Tasks stand only under `### Task section N`.",
      fix: "Use only `### Task section N` under `## Tasks`, and put the text into a field of a task."
    },
    "section-order": {
      severity: "error",
      title: "Task sections out of order",
      why: "Falling numbers contradict the order in which sections run.",
      fix: "Sections run in the order of the document: number them in that order."
    },
    "step-empty": {
      severity: "error",
      title: "Task section without a task",
      why: "A section is a step, and a step needs work.",
      fix: 'Add a task with the fields "What is needed", "Skill" and "Expected output", or remove the section.'
    },
    "tasks-empty": {
      severity: "error",
      title: "No task in the list",
      why: "A first plan needs at least one task.",
      fix: 'Write "### Task section 1" with at least one task.'
    },
    "task-outside-section": {
      severity: "error",
      title: "Task outside a task section",
      why: "Order and parallelism come from the sections.",
      fix: 'Put every task under "## Tasks" into a section "### Task section N".'
    },
    "task-several": {
      severity: "error",
      title: "More than one task",
      why: "A refinement is about one task.",
      fix: "Write the one task that is to be refined, each field once."
    },
    "heading-form": {
      severity: "note",
      title: "Heading in another form",
      why: "Bold line, underlined line, or no space after the hashes.",
      fix: "Write the heading with hashes and a space."
    },
    "heading-text": {
      severity: "note",
      title: "Heading with another text",
      why: "A known other wording of the heading.",
      fix: "Use the words of the format."
    },
    "heading-level": {
      severity: "note",
      title: "Heading on another level",
      why: "The heading is found by its text anyway.",
      fix: "Use the level of the format."
    },
    "prompt-filled": {
      severity: "note",
      title: "Prompt left out",
      why: "The program knows the prompt; the copy in a list is never read.",
      fix: "Begin with `## Original prompt`."
    },
    "task-heading": {
      severity: "note",
      title: "Heading of a task where a section is asked for",
      why: "Tasks that are numbered by their headings run in this order.",
      fix: "Put tasks under `### Task section N`, with their names in the field *Name*."
    },
    "summary-unheaded": {
      severity: "note",
      title: "Result without its heading",
      why: "An answer without any heading can only be the summary.",
      fix: "Begin with `## Result summary`."
    },
    "section-repeated": {
      severity: "warning",
      title: "Section given twice",
      why: "The last one counts.",
      fix: "Write every section once."
    },
    "section-ignored": {
      severity: "warning",
      title: "Section ignored",
      why: "No reader uses a section of this name.",
      fix: "Use the sections of the format only."
    },
    "section-number": {
      severity: "note",
      title: "Task sections with the same number",
      why: "Sections run in the order of the document; a later one gets the next number.",
      fix: "Give every section a number of its own."
    },
    "section-unwrapped": {
      severity: "note",
      title: "Tasks in a fence",
      why: "The tasks of a section stood in one code block.",
      fix: "Write tasks outside of code blocks."
    },
    "text-ignored": {
      severity: "warning",
      title: "Text without a place ignored",
      why: "Text between tasks belongs to no field.",
      fix: "Put text into a field."
    },
    "text-attached": {
      severity: "warning",
      title: "Text attached to the field before it",
      why: "It lacked the indentation that makes it part of the field.",
      fix: "Indent every line of a field by two spaces."
    },
    "finished-task-dropped": {
      severity: "note",
      title: "Finished task repeated",
      why: "Its result exists already.",
      fix: "List only what is still to do."
    },
    "step-dropped": {
      severity: "note",
      title: "Section of finished tasks dropped",
      why: "Nothing was left in it.",
      fix: "List only what is still to do."
    }
  }
})
