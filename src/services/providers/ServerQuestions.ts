/**
 * Queries about a server and its models, with small answers and a time limit. They fail with an error of this program.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { fromFailure, type Spoken } from "./ModelErrors.ts"
import type { ServerConnection } from "./Provider.ts"
import { asServerError, badShape, ServerError } from "./ServerFailure.ts"
import { makeFetch, openAgent } from "./ServerTransport.ts"

/** Returns the function that sends queries about `model` to a server. The connections close with the scope. */
export const openQuestions = Effect.fnUntraced(function* (
  { host, patience = "10 seconds" }: ServerConnection,
  spoken: Spoken
) {
  const agent = yield* openAgent(host)
  const timeout = Duration.fromInputUnsafe(patience)
  const detail = `no answer within ${Duration.format(timeout)}`
  const tooSlow = new ServerError({ failure: { _tag: "NoResponse", detail } })
  return <A>(
    answer: Schema.Codec<A, unknown>,
    question: (fetch: typeof globalThis.fetch) => Promise<unknown>,
    model?: string
  ): Effect.Effect<A, ModelError> =>
    Effect.tryPromise({
      try: (signal) => {
        if (!URL.canParse(host)) throw new ServerError({ failure: { _tag: "BadAddress", host } })
        return question(makeFetch({ agent, signal }))
      },
      catch: asServerError
    }).pipe(
      Effect.flatMap((said) => Effect.mapError(Schema.decodeUnknownEffect(answer)(said), () => badShape(said))),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooSlow) }),
      Effect.mapError(({ failure }) => fromFailure(failure, spoken, host, model))
    )
})
