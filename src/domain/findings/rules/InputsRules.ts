/** The rules of the family `inputs`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const inputsRules = defineFamily({
  family: "inputs",
  title: "Inputs",
  about: "What a refinement gives for the typed inputs of a skill.",
  rules: {
    "input-missing": {
      severity: "error",
      title: "Input without a value",
      why: "The skill cannot work without a required input.",
      fix: "Give the value under `## Inputs`."
    },
    "input-type": {
      severity: "error",
      title: "Value of another type",
      why: "The skill says what the value of an input is.",
      fix: "Give a value of the type that the skill asks for."
    },
    "input-repeated": {
      severity: "error",
      title: "Input given twice",
      why: "It is unclear which of the values is meant.",
      fix: "Keep one line for it."
    },
    "input-path-missing": {
      severity: "error",
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
