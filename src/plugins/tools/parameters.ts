/**
 * Parameters of the built-in tools. Their descriptions are prompt text.
 */
import * as Schema from "effect/Schema"

export const optional = <A>(schema: Schema.Codec<A>, description: string) =>
  Schema.optionalKey(schema.annotate({ description }))

export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
