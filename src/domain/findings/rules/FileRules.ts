/**
 * The rules of the families `skill-files`, `skill-format` and `templates`: files that people write. Each family is in
 * the order of its page.
 */
import { defineFamily } from "./Rule.ts"

export const skillFilesRules = defineFamily({
  family: "skill-files",
  title: "Skill files",
  about: "What a SKILL.md must hold.",
  rules: {
    "skill-not-text": {
      title: "Skill file is not text",
      why: "Only UTF-8 can be read.",
      fix: "Save it as UTF-8."
    },
    "front-matter-broken": {
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
      title: "Skill without name",
      why: "Tasks name their skill.",
      fix: "Add the line `name:` with the name of the folder."
    },
    "skill-name-not-folder": {
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
    "skill-turns-value": {
      severity: "warning",
      title: "Not a number of turns",
      why: "A task has a limited number of turns.",
      fix: 'Write a number from "1" to "100", or leave the line out.'
    },
    "skill-heading-form": {
      severity: "note",
      title: "Heading of a part in another form",
      why: "The parts of a skill are found by their headings.",
      fix: "Write `## Input requirements`, `## Refinement`, `## Execution`."
    }
  }
})

export const skillFormatRules = defineFamily({
  family: "skill-format",
  title: "Skill format",
  about:
    "What `skills lint` finds beside the rules of [skill files](skill-files.md). A run reads such a skill all the same.",
  rules: {
    "skill-key-unknown": {
      title: "Unknown key",
      why: "Other programs refuse a file with a key that the format does not have.",
      fix: "Use only name, description, license, compatibility, metadata and allowed-tools."
    },
    "skill-compatibility-long": {
      title: "Long compatibility note",
      why: "The format allows 500 characters.",
      fix: "Say in a sentence what the skill needs."
    },
    "skill-description-when": {
      severity: "warning",
      title: "Description does not say when",
      why: "The planner sees the description alone and chooses by it.",
      fix: "Add a sentence such as `Use it when ...`."
    },
    "skill-tool-unknown": {
      severity: "warning",
      title: "Unknown tool",
      why: "A tool that is not there cannot be called; without any of its tools a skill is not offered.",
      fix: "Name tools as `task-conductor tools list` shows them."
    },
    "skill-tool-foreign": {
      severity: "note",
      title: "Tool of another program",
      why: "The tool does the same as one that has another name here.",
      fix: "Nothing is to be done for a skill that several programs use; otherwise write the name that was read."
    },
    "skill-setting-unknown": {
      title: "Unknown setting",
      why: "A misspelled setting has no effect.",
      fix: "Write `task-conductor.requires-approval` or `task-conductor.model` under `metadata`."
    },
    "skill-heading-unknown": {
      severity: "warning",
      title: "Unknown heading",
      why: "In a skill with our headings, text under any other heading is not sent to the model.",
      fix: "Put the text under `## Input requirements`, `## Refinement` or `## Execution`."
    },
    "skill-execution-missing": {
      severity: "warning",
      title: "Nothing to execute",
      why: "The model that writes the result sees only the execution part.",
      fix: "Say under `## Execution` what the result must hold."
    },
    "skill-part-large": {
      severity: "warning",
      title: "Large part",
      why: "Every word of a part leaves less of a small context window for the work.",
      fix: "Keep a part below 1000 tokens, or make two skills of it."
    },
    "skill-too-large": {
      title: "Skill too large",
      why: "The format asks for less than 5000 tokens, and small windows hold no more.",
      fix: "Shorten or split it."
    },
    "skill-placeholder": {
      title: "Placeholder text",
      why: "A model copies or obeys what was meant for the author.",
      fix: "Write what is meant, or leave the line out."
    },
    "skill-link-broken": {
      title: "Broken link",
      why: "There is no file at the target.",
      fix: "Correct the path; it is relative to SKILL.md."
    },
    "skill-input-type": {
      title: "Type of an input",
      why: "A line that only looks like a typed input is neither filled in nor checked.",
      fix: "Write one of text, path, url, number, yes-no, or choice of A, B, then required or optional."
    },
    "skill-input-name": {
      title: "Name of an input",
      why: "An input is found by its name in the answer of a model, so every name stands once.",
      fix: "Use at most 40 lower-case letters, digits and hyphens, beginning with a letter."
    }
  }
})

export const templatesRules = defineFamily({
  family: "templates",
  title: "Prompt templates",
  about: "What a template must hold. Checked when the program starts.",
  rules: {
    "marker-missing": {
      title: "Marker line missing",
      why: "It separates the system part from the user part.",
      fix: "Put the marker line between the two parts, exactly once."
    },
    "marker-doubled": {
      title: "Marker line twice",
      why: "A prompt has two parts.",
      fix: "Put the marker line between the two parts, exactly once."
    },
    "placeholder-unknown": {
      title: "Unknown placeholder",
      why: "Nothing would fill it in.",
      fix: "Use the placeholders of the template."
    },
    "placeholder-missing": {
      title: "Placeholder missing",
      why: "The model would not see its value.",
      fix: "Put it where its value belongs."
    },
    "optional-part-unbalanced": {
      title: "Optional part not closed",
      why: "It is unclear what is left out with it.",
      fix: "Close every optional part {#name} with {/name} before the next one begins."
    },
    "template-unreadable": {
      title: "Template cannot be read",
      why: "Every stage has its template.",
      fix: "Install the package again, it ships this file."
    }
  }
})
