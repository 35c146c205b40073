/**
 * The error of a run that is named and not there.
 */
import * as Schema from "effect/Schema"

/** There are runs of other projects only; `newest` is the last of them. */
export const RunsElsewhere = Schema.Struct({
  project: Schema.String,
  runs: Schema.Int,
  newest: Schema.String,
  newestProject: Schema.String
})
export type RunsElsewhere = typeof RunsElsewhere.Type

const elsewhereText = ({ newest, newestProject, project, runs }: RunsElsewhere): string => {
  const others = runs === 1 ? "There is one run of another project" : `There are ${runs} runs of other projects`
  return `There is no run of this project (${project}) yet. ${others}; the newest is ${newest} of ${newestProject}. See "task-conductor runs --all".`
}

/** There is no such run, or the name fits several. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", {
  given: Schema.String,
  candidates: Schema.Array(Schema.String),
  isAmbiguous: Schema.Boolean,
  /** For `last`, when the project has no run and others have. */
  elsewhere: Schema.optionalKey(RunsElsewhere)
}) {
  override get message(): string {
    const candidates = this.candidates.join(", ")
    if (this.elsewhere !== undefined) return elsewhereText(this.elsewhere)
    if (this.isAmbiguous) return `"${this.given}" fits several runs: ${candidates}. Write more of the id.`
    return `There is no run "${this.given}".${candidates === "" ? "" : ` Nearest: ${candidates}.`} See "task-conductor runs".`
  }
}
