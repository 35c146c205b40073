/**
 * Makes a schema from the two functions of a document format, so that reading and rendering stay one thing.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { issuesMarkdown, type Reading } from "../findings/Issue.ts"

/** A schema from markdown to a value; decoding fails with all issues, numbered. */
export const markdownCodec = <A>(
  value: Schema.Codec<A, A>,
  read: (text: string) => Reading<A>,
  render: (value: A) => string
): Schema.Codec<A, string> =>
  Schema.String.pipe(
    Schema.decodeTo(
      value,
      SchemaTransformation.transformEffect<A, string>({
        decode: (text, options) => {
          const reading = read(text)
          return reading.issues.length === 0 && Option.isSome(reading.value)
            ? Effect.succeed(reading.value.value)
            : Effect.fail(new SchemaIssue.InvalidValue({ message: issuesMarkdown(reading.issues) }, text, options))
        },
        encode: (decoded) => Effect.succeed(render(decoded))
      })
    )
  )
