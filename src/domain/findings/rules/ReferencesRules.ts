/** The rules of the family `references`, in the order of their page. */
import { referencesProse } from "./references/ReferencesProse.ts"
import { referenceEmpty } from "./references/ReferenceEmpty.ts"
import { referenceGlob } from "./references/ReferenceGlob.ts"
import { referenceFolder } from "./references/ReferenceFolder.ts"
import { referenceSpaces } from "./references/ReferenceSpaces.ts"
import { referenceKind } from "./references/ReferenceKind.ts"
import { referenceUrl } from "./references/ReferenceUrl.ts"
import { referenceSelf } from "./references/ReferenceSelf.ts"
import { referenceOrder } from "./references/ReferenceOrder.ts"
import { referenceTaskUnknown } from "./references/ReferenceTaskUnknown.ts"
import { referenceMissing } from "./references/ReferenceMissing.ts"
import { referenceUnreadable } from "./references/ReferenceUnreadable.ts"
import { referenceLines } from "./references/ReferenceLines.ts"
import { referenceHeadingUnknown } from "./references/ReferenceHeadingUnknown.ts"
import { referencesTooLarge } from "./references/ReferencesTooLarge.ts"
import { referencesNone } from "./references/ReferencesNone.ts"
import { referencesText } from "./references/ReferencesText.ts"
import { referenceForm } from "./references/ReferenceForm.ts"
import { referenceTarget } from "./references/ReferenceTarget.ts"
import { linksNotRead } from "./references/LinksNotRead.ts"

export const referencesRules = {
  family: "references",
  title: "References",
  about: "The links of a task: their form, what they mean in the list, and what they find in the project.",
  rules: [
    referencesProse,
    referenceEmpty,
    referenceGlob,
    referenceFolder,
    referenceSpaces,
    referenceKind,
    referenceUrl,
    referenceSelf,
    referenceOrder,
    referenceTaskUnknown,
    referenceMissing,
    referenceUnreadable,
    referenceLines,
    referenceHeadingUnknown,
    referencesTooLarge,
    referencesNone,
    referencesText,
    referenceForm,
    referenceTarget,
    linksNotRead
  ]
} as const
