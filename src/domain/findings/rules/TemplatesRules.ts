/** The rules of the family `templates`, in the order of their page. */
import { markerMissing } from "./templates/MarkerMissing.ts"
import { markerDoubled } from "./templates/MarkerDoubled.ts"
import { placeholderUnknown } from "./templates/PlaceholderUnknown.ts"
import { placeholderMissing } from "./templates/PlaceholderMissing.ts"
import { optionalPartUnbalanced } from "./templates/OptionalPartUnbalanced.ts"
import { templateUnreadable } from "./templates/TemplateUnreadable.ts"

export const templatesRules = {
  family: "templates",
  title: "Prompt templates",
  about: "What a template must hold. Checked when the program starts.",
  rules: [
    markerMissing,
    markerDoubled,
    placeholderUnknown,
    placeholderMissing,
    optionalPartUnbalanced,
    templateUnreadable
  ]
} as const
