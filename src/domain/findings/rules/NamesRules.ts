/** The rules of the family `names`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const namesRules = defineFamily({
  family: "names",
  title: "Names",
  about: "Every task has a name, and its result is found by the slug of the name.",
  rules: {
    "name-duplicate": {
      severity: "error",
      title: "Two tasks with one name",
      why: "Results are found by the slug of the name.",
      fix: "Give each task a name of its own."
    },
    "name-form": {
      severity: "note",
      title: "Marks around a name",
      why: "A name is plain text.",
      fix: "Write the name as plain text."
    },
    "name-replaced": {
      severity: "warning",
      title: "Name without letters",
      why: "Nothing could refer to it.",
      fix: "Give a name with a letter or a digit."
    },
    "name-from-heading": {
      severity: "note",
      title: "Name taken from the heading",
      why: "The heading of the task names it.",
      fix: "Write the name into the field *Name*."
    }
  }
})
