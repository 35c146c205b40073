/**
 * Reads a test of a skill, and compares results with it. The test is a markdown file with sections for a task, project
 * files, answers of the model, and expectations. See docs/reference/skills.md.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type InputValue, type Issue, issueText, readTaskList, renderInputs } from "../../kit/documents.ts"
import { outcomeText } from "../../kit/models.ts"
import type { RunReport } from "../../kit/runs.ts"
import { canonicalJson, fencedBlocks, nearest, outline, textUnder } from "../../kit/text.ts"
import type { ToolCall } from "../../kit/tools.ts"
import { Arguments } from "../../plugin-kit.ts"

/** A call that the test expects, without its uid. */
interface ExpectedCall {
  readonly name: string
  readonly arguments: Arguments
}

export interface TestFile {
  readonly path: string
  readonly text: string
}

/** What a test expects. Absent parts are not compared. */
interface Expectations {
  readonly inputs?: string
  readonly calls?: ReadonlyArray<ExpectedCall>
  /** The codes of the issues that answers must have, sorted and each once. Empty if no issue is expected. */
  readonly issues: ReadonlyArray<string>
  /** Lines that outputs must contain. */
  readonly outputs: ReadonlyArray<string>
  readonly result: ReadonlyArray<string>
  readonly files: ReadonlyArray<TestFile>
}

export interface SkillTest {
  readonly title: string
  /** A task list that contains only the task of the test. */
  readonly plan: string
  readonly files: ReadonlyArray<TestFile>
  readonly refinements: ReadonlyArray<string>
  readonly executions: ReadonlyArray<string>
  readonly expected: Expectations
}

const headings = [
  "Task",
  "File",
  "Refinement answer",
  "Execution answer",
  "Expected inputs",
  "Expected calls",
  "Expected issues",
  "Expected outputs",
  "Expected result",
  "Expected file"
] as const
type Heading = (typeof headings)[number]

const headingNames = headings.map((heading) => (heading.endsWith("ile") ? `${heading} PATH` : heading))

interface Part {
  readonly heading: Heading
  /** The path that follows the heading's name. Empty if there is none. */
  readonly rest: string
  readonly line: number
  readonly body: string
}

/** Problems of a test, as sentences with line numbers. */
type Problems = Array<string>

const addProblem = (problems: Problems, line: number, what: string): void => void problems.push(`line ${line}: ${what}`)

const headingOf = (title: string): Pick<Part, "heading" | "rest"> | undefined => {
  const heading = headings.findLast((one) => title === one || (one.endsWith("ile") && title.startsWith(`${one} `)))
  return heading === undefined ? undefined : { heading, rest: title.slice(heading.length).trim() }
}

const partsOf = (text: string, problems: Problems): { readonly title: string; readonly parts: ReadonlyArray<Part> } => {
  const parsed = outline(text)
  const parts: Array<Part> = []
  for (const section of parsed.sections.filter(({ depth }) => depth === 2)) {
    const { heading, line } = section
    const parsedHeading = headingOf(heading)
    if (parsedHeading === undefined) {
      const [close] = nearest(heading, headingNames)
      const hint = close === undefined ? "" : ` Nearest: ${close}.`
      addProblem(problems, line, `There is no section "${heading}".${hint} All: ${headingNames.join(", ")}.`)
    } else parts.push({ ...parsedHeading, line, body: textUnder(parsed, section) })
  }
  const title = parsed.sections.findLast(({ depth }) => depth === 1)?.heading ?? ""
  return { title, parts }
}

const blockOf = ({ body, heading, line }: Part, problems: Problems): string => {
  const [block] = fencedBlocks(body)
  if (block === undefined)
    addProblem(problems, line, `"${heading}" needs a code block: put its text between two lines \`\`\`\`.`)
  return block?.text ?? ""
}

