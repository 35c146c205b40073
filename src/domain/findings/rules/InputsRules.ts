/** The rules of the family `inputs`, in the order of their page. */
import { inputMissing } from "./inputs/InputMissing.ts"
import { inputType } from "./inputs/InputType.ts"
import { inputRepeated } from "./inputs/InputRepeated.ts"
import { inputPathMissing } from "./inputs/InputPathMissing.ts"
import { inputIgnored } from "./inputs/InputIgnored.ts"
import { inputSpelling } from "./inputs/InputSpelling.ts"
import { inputForm } from "./inputs/InputForm.ts"
import { inputKept } from "./inputs/InputKept.ts"

export const inputsRules = {
  family: "inputs",
  title: "Inputs",
  about: "What a refinement gives for the typed inputs of a skill.",
  rules: [inputMissing, inputType, inputRepeated, inputPathMissing, inputIgnored, inputSpelling, inputForm, inputKept]
} as const
