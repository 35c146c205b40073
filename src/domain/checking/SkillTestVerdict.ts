/**
 * Compares the outcome of a skill test with what the test expects.
 */
import { canonicalJson } from "../text/CanonicalJson.ts"
import { outcomeText } from "../models/OutputText.ts"
import { renderInputs } from "../documents/InputFormat.ts"
import type { InputValue } from "../documents/Refinement.ts"
import { issueText, type Issue } from "../findings/Issue.ts"
import type { RunReport } from "../runs/RunReport.ts"
import type { ExpectedCall, SkillTest } from "./SkillTest.ts"
import type { ToolCall } from "../tools/ToolCall.ts"

export interface SkillTestOutcome {
  readonly report: RunReport
  readonly inputs: ReadonlyArray<InputValue>
  readonly calls: ReadonlyArray<ToolCall>
  /** The issues of rejected answers. */
  readonly issues: ReadonlyArray<Issue>
  /** How many answers the stages asked for. */
  readonly asked: { readonly refinement: number; readonly execution: number }
  /** The contents of the expected files; no entry for one that does not exist. */
  readonly files: ReadonlyMap<string, string>
}

/** One difference from what the test expects, with both sides where there are two. */
export interface SkillTestProblem {
  readonly what: string
  readonly expected?: string
  readonly actual?: string
}

const differing = (what: string, expected: string, actual: string): ReadonlyArray<SkillTestProblem> =>
  expected === actual ? [] : [{ what, expected, actual }]

const callsText = (calls: ReadonlyArray<ExpectedCall>): string =>
  calls.map((call) => canonicalJson({ name: call.name, arguments: call.arguments })).join("\n")

const missingLines = (what: string, lines: ReadonlyArray<string>, text: string): ReadonlyArray<SkillTestProblem> =>
  lines.filter((line) => !text.includes(line)).map((line) => ({ what, expected: line, actual: text }))

const askedProblems = (stage: "refinement" | "execution", given: number, asked: number) => {
  if (asked > given) {
    return [{ what: `The ${stage} asked for answer ${asked}, and the test has ${given}.` }]
  }
  return asked < given ? [{ what: `The ${stage} asked for ${asked} of the ${given} answers of the test.` }] : []
}

const endProblems = ({ report }: SkillTestOutcome): ReadonlyArray<SkillTestProblem> => {
  const { issues, message, results, status } = report
  if (results.length > 0 && (status === "done" || status === "not_permitted")) return []
  return [{ what: [`The run ended as ${status}. ${message}`, ...issues.map(issueText)].join(" ").trim() }]
}

const issueProblems = (
  expected: ReadonlyArray<string>,
  found: ReadonlyArray<Issue>
): ReadonlyArray<SkillTestProblem> => {
  const codes = [...new Set(found.map(({ code }) => code))].join(", ")
  if (expected.join(", ") === codes) return []
  const actual = [codes, ...found.map(issueText)].join("\n")
  return [{ what: "The answers have other issues.", expected: expected.join(", "), actual }]
}

/** All differences from what the test expects; none when it passes. */
export const judgeSkillTest = (test: SkillTest, outcome: SkillTestOutcome): ReadonlyArray<SkillTestProblem> => {
  const { expected } = test
  const { asked, calls, files, inputs, issues, report } = outcome
  const outputs = report.results.flatMap((result) => result.calls.map(outcomeText)).join("\n")
  const results = report.results.map(({ result }) => result.document).join("\n")
  const end = endProblems(outcome)
  if (report.status === "no_valid_plan") return end
  return [
    ...end,
    ...askedProblems("refinement", test.refinements.length, asked.refinement),
    ...askedProblems("execution", test.executions.length, asked.execution),
    ...issueProblems(expected.issues, issues),
    ...(expected.inputs === undefined ? [] : differing("The inputs differ.", expected.inputs, renderInputs(inputs))),
    ...(expected.calls === undefined
      ? []
      : differing("The calls differ.", callsText(expected.calls), callsText(calls))),
    ...missingLines("No output contains the line.", expected.outputs, outputs),
    ...missingLines("The result does not contain the line.", expected.result, results),
    ...expected.files.flatMap(({ path, text }) => {
      const found = files.get(path)
      return found === undefined
        ? [{ what: `There is no file ${path}.` }]
        : differing(`The file ${path} differs.`, text, found)
    })
  ]
}
