/**
 * Has an Ollama server get a model. The server keeps the parts that have come, so asking again goes on where it stopped: that is
 * done by itself when the connection breaks.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ModelError } from "../../../domain/models/ModelAnswer.ts"
import { PullStep } from "../../../domain/models/ModelPull.ts"
import { fromFailure } from "../ModelErrors.ts"
import type { ServerAddress } from "../Provider.ts"
import { asServerError, badShape, brokenOff, readObject, ServerError } from "../ServerFailure.ts"
import { authorization, type Exchange, linesOf, openAgent, openAnswer } from "../ServerTransport.ts"
import { spoken } from "./OllamaHost.ts"

const decodeStep = Schema.decodeUnknownResult(PullStep)

/** What the last line says. */
const ended = "success"

async function* stepsOf(exchange: Exchange, address: ServerAddress, model: string): AsyncGenerator<PullStep, void> {
  const request = { model, stream: true }
  const pieces = await openAnswer(exchange, `${address.host}/api/pull`, request, authorization(address))
  for await (const lines of linesOf(pieces)) {
    for (const { isWhole, text } of lines) {
      if (text === "") continue
      const said = readObject(text, isWhole)
      const step = decodeStep(said)
      if (Result.isFailure(step)) throw badShape(said)
      yield step.success
      if (step.success.status === ended) return
    }
  }
  throw brokenOff("the connection ended before the model was there")
}

/** How often a connection that broke is made anew, and how long after it broke. */
const [mostRetries, retryAfter] = [5, "1 second"] as const

/** Gives the steps in order; the last one says "success". */
export const pullModel = (address: ServerAddress, model: string): Stream.Stream<PullStep, ModelError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const agent = yield* openAgent(address.host)
      const { signal } = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (call) => Effect.sync(() => call.abort(brokenOff("it is not wanted any more")))
      )
      const attempt = (left: number): Stream.Stream<PullStep, ServerError> =>
        Stream.suspend(() => Stream.fromAsyncIterable(stepsOf({ agent, signal }, address, model), asServerError)).pipe(
          Stream.catch((error) => {
            const { _tag } = error.failure
            /* A server that never answered is not there; one that did may be starting again. */
            const isBroken = _tag === "BrokenOff" || (_tag === "NoResponse" && left < mostRetries)
            if (!isBroken || left === 0) return Stream.fail(error)
            return Stream.concat(Stream.fromEffectDrain(Effect.sleep(retryAfter)), attempt(left - 1))
          })
        )
      return URL.canParse(address.host)
        ? attempt(mostRetries)
        : Stream.fail(new ServerError({ failure: { _tag: "BadAddress", host: address.host } }))
    })
  ).pipe(Stream.mapError(({ failure }) => fromFailure(failure, spoken, address.host, model)))
