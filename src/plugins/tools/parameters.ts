/**
 * Parameters of the built-in tools with their descriptions, which are text of the prompt.
 */
import * as Schema from "effect/Schema"

/** A parameter that may be left out. */
export const optional = <A>(schema: Schema.Codec<A>, description: string) =>
  Schema.optionalKey(schema.annotate({ description }))

/** An integer with these bounds. */
export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
