/**
 * Checks of documents against a project for scripts, as promises. The text alone is checked by `check`.
 */
import type { CheckReport, FixedDocument } from "../domain/documents/CheckReport.ts"
import type { CheckRequest } from "../domain/documents/CheckRequest.ts"
import { conduct, type ScriptOptions } from "./scriptOptions.ts"
import { promiseOf } from "./WorkHandle.ts"

/** What is checked and against which project: the skills, tools and limits that `run` with these options would have. */
export interface ProjectCheckOptions
  extends
    Pick<
      ScriptOptions,
      | "configuration"
      | "project"
      | "contextWindow"
      | "referenceBudget"
      | "limits"
      | "plugins"
      | "signal"
      | "skills"
      | "tools"
    >,
    CheckRequest {}

/**
 * Checks a document against a project and writes it anew without what was repaired. `text` is the given text when there is
 * nothing to fix and when the document is rejected. Rejects when the project or its configuration cannot be used.
 */
export const fixInProject = (text: string, options: ProjectCheckOptions = {}): Promise<FixedDocument> =>
  promiseOf(
    conduct("checkInProject", options, (conductor) => conductor.fix(text, options)),
    options.signal
  )

/**
 * Checks a document against a project: a plan that is accepted here is one that a run accepts.
 *
 * @example
 * ```ts
 * import { checkInProject } from "task-conductor"
 *
 * const { issues } = await checkInProject("# Plan", { project: "." })
 * console.log(issues.length)
 * ```
 */
export const checkInProject = (text: string, options: ProjectCheckOptions = {}): Promise<CheckReport> =>
  fixInProject(text, options).then(({ report }) => report)