const fileOf = (part: Part, problems: Problems): TestFile => {
  const { heading, line, rest } = part
  const path = rest.replace(/^`([^`]+)`$/, "$1")
  if (path === "" || path.startsWith("/") || path.split("/").includes("..")) {
    addProblem(problems, line, `"${heading}" needs a path in the project, such as "## ${heading} src/main.ts".`)
  }
  const text = blockOf(part, problems)
  return { path, text: text === "" ? "" : `${text}\n` }
}

const decodeCall = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ name: Schema.String, arguments: Arguments }))
)

const callsOf = ({ body, line }: Part, problems: Problems): ReadonlyArray<ExpectedCall> =>
  fencedBlocks(body).flatMap(({ text }) =>
    Result.match(decodeCall(text), {
      onSuccess: (call) => [call],
      onFailure: () => {
        addProblem(problems, line, 'Each block under "Expected calls" is one JSON object with "name" and "arguments".')
        return []
      }
    })
  )

const linesOf = (body: string): ReadonlyArray<string> =>
  body
    .split("\n")
    .map((one) => one.trim())
    .filter((one) => one !== "")

const codesOf = ({ body, line }: Part, problems: Problems): ReadonlyArray<string> =>
  linesOf(body).flatMap((item) => {
    const code = /^[-*+] +`?([a-z]+(?:-[a-z]+)*)`?$/.exec(item)?.[1]
    if (code === undefined)
      addProblem(problems, line, `"${item}" is not a code. Write one "- code" a line under "Expected issues".`)
    return code ?? []
  })

/** Builds a task list from the task, for a run. */
const planOf = ({ body, line }: Part, skill: string, problems: Problems): string => {
  const fields = /^[-*+] +\*\*Skill\*\*/m.test(body) ? body : `- **Skill** ${skill}\n${body}`
  const plan = `## Original prompt\n\nTest.\n\n## Goals / summary\n\nTest.\n\n## Tasks\n\n### Task section 1\n\n${fields}\n`
  const { issues, value } = readTaskList(plan, { finished: [], allowEmpty: false, headings: [] })
  for (const issue of issues) addProblem(problems, line, issueText(issue))
  const tasks = Option.getOrUndefined(value)?.tasks ?? []
  if (issues.length === 0 && tasks.length !== 1) addProblem(problems, line, `A test has one task, not ${tasks.length}.`)
  if (issues.length === 0 && tasks[0]?.skill !== skill) {
    addProblem(problems, line, `The task must have the skill "${skill}", whose test this is. Leave the field out.`)
  }
  return plan
}

/** Reads a test. Fails with all problems, as sentences with line numbers. */
export const readSkillTest = (text: string, skill: string): Result.Result<SkillTest, ReadonlyArray<string>> => {
  const problems: Problems = []
  const { parts, title } = partsOf(text, problems)
  const allOf = (heading: Heading) => parts.filter((part) => part.heading === heading)
  const onlyOf = (heading: Heading): Part | undefined => {
    const [first, second] = allOf(heading)
    if (second !== undefined) addProblem(problems, second.line, `The section "${heading}" occurs twice.`)
    return first
  }
  const task = onlyOf("Task")
  if (task === undefined) addProblem(problems, 1, 'There is no section "## Task" with the fields of a task.')
  const calls = onlyOf("Expected calls")
  const inputs = onlyOf("Expected inputs")
  const issues = onlyOf("Expected issues")
  const test: SkillTest = {
    title,
    plan: task === undefined ? "" : planOf(task, skill, problems),
    files: allOf("File").map((part) => fileOf(part, problems)),
    refinements: allOf("Refinement answer").map((part) => blockOf(part, problems)),
    executions: allOf("Execution answer").map((part) => blockOf(part, problems)),
    expected: {
      inputs: inputs?.body.trim(),
      calls: calls && callsOf(calls, problems),
      issues: issues === undefined ? [] : codesOf(issues, problems),
      outputs: linesOf(onlyOf("Expected outputs")?.body ?? ""),
      result: linesOf(onlyOf("Expected result")?.body ?? ""),
      files: allOf("Expected file").map((part) => fileOf(part, problems))
    }
  }
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(test)
}

