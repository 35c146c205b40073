/** The rules of the family `fields`, in the order of their page. */
import { fieldMissing } from "./fields/FieldMissing.ts"
import { fieldEmpty } from "./fields/FieldEmpty.ts"
import { fieldUnknown } from "./fields/FieldUnknown.ts"
import { fieldDuplicate } from "./fields/FieldDuplicate.ts"
import { fieldTooLarge } from "./fields/FieldTooLarge.ts"
import { outputInNewTask } from "./fields/OutputInNewTask.ts"
import { fieldLabel } from "./fields/FieldLabel.ts"
import { fieldSpelling } from "./fields/FieldSpelling.ts"
import { fieldIndentation } from "./fields/FieldIndentation.ts"
import { codeBlockMoved } from "./fields/CodeBlockMoved.ts"
import { approvalValue } from "./fields/ApprovalValue.ts"

export const fieldsRules = {
  family: "fields",
  title: "Fields of a task",
  about: "The labels of a task and what stands after them.",
  rules: [
    fieldMissing,
    fieldEmpty,
    fieldUnknown,
    fieldDuplicate,
    fieldTooLarge,
    outputInNewTask,
    fieldLabel,
    fieldSpelling,
    fieldIndentation,
    codeBlockMoved,
    approvalValue
  ]
} as const
