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
      fix: "Save it as UTF-8."
    },
    "front-matter-broken": {
      severity: "error",
      title: "Front matter cannot be read",
      why: "It holds the name and the description of the skill.",
      fix: "Begin the file with a line ---, then name and description, then a line ---."
    },
    "front-matter-unquoted": {
      severity: "note",
      title: "Value with a colon not quoted",
      why: "Many skills are written like this, and one reading is possible.",
      fix: "Put the value into quotes."
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
      why: "Other programs read only names of at most 64 lower-case letters, digits and single hyphens.",
      fix: "Rename the skill and its folder."
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
      why: "Every prompt of the planner holds it, so it has at most 1024 characters.",
      fix: "Shorten it."
    },
    "skill-tools-form": {
      severity: "note",
      title: "Tools in another form",
      why: "The tools stand in one line, separated by blanks.",
      fix: "Write them in one line, such as `allowed-tools: read_file search_files`."
    },
    "skill-metadata-form": {
      severity: "note",
      title: "Setting without quotes",
      why: "Metadata holds strings.",
      fix: 'Put the value into quotes, such as "true" or "1.0".'
    },
    "skill-approval-value": {
      severity: "warning",
      title: "Approval is neither true nor false",
      why: "Whatever is not a clear no asks for approval.",
      fix: 'Write "true", or leave the line out.'
    },
    "skill-model-name": {
      severity: "warning",
      title: "Not the name of a model",
      why: "A skill can only choose a model of the person's own server, not a URL or a path.",
      fix: "Write a name as `ollama list` shows it."
    },
    "skill-passes-value": {
      severity: "warning",
      title: "Not a number of passes",
      why: "A task is refined in a small number of passes.",
      fix: 'Write a number from "1" to "5", or leave the line out.'
    },
    "skill-heading-form": {
      severity: "note",
      title: "Heading of a part in another form",
      why: "The parts of a skill are found by their headings.",
      fix: "Write `## Input requirements`, `## Refinement`, `## Execution`."
    }
  }
})
