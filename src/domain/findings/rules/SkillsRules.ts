/** The rules of the family `skills`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const skillsRules = defineFamily({
  family: "skills",
  title: "Skills of a task",
  about: "The skill that a task names.",
  rules: {
    "skill-unknown": {
      severity: "error",
      title: "Unknown skill",
      why: "A task runs by the text of its skill.",
      fix: "Use a skill of the catalogue.",
      help: '"task-conductor skills list" shows the skills that there are.'
    },
    "skill-several": {
      severity: "error",
      title: "More than one skill",
      why: "A task is refined and executed with one skill.",
      fix: "Keep one of them, or make a task of each."
    },
    "skill-spelling": {
      severity: "note",
      title: "Skill spelled differently",
      why: "Exactly one skill can be meant.",
      fix: "Write the name as in the catalogue."
    },
    "skill-form": {
      severity: "note",
      title: "Marks around a skill",
      why: "A skill's name is plain text.",
      fix: "Write the skill as plain text."
    }
  }
})
