/** The rules of the family `skill-files`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const skillFilesRules = defineFamily({
  family: "skill-files",
  title: "Skill files",
  about: "What a SKILL.md must hold.",
  rules: {
    "skill-not-text": {
      severity: "error",
      title: "Skill file is not text",
      why: "Only UTF-8 can be read.",
      fix: "Save the file as UTF-8."
    },
    "front-matter-broken": {
      severity: "error",
      title: "Front matter cannot be read",
      why: "Name and description of a skill stand there.",
      fix: "Begin the file with a line `---`, then `name` and `description` as YAML, then a line `---`."
    },
    "front-matter-unquoted": {
      severity: "note",
      title: "Value with a colon not quoted",
      why: "Many skills are written like this, and one reading is possible.",
      fix: "Put a value that holds a colon into quotes."
    },
    "skill-name-missing": {
      severity: "error",
      title: "Skill without name",
      why: "Tasks name their skill.",
      fix: "Add the line `name:` with the name of the folder."
    },
    "skill-name-not-folder": {
      severity: "error",
      title: "Name is not the folder",
      why: "A skill is found by its folder.",
      fix: "Rename one of them."
    },
    "skill-name-form": {
      severity: "warning",
      title: "Name in another form",
      why: "Other programs read only lower-case letters, digits and hyphens.",
      fix: "Use at most 64 lower-case letters, digits and single hyphens."
    },
    "skill-description-missing": {
      severity: "error",
      title: "Skill without description",
      why: "The planner chooses skills by their descriptions.",
      fix: "Say in one or two sentences what it does and when to use it."
    },
    "skill-description-long": {
      severity: "warning",
      title: "Description too long",
      why: "Every prompt of the planner holds it.",
      fix: "Use at most 1024 characters."
    },
    "skill-tools-form": {
      severity: "note",
      title: "Tools in another form",
      why: "The tools stand in one line, separated by blanks.",
      fix: "Write `allowed-tools: read_file search_files`."
    },
    "skill-metadata-form": {
      severity: "note",
      title: "Setting without quotes",
      why: "Metadata holds strings.",
      fix: "Put the value into quotes."
    },
    "skill-approval-value": {
      severity: "warning",
      title: "Approval is neither true nor false",
      why: "Whatever is not a clear no asks for approval.",
      fix: 'Write `task-conductor.requires-approval: "true"`, or leave the line out.'
    },
    "skill-model-name": {
      severity: "warning",
      title: "Not the name of a model",
      why: "A skill chooses among the models of the person's own server; a URL or a path is none.",
      fix: "Write a name as `ollama list` shows it."
    },
    "skill-heading-form": {
      severity: "note",
      title: "Heading of a part in another form",
      why: "The parts of a skill are found by their headings.",
      fix: "Write `## Input requirements`, `## Refinement`, `## Execution`."
    }
  }
})
