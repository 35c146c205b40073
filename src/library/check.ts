/** Checks documents against a project, as promises for scripts. (`check` looks at the text alone.) */
import type { CheckReport, FixedDocument } from "../domain/documents/CheckReport.ts"
import type { CheckRequest } from "../domain/documents/CheckRequest.ts"
import { conduct, type ScriptOptions } from "./scriptOptions.ts"
import { promiseOf } from "./WorkHandle.ts"

/**
 * The document's kind, and its project. The check uses the skills, tools and limits that `run` would use with these
 * options.
 */
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
 * Checks a document against a project, and repairs it. `text` is unchanged if there is nothing to fix or the document
 * is rejected. Rejects if the project or its configuration cannot be used.
 */
export const fixInProject = (text: string, options: ProjectCheckOptions = {}): Promise<FixedDocument> =>
  promiseOf(
    conduct("checkInProject", options, (conductor) => conductor.fix(text, options)),
    options.signal
  )

/**
 * Checks a document against a project. A run accepts every plan that this check accepts.
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
