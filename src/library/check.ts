/**
 * Checks of documents against a project for scripts, as promises. The text alone is checked by `check`.
 */
import * as Effect from "effect/Effect"
import type { CheckReport, DocumentKind, FixedDocument } from "../domain/documents/CheckReport.ts"
import { inProject } from "./lateApp.ts"
import { withOptions } from "./optionNames.ts"
import { configurationOf, pluginValues, onThisMachine, type ScriptOptions } from "./scriptOptions.ts"

/** What is checked and against which project: the skills, tools and limits that `run` with these options would have. */
export interface ProjectCheckOptions extends Pick<
  ScriptOptions,
  "project" | "contextWindow" | "referenceBudget" | "limits" | "plugins" | "signal"
> {
  /** A task list when absent. */
  readonly kind?: DocumentKind
  /** Names of tasks that have finished, for a list that continues a run. */
  readonly finished?: ReadonlyArray<string>
}

/**
 * Checks a document against a project and writes it anew without what was repaired. `text` is the given text when there is
 * nothing to fix and when the document is rejected. Rejects when the project or its configuration cannot be used.
 */
export const fixInProject = (text: string, options: ProjectCheckOptions = {}): Promise<FixedDocument> => {
  const fixed = withOptions(options, "checkInProject", () => {
    const { finished = [], kind = "task-list", plugins = [], project = "." } = options
    const values = pluginValues(plugins)
    const checked = { project, given: configurationOf(options), plugins: values, warn: () => Effect.void }
    return inProject(checked, (checker) => checker.fix(kind, text, { finished }))
  })
  return Effect.runPromise(onThisMachine({})(fixed), { signal: options.signal })
}

/** Checks a document against a project: a plan that is accepted here is one that a run accepts. */
export const checkInProject = (text: string, options: ProjectCheckOptions = {}): Promise<CheckReport> =>
  fixInProject(text, options).then(({ report }) => report)
