/** The rules of the family `skill-format`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const skillFormatRules = defineFamily({
  family: "skill-format",
  title: "Skill format",
  about:
    "What `skills lint` finds beside the rules of [skill files](skill-files.md). A run reads such a skill all the same.",
  rules: {
    "skill-key-unknown": {
      severity: "error",
      title: "Unknown key",
      why: "Other programs refuse a file with a key that the format does not have.",
      fix: "Use only name, description, license, compatibility, metadata and allowed-tools."
    },
    "skill-compatibility-long": {
      severity: "error",
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
      severity: "error",
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
      severity: "error",
      title: "Skill too large",
      why: "The format asks for less than 5000 tokens, and small windows hold no more.",
      fix: "Shorten or split it."
    },
    "skill-placeholder": {
      severity: "error",
      title: "Placeholder text",
      why: "A model copies or obeys what was meant for the author.",
      fix: "Write what is meant, or leave the line out."
    },
    "skill-link-broken": {
      severity: "error",
      title: "Broken link",
      why: "There is no file at the target.",
      fix: "Correct the path; it is relative to SKILL.md."
    },
    "skill-input-type": {
      severity: "error",
      title: "Type of an input",
      why: "A line that only looks like a typed input is neither filled in nor checked.",
      fix: "Write one of text, path, url, number, yes-no, or choice of A, B, then required or optional."
    },
    "skill-input-name": {
      severity: "error",
      title: "Name of an input",
      why: "An input is found by its name in the answer of a model, so every name stands once.",
      fix: "Use at most 40 lower-case letters, digits and hyphens, beginning with a letter."
    }
  }
})
