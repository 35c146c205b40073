/** The rules of the family `names`, in the order of their page. */
import { nameDuplicate } from "./names/NameDuplicate.ts"
import { nameForm } from "./names/NameForm.ts"
import { nameReplaced } from "./names/NameReplaced.ts"
import { nameFromHeading } from "./names/NameFromHeading.ts"

export const namesRules = {
  family: "names",
  title: "Names",
  about: "Every task has a name, and its result is found by the slug of the name.",
  rules: [nameDuplicate, nameForm, nameReplaced, nameFromHeading]
} as const
