/** The rules of the family `fields`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const fieldsRules = defineFamily({
  family: "fields",
  title: "Fields of a task",
  about: "The labels of a task and what stands after them.",
  rules: {
    "field-missing": {
      severity: "error",
      title: "Required field missing",
      why: "The field has no default.",
      fix: "Add the field."
    },
    "field-empty": {
      severity: "error",
      title: "Required field empty",
      why: "The field has no default.",
      fix: "Write the value after the label."
    },
    "field-unknown": {
      severity: "error",
      title: "Unknown field",
      why: "Nothing reads it, so its content would be lost.",
      fix: "Use only the fields of the format; put other text into *What is needed*."
    },
    "field-duplicate": {
      severity: "error",
      title: "Field given twice",
      why: "Only one of them can be meant.",
      fix: "Keep one of them, or start a new task with its own fields after a blank line."
    },
    "field-too-large": {
      severity: "error",
      title: "Field too large",
      why: "Links are not looked for in a text of this size or nesting.",
      fix: "List only the links that the task needs."
    },
    "output-in-new-task": {
      severity: "error",
      title: "Output in a new task",
      why: "Only finished tasks have an output.",
      fix: 'Remove "Output". Say under "Expected output" what the result must contain.'
    },
    "field-label": {
      severity: "note",
      title: "Label in another form",
      why: "Colon, missing bold, missing list marker, numbered list.",
      fix: "Write `- **Label** value`."
    },
    "field-spelling": {
      severity: "note",
      title: "Label spelled differently",
      why: "Exactly one label can be meant.",
      fix: "Use the words of the format."
    },
    "field-indentation": {
      severity: "note",
      title: "Field on another level",
      why: "The indentation differs from the other fields.",
      fix: "Begin all fields of a task in one column."
    },
    "code-block-moved": {
      severity: "note",
      title: "Code block moved to the task",
      why: "This field holds no code.",
      fix: "Put a code block after the task."
    },
    "approval-value": {
      severity: "warning",
      title: "Unusual approval value",
      why: "Anything that is not a no asks for approval.",
      fix: "Write the label without a value, `yes` or `no`."
    }
  }
})
