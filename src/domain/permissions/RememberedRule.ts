/**
 * A rule that a person had remembered: an entry of policies.json. For a tool of a plugin or a server it holds for the
 * definition that the person saw; a tool that changes has to ask again. Called by the gate and by services/permissions/Policies.
 */
import * as Schema from "effect/Schema"
import { Rule } from "./Permission.ts"

/** The tool that an entry was made for, when it is not built in. */
export const ToolPin = Schema.Struct({
  /** The plugin or server that the tool comes from. */
  origin: Schema.NonEmptyString,
  /** SHA-256 of what the model and the gate see of the tool, in hex. */
  definition: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "a SHA-256 in hex" }))
})
export type ToolPin = typeof ToolPin.Type

const Time = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/, {
    expected: 'a time in UTC such as "2026-11-21T10:00:00Z"'
  })
)

/** `rememberedAt` is absent in entries that a person wrote by hand. */
export const RememberedRule = Schema.Struct({
  ...Rule.fields,
  pin: Schema.optionalKey(ToolPin),
  rememberedAt: Schema.optionalKey(Time)
})
export type RememberedRule = typeof RememberedRule.Type

/** True when two entries speak of the same: remembering the one replaces the other. */
export const isSameRule = (a: Rule, b: Rule): boolean =>
  a.verdict === b.verdict && a.tool === b.tool && a.pattern === b.pattern

/** True when the entry holds for the tool as it is now; `pin` is absent for a tool that is built in. A denial always holds. */
export const holdsFor = (rule: RememberedRule, pin: ToolPin | undefined): boolean =>
  rule.verdict !== "allow" || (rule.pin?.definition === pin?.definition && rule.pin?.origin === pin?.origin)