interface SkillTestOutcome {
  readonly report: RunReport
  readonly inputs: ReadonlyArray<InputValue>
  readonly calls: ReadonlyArray<ToolCall>
  readonly issues: ReadonlyArray<Issue>
  /** How often the run asked the scripted model for each stage. */
  readonly requestedAnswers: { readonly refinement: number; readonly execution: number }
  /** The contents of the expected files that exist after the test. */
  readonly files: ReadonlyMap<string, string>
}

/** A difference from what the test expects. `expected` and `actual` are absent if `what` says everything. */
export interface SkillTestProblem {
  /** What the difference is about. */
  readonly what: string
  /** What the test expects. */
  readonly expected?: string
  /** What the run produced. */
  readonly actual?: string
}

const differing = (what: string, expected: string, actual: string): ReadonlyArray<SkillTestProblem> =>
  expected === actual ? [] : [{ what, expected, actual }]

const callsText = (calls: ReadonlyArray<ExpectedCall>): string =>
  calls.map((call) => canonicalJson({ name: call.name, arguments: call.arguments })).join("\n")

const missingLines = (what: string, lines: ReadonlyArray<string>, text: string): ReadonlyArray<SkillTestProblem> =>
  lines.filter((line) => !text.includes(line)).map((line) => ({ what, expected: line, actual: text }))

const askedProblems = (stage: "refinement" | "execution", available: number, requested: number) => {
  if (requested > available) {
    return [{ what: `The ${stage} asked for answer ${requested}, and the test has ${available}.` }]
  }
  return requested < available
    ? [{ what: `The ${stage} asked for ${requested} of the ${available} answers of the test.` }]
    : []
}

const endProblems = ({ report }: SkillTestOutcome): ReadonlyArray<SkillTestProblem> => {
  const { issues, message, results, status } = report
  if (results.length > 0 && (status === "done" || status === "not_permitted")) return []
  return [{ what: [`The run ended as ${status}. ${message}`, ...issues.map(issueText)].join(" ").trim() }]
}

const issueProblems = (
  expected: ReadonlyArray<string>,
  actualIssues: ReadonlyArray<Issue>
): ReadonlyArray<SkillTestProblem> => {
  const codes = [...new Set(actualIssues.map(({ code }) => code))].join(", ")
  if (expected.join(", ") === codes) return []
  const actual = [codes, ...actualIssues.map(issueText)].join("\n")
  return [{ what: "The answers have other issues.", expected: expected.join(", "), actual }]
}

/** All differences from the expectations; empty if the test passes. */
export const judgeSkillTest = (test: SkillTest, outcome: SkillTestOutcome): ReadonlyArray<SkillTestProblem> => {
  const { expected } = test
  const { requestedAnswers, calls, files, inputs, issues, report } = outcome
  const outputs = report.results.flatMap((result) => result.calls.map(outcomeText)).join("\n")
  const results = report.results.map(({ result }) => result.document).join("\n")
  const end = endProblems(outcome)
  if (report.status === "no_valid_plan") return end
  return [
    ...end,
    ...askedProblems("refinement", test.refinements.length, requestedAnswers.refinement),
    ...askedProblems("execution", test.executions.length, requestedAnswers.execution),
    ...issueProblems(expected.issues, issues),
    ...(expected.inputs === undefined ? [] : differing("The inputs differ.", expected.inputs, renderInputs(inputs))),
    ...(expected.calls === undefined
      ? []
      : differing("The calls differ.", callsText(expected.calls), callsText(calls))),
    ...missingLines("No output contains the line.", expected.outputs, outputs),
    ...missingLines("The result does not contain the line.", expected.result, results),
    ...expected.files.flatMap(({ path, text }) => {
      const content = files.get(path)
      return content === undefined
        ? [{ what: `There is no file ${path}.` }]
        : differing(`The file ${path} differs.`, text, content)
    })
  ]
}
