/**
 * A test of a skill: a task, the files of its project, what the model answers, and what must come of it. Read by
 * domain/checking/SkillTestFormat, run by skillTests.ts, judged by domain/checking/SkillTestVerdict.
 */
import type { Arguments } from "../tools/ToolCall.ts"

/** A call as a test expects it; uids say nothing. */
export interface ExpectedCall {
  readonly name: string
  readonly arguments: Arguments
}

/** A file by its path in the project. */
export interface TestFile {
  readonly path: string
  readonly text: string
}

/** What must come of a test; what is absent is not looked at. */
export interface Expectations {
  readonly inputs?: string
  readonly calls?: ReadonlyArray<ExpectedCall>
  /** Codes of issues in answers, each once, in order; none when the test names none. */
  readonly issues: ReadonlyArray<string>
  /** Lines that must stand in the outputs of the calls. */
  readonly outputs: ReadonlyArray<string>
  /** Lines that must stand in the result. */
  readonly result: ReadonlyArray<string>
  /** Files as they must be afterwards. */
  readonly files: ReadonlyArray<TestFile>
}

export interface SkillTest {
  readonly title: string
  /** The task as a task list with nothing else in it. */
  readonly plan: string
  readonly files: ReadonlyArray<TestFile>
  /** Answers of the model by attempt. */
  readonly refinements: ReadonlyArray<string>
  readonly executions: ReadonlyArray<string>
  readonly expected: Expectations
}
