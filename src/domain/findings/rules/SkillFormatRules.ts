/** The rules of the family `skill-format`, in the order of their page. */
import { skillKeyUnknown } from "./skill-format/SkillKeyUnknown.ts"
import { skillCompatibilityLong } from "./skill-format/SkillCompatibilityLong.ts"
import { skillDescriptionWhen } from "./skill-format/SkillDescriptionWhen.ts"
import { skillToolUnknown } from "./skill-format/SkillToolUnknown.ts"
import { skillSettingUnknown } from "./skill-format/SkillSettingUnknown.ts"
import { skillHeadingUnknown } from "./skill-format/SkillHeadingUnknown.ts"
import { skillExecutionMissing } from "./skill-format/SkillExecutionMissing.ts"
import { skillPartLarge } from "./skill-format/SkillPartLarge.ts"
import { skillTooLarge } from "./skill-format/SkillTooLarge.ts"
import { skillPlaceholder } from "./skill-format/SkillPlaceholder.ts"
import { skillLinkBroken } from "./skill-format/SkillLinkBroken.ts"
import { skillInputType } from "./skill-format/SkillInputType.ts"
import { skillInputName } from "./skill-format/SkillInputName.ts"

export const skillFormatRules = {
  family: "skill-format",
  title: "Skill format",
  about:
    "What `skills lint` finds beside the rules of [skill files](skill-files.md). A run reads such a skill all the same.",
  rules: [
    skillKeyUnknown,
    skillCompatibilityLong,
    skillDescriptionWhen,
    skillToolUnknown,
    skillSettingUnknown,
    skillHeadingUnknown,
    skillExecutionMissing,
    skillPartLarge,
    skillTooLarge,
    skillPlaceholder,
    skillLinkBroken,
    skillInputType,
    skillInputName
  ]
} as const
