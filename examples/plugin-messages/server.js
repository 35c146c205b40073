// @ts-check
/** Asks the server which models it offers. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { openQuestions, unknownFacts } from "task-conductor/plugin"
import { headersOf, nameOnServer, spoken } from "./address.js"

const Models = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      /* Only Anthropic's own server says it. */
      max_input_tokens: Schema.optionalKey(Schema.NullOr(Schema.Int))
    })
  )
})

/** The first call says that a server does not answer. */
const patience = "2 seconds"

/** @param {import("task-conductor/plugin").ServerConnection} address */
export const connect = (address) =>
  Effect.map(openQuestions(address, spoken), (question) => {
    const models = Effect.map(
      question(Models, async (fetch) =>
        (await fetch(`${address.host}/v1/models`, { headers: headersOf(address) })).json()
      ),
      ({ data }) => data
    )
    /** @type {import("task-conductor/plugin").ModelServer} */
    const server = {
      greeting: Effect.map(models, ({ length }) => `the Messages API at ${address.host}, with ${length} models`),
      facts: (model) =>
        models.pipe(
          Effect.timeout(patience),
          Effect.map((offered) => {
            const name = nameOnServer(model)
            const window = offered.find(({ id }) => id === name)?.max_input_tokens ?? undefined
            return {
              isKnown: true,
              isMissing: offered.length > 1 && !offered.some(({ id }) => id === name),
              abilities: { completion: true, tools: true },
              capacity: { supportedWindow: window, loadedWindow: window },
              family: name
            }
          }),
          Effect.orElseSucceed(() => unknownFacts)
        ),
      missing: (model) => ({
        _tag: "ModelMissing",
        model,
        detail: "it is not among those that the server offers",
        remedy: spoken.remedies(model).missing
      }),
      inventory: Effect.map(models, (offered) =>
        offered.map(({ id }) => ({
          name: `messages:${id}`,
          abilities: { completion: true, tools: true },
          capacity: {}
        }))
      )
    }
    return server
  })
