/**
 * The error of the gate for an access that is not allowed, with a message for models and people.
 */
import * as Schema from "effect/Schema"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"

/** After this many denials of the same effect a person is not asked again. */
export const maxDenials = 3

/** An access is not allowed. `by` says who decided: a person, a rule or flag, or nobody, when nobody could be asked. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("Denied", {
  tool: Schema.String,
  targets: Schema.Array(Schema.String),
  by: Schema.Literals(["person", "rule", "nobody"]),
  /** Why nothing can allow it, for a protected access; a clause of which the access is the subject. */
  reason: Schema.optionalKey(Schema.String),
  /** True when the run was to change nothing, and this would have changed something. */
  leftOut: Schema.optionalKey(Schema.Boolean),
  /** What rules would have to name to allow it, when that is more than the targets. */
  patterns: Schema.optionalKey(Schema.Array(Schema.String)),
  /** How often a person has denied the same effect in this run. */
  times: Schema.optionalKey(Schema.Int),
  /** What the person wants instead, in their words. */
  instead: Schema.optionalKey(Schema.String)
}) {
  /** True when the task must end instead of asking again. */
  get endsTask(): boolean {
    return (this.times ?? 0) >= maxDenials
  }

  /** The flags that allow this and nothing more. */
  private get flags(): string {
    const { targets, tool } = this
    if (targets.length === 0) return `--allow ${tool}`
    const patterns = this.patterns ?? targets.map(exactPattern)
    return patterns.map((pattern) => `--allow "${tool}:${pattern}"`).join(" ")
  }

  override get message(): string {
    const what = `${this.tool}${this.targets.length === 0 ? "" : ` on ${this.targets.join(", ")}`}`
    switch (this.by) {
      case "person":
        return `Permission denied: a person denied ${what}${this.endsTask ? ` ${this.times} times, so the task ends` : ""}${this.instead === undefined ? "" : ` and said what to do instead: ${this.instead}`}.`
      case "rule":
        return `Permission denied: ${this.reason === undefined ? `a rule denies ${what}` : `${what} ${this.reason}`}.`
      case "nobody":
        if (this.reason !== undefined) return `Permission denied: ${what} ${this.reason}.`
        return `Permission denied: ${what} needs approval and there is no terminal to ask on. Use ${this.flags}.`
    }
  }
}
