/** The rules of the family `templates`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const templatesRules = defineFamily({
  family: "templates",
  title: "Prompt templates",
  about: "What a template must hold. Checked when the program starts.",
  rules: {
    "marker-missing": {
      severity: "error",
      title: "Marker line missing",
      why: "It separates the system part from the user part.",
      fix: "Put the marker line between the two parts, exactly once."
    },
    "marker-doubled": {
      severity: "error",
      title: "Marker line twice",
      why: "A prompt has two parts.",
      fix: "Put the marker line between the two parts, exactly once."
    },
    "placeholder-unknown": {
      severity: "error",
      title: "Unknown placeholder",
      why: "Nothing would fill it in.",
      fix: "Use the placeholders of the template."
    },
    "placeholder-missing": {
      severity: "error",
      title: "Placeholder missing",
      why: "The model would not see its value.",
      fix: "Put it where its value belongs."
    },
    "optional-part-unbalanced": {
      severity: "error",
      title: "Optional part not closed",
      why: "It is unclear what is left out with it.",
      fix: "Close every optional part {#name} with {/name} before the next one begins."
    },
    "template-unreadable": {
      severity: "error",
      title: "Template cannot be read",
      why: "Every stage has its template.",
      fix: "Install the package again, it ships this file."
    }
  }
})
