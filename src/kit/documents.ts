/**
 * Reads, checks and prints plans, tasks, results and skills, and describes their mistakes. Imported as
 * "task-conductor/kit/documents". Every version may change it, so only features, and packages of exactly this version,
 * may import it.
 */

/* Plans, tasks and their results. */
export { excerpt } from "../domain/grammar/RawTask.ts"
export { ItemResult, itemsText } from "../domain/plan/ForEach.ts"
export { plainTask, Task } from "../domain/plan/Task.ts"
export { Step, TaskList } from "../domain/plan/TaskList.ts"
export { stepText } from "../domain/plan/TaskName.ts"
export { NumberedPlace } from "../domain/documents/Places.ts"
export { finishedText, TaskFailure, TaskPhase, TaskResult } from "../domain/plan/TaskResult.ts"

/* Reading, checking and printing documents. */
export {
  checkDocument,
  type CheckOptions,
  CheckReport,
  DocumentKind,
  fixDocument,
  type FixedDocument,
  isBetter,
  IssueReport,
  issueReport,
  reportOfList,
  reportOfTurn,
  strictLists
} from "../domain/documents/CheckReport.ts"
export { placeFindings, refinementPlaces } from "../domain/documents/FindingPlaces.ts"
export { renderInputs } from "../domain/documents/InputFormat.ts"
export {
  inputsField,
  looksField,
  readTaskReport,
  type RefinementDocument
} from "../domain/documents/RefinementFormat.ts"
export { readResult } from "../domain/documents/ResultFormat.ts"
export { promptOfPlan, readTaskList } from "../domain/documents/TaskListFormat.ts"
export { withoutBudgets } from "../domain/documents/TurnBudgets.ts"
export { callSign, InputValue, TaskOutcome } from "../domain/documents/TaskOutcome.ts"
export { renderTaskReport, renderTaskList } from "../domain/documents/TaskRendering.ts"

/* Issues, repairs and rules. */
export {
  addIssue,
  addRepair,
  type Findings,
  inDocumentOrder,
  Issue,
  issueText,
  makeIssue,
  placedIssueText,
  type Reading,
  Repair,
  type RepairCode,
  Where,
  whereText
} from "../domain/findings/Issue.ts"
export { modelText, userText, repairText } from "../domain/findings/IssueText.ts"
export type { FindingRule } from "../domain/findings/rules/Rule.ts"
export { ruleFamilies, ruleOf, rules } from "../domain/findings/rules/Rules.ts"

/* Skills and their files. */
export { exceedsLimits } from "../domain/skills/AllowedTools.ts"
export { readSkillInputs, Skill, type SkillTokens, skillTokens, whyNotOffered } from "../domain/skills/Skill.ts"
export {
  isPlainBody,
  placeOfKey,
  readSkill,
  readSkillFile,
  type SkillFile,
  skillPart
} from "../domain/skills/SkillFormat.ts"
export { maxSkillBytes, type SkillFolders, skillRoots } from "../services/skills/SkillFolders.ts"
export { Skills } from "../services/skills/Skills.ts"
