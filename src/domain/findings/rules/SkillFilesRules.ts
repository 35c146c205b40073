/** The rules of the family `skill-files`, in the order of their page. */
import { skillNotText } from "./skill-files/SkillNotText.ts"
import { frontMatterBroken } from "./skill-files/FrontMatterBroken.ts"
import { frontMatterUnquoted } from "./skill-files/FrontMatterUnquoted.ts"
import { skillNameMissing } from "./skill-files/SkillNameMissing.ts"
import { skillNameNotFolder } from "./skill-files/SkillNameNotFolder.ts"
import { skillNameForm } from "./skill-files/SkillNameForm.ts"
import { skillDescriptionMissing } from "./skill-files/SkillDescriptionMissing.ts"
import { skillDescriptionLong } from "./skill-files/SkillDescriptionLong.ts"
import { skillToolsForm } from "./skill-files/SkillToolsForm.ts"
import { skillMetadataForm } from "./skill-files/SkillMetadataForm.ts"
import { skillHeadingForm } from "./skill-files/SkillHeadingForm.ts"
import { skillApprovalValue } from "./skill-files/SkillApprovalValue.ts"
import { skillModelName } from "./skill-files/SkillModelName.ts"

export const skillFilesRules = {
  family: "skill-files",
  title: "Skill files",
  about: "What a SKILL.md must hold.",
  rules: [
    skillNotText,
    frontMatterBroken,
    frontMatterUnquoted,
    skillNameMissing,
    skillNameNotFolder,
    skillNameForm,
    skillDescriptionMissing,
    skillDescriptionLong,
    skillToolsForm,
    skillMetadataForm,
    skillApprovalValue,
    skillModelName,
    skillHeadingForm
  ]
} as const
