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
    "skill-setting-unknown": {
      severity: "error",
      title: "Unknown setting",
      why: "A setting that is spelled wrong does nothing.",
      fix: "Write `task-conductor.requires-approval` or `task-conductor.model` under `metadata`."
    },
    "skill-heading-unknown": {
      severity: "warning",
      title: "Unknown heading",
      why: "Beside our headings, text under another one is not sent to the model.",
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
      why: "Every word of a part takes room from the work in a small context window.",
      fix: "Keep a part below 1000 tokens, or make two skills of it."
    },
    "skill-too-large": {
      severity: "error",
      title: "Skill too large",
      why: "The format asks for less than 5000 tokens, and small windows hold no more.",
      fix: "Shorten it, or make several skills of it."
    },
    "skill-placeholder": {
      severity: "error",
      title: "Placeholder text",
      why: "A model copies or obeys what was meant for the author.",
      fix: "Write the text, or leave the line out."
    },
    "skill-link-broken": {
      severity: "error",
      title: "Link to nothing",
      why: "Whoever follows the link finds no file.",
      fix: "Mend the path; it is relative to the folder of the skill."
    },
    "skill-input-type": {
      severity: "error",
      title: "Type of an input",
      why: "What looks like a typed input and is none is not filled and not checked.",
      fix: "Write text, path, url, number, yes-no, or choice of A, B, then required or optional."
    },
    "skill-input-name": {
      severity: "error",
      title: "Name of an input",
      why: "An input is found by its name in the answer of a model.",
      fix: "Use at most 40 lower-case letters, digits and hyphens, each name once."
    }
  }
})
