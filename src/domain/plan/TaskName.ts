/** Names of tasks and titles of steps. A task's result is the anchor `#<slug>-results`. */
import * as Schema from "effect/Schema"
import { printable } from "../text/Printable.ts"
import { slugOf } from "../text/Slug.ts"

/** One line without blanks at its ends, and with a slug that is not empty. */
export const TaskName = Schema.String.check(
  Schema.isTrimmed(),
  Schema.isPattern(/^[^\n\r]+$/),
  // A name with an ASCII letter or digit always has a slug. The slug is computed only for other names.
  Schema.makeFilter(
    (name: string) => /[A-Za-z0-9]/.test(name) || slugOf(name) !== "" || "a name needs at least one letter or digit"
  )
)
export type TaskName = typeof TaskName.Type

/** The anchor of a task's result: `Research 2` becomes `research-2-results`. */
export const resultAnchor = (name: TaskName): string => `${slugOf(name)}-results`

export const stepText = (title: string): string => printable(title.replace(/^Task section (\d+)(?=$|:)/, "Step $1"))
