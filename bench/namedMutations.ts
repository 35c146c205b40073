/**
 * Changes of decisions that a quick test must notice. Each entry names the decision and the test. The file must contain
 * the text `from`.
 */
export interface NamedMutation {
  readonly decides: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly tests: ReadonlyArray<string>
}

export const namedMutations: ReadonlyArray<NamedMutation> = [
  {
    decides: "the third denial ends the task",
    file: "src/services/permissions/GateDecision.ts",
    from: "times >= maxDenials",
    to: "times > maxDenials",
    tests: ["test/services/permissions/Gate.test.ts"]
  },
  {
    decides: "a slot waits for the next turn of its task",
    file: "src/services/models/ModelSlots.ts",
    from: "const toolsTake = 20",
    to: "const toolsTake = 0",
    tests: ["test/services/models/ModelSlots.test.ts"]
  },
  {
    decides: "how many clashes fail a task",
    file: "src/services/pipeline/JoinChanges.ts",
    from: "const mostClashes = 2",
    to: "const mostClashes = 1",
    tests: ["test/services/pipeline/JoinChanges.test.ts"]
  },
  {
    decides: "one later success makes up for one failure only",
    file: "src/domain/runs/NotDone.ts",
    from: "if (isSingle) later.splice(at, 1)",
    to: "",
    tests: ["test/domain/runs/NotDone.test.ts"]
  },
  {
    decides: "a report is sent back twice while a check fails",
    file: "src/domain/documents/ReportIssues.ts",
    from: "const mostRejectedReports = 2",
    to: "const mostRejectedReports = 3",
    tests: ["test/domain/documents/ReportIssues.test.ts"]
  },
  {
    decides: "the report in the last answer is taken, whatever is open",
    file: "src/services/agent/JudgeReport.ts",
    from: "hasChanged && answersLeft > 0 &&",
    to: "hasChanged &&",
    tests: ["test/services/agent/JudgeReport.test.ts"]
  },
  {
    decides: "an edit of a wrong path counts as made when its lines arrive elsewhere",
    file: "src/domain/tools/OpenChanges.ts",
    from: "elsewhere.some(bringsLine) ||",
    to: "",
    tests: ["test/domain/tools/OpenChanges.test.ts"]
  },
  {
    decides: "the grammar binds after the second rejected answer",
    file: "src/services/pipeline/Attempts.ts",
    from: "isBound ||= attempt > 1",
    to: "isBound ||= attempt > 2",
    tests: ["test/services/pipeline/Attempts.test.ts"]
  },
  {
    decides: "nothing of tests is shown before the first turn",
    file: "src/domain/models/PrefetchedParts.ts",
    from: "texts.filter(({ path }) => !isTestMaterial(path))",
    to: "texts",
    tests: ["test/domain/models/PrefetchedParts.test.ts"]
  },
  {
    decides: "when the self-review is worth its calls",
    file: "src/services/agent/hooks/SelfReview.ts",
    from: "const leastAnswers = 4",
    to: "const leastAnswers = 3",
    tests: ["test/services/agent/hooks/SelfReview.test.ts"]
  },
  {
    decides: "how much is kept around a change in a compaction",
    file: "src/domain/documents/CompactedFiles.ts",
    from: "[1, 3, 8, 20, 40]",
    to: "[1, 3, 8, 20]",
    tests: ["test/domain/documents/CompactedTurns.test.ts"]
  },
  {
    decides: "which lines show that a plan is half",
    file: "src/domain/documents/HalfPlan.ts",
    from: "const mostCharacters = 200",
    to: "const mostCharacters = 80",
    tests: ["test/domain/documents/HalfPlan.test.ts"]
  },
  {
    decides: "which quotations are looked for across lines",
    file: "src/domain/documents/Evidence.ts",
    from: "const leastJoined = 12",
    to: "const leastJoined = 24",
    tests: ["test/domain/documents/Evidence.test.ts"]
  },
  {
    decides: "a script that changed in the millisecond of the rule is still covered by it",
    file: "src/services/permissions/Policy.ts",
    from: "at <= inForceSince(rule)",
    to: "at < inForceSince(rule)",
    tests: ["test/services/permissions/Policy.test.ts"]
  }
]
