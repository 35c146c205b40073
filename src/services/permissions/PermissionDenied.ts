/**
 * What the gate says when an effect may not happen, worded for models and people.
 */
import * as Schema from "effect/Schema"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"

/** After so many denials of the same effect a person is not asked again. */
export const maxDenials = 3

/** The effect may not happen. `by` says who decided: a person, a rule or flag, or nobody (no terminal). */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("Denied", {
  tool: Schema.String,
  targets: Schema.Array(Schema.String),
  by: Schema.Literals(["person", "rule", "nobody"]),
  /** Why no rule can allow it, for what is refused always. */
  refusal: Schema.optionalKey(Schema.String),
  /** How often a person has declined the same effect in this run. */
  times: Schema.optionalKey(Schema.Int)
}) {
  /** True when the person has said no often enough: the task must end instead of asking again. */
  get endsTask(): boolean {
    return (this.times ?? 0) >= maxDenials
  }

  /** The flags that allow this and nothing more. */
  private get flags(): string {
    const { targets, tool } = this
    if (targets.length === 0) return `--allow ${tool}`
    return targets.map((target) => `--allow "${tool}:${exactPattern(target)}"`).join(" ")
  }

  override get message(): string {
    const what = `${this.tool}${this.targets.length === 0 ? "" : ` on ${this.targets.join(", ")}`}`
    switch (this.by) {
      case "person":
        return `Permission denied: ${what} was declined${this.endsTask ? ` ${this.times} times; the task ends` : ""}.`
      case "rule":
        return `Permission denied: ${this.refusal === undefined ? `a rule forbids ${what}` : `${what} ${this.refusal}`}.`
      case "nobody":
        if (this.refusal !== undefined) return `Permission denied: ${what} ${this.refusal}.`
        return `Permission denied: ${what} needs approval and there is no terminal to ask on. Use ${this.flags}.`
    }
  }
}
