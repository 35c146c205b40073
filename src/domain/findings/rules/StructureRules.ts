/** The rules of the family `structure`, in the order of their page. */
import { sectionMissing } from "./structure/SectionMissing.ts"
import { sectionEmpty } from "./structure/SectionEmpty.ts"
import { sectionUnknown } from "./structure/SectionUnknown.ts"
import { sectionOrder } from "./structure/SectionOrder.ts"
import { stepEmpty } from "./structure/StepEmpty.ts"
import { tasksEmpty } from "./structure/TasksEmpty.ts"
import { taskOutsideSection } from "./structure/TaskOutsideSection.ts"
import { taskSeveral } from "./structure/TaskSeveral.ts"
import { headingForm } from "./structure/HeadingForm.ts"
import { headingText } from "./structure/HeadingText.ts"
import { headingLevel } from "./structure/HeadingLevel.ts"
import { sectionRepeated } from "./structure/SectionRepeated.ts"
import { sectionIgnored } from "./structure/SectionIgnored.ts"
import { sectionNumber } from "./structure/SectionNumber.ts"
import { sectionUnwrapped } from "./structure/SectionUnwrapped.ts"
import { textIgnored } from "./structure/TextIgnored.ts"
import { textAttached } from "./structure/TextAttached.ts"
import { finishedTaskDropped } from "./structure/FinishedTaskDropped.ts"
import { stepDropped } from "./structure/StepDropped.ts"

export const structureRules = {
  family: "structure",
  title: "Structure",
  about: "Headings and sections of the documents, and where tasks may stand.",
  rules: [
    sectionMissing,
    sectionEmpty,
    sectionUnknown,
    sectionOrder,
    stepEmpty,
    tasksEmpty,
    taskOutsideSection,
    taskSeveral,
    headingForm,
    headingText,
    headingLevel,
    sectionRepeated,
    sectionIgnored,
    sectionNumber,
    sectionUnwrapped,
    textIgnored,
    textAttached,
    finishedTaskDropped,
    stepDropped
  ]
} as const
