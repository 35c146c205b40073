/**
 * The pieces of an answer as a stream: the first comes within the limits for a first one, each further one within its own.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { asOllamaError } from "./OllamaClient.ts"
import type { beginWaits } from "./OllamaWaits.ts"

/** Sends a request with `begin` and gives what its answer consists of. */
export const piecesWithin = Effect.fnUntraced(function* (
  waits: Effect.Success<ReturnType<typeof beginWaits>>,
  begin: () => Promise<AsyncIterator<unknown, void>>
) {
  const first = yield* waits.first(
    Effect.tryPromise({
      try: async () => {
        const pieces = await begin()
        return { pieces, piece: await pieces.next() }
      },
      catch: asOllamaError
    })
  )
  const next = waits.next(Effect.tryPromise({ try: () => first.pieces.next(), catch: asOllamaError }))
  return Stream.unfold(true, (isFirst) =>
    Effect.map(isFirst ? Effect.succeed(first.piece) : next, (piece) =>
      piece.done === true ? undefined : ([piece.value, false] as const)
    )
  )
})
