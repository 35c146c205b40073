/**
 * Checks whether the model can call tools. `ask` checks before it begins, since a model without tool support would only
 * write about calling them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { OllamaServer } from "../providers/ollama/OllamaServer.ts"

/** The model cannot call tools; `able` are installed models that can. */
export class NoToolSupport extends Schema.TaggedError<NoToolSupport>()("NoToolSupport", {
  model: Schema.String,
  able: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const what = `The model "${this.model}" cannot call tools, which "ask" needs.`
    return this.able.length === 0
      ? `${what} No other installed model can. Get one, such as "ollama pull qwen3:8b", or use "task-conductor run", which needs no such model.`
      : `${what} Installed models that can: ${this.able.join(", ")}. Choose one with --model, or use "task-conductor run", which needs no such model.`
  }
}

/** How many models are asked about at the same time. */
const askedAtOnce = 4

export class ToolSupport extends Context.Service<
  ToolSupport,
  {
    /** Succeeds when the model can call tools. */
    readonly require: Effect.Effect<void, NoToolSupport | ModelError>
  }
>()("task-conductor/services/models/ToolSupport") {
  /** For models that are known to call tools, or that were made for it. */
  static readonly layerAssumed: Layer.Layer<ToolSupport> = Layer.succeed(ToolSupport)(
    ToolSupport.of({ require: Effect.void })
  )

  /** Asks the server what the model can do, and when it cannot, which of the others can. */
  static readonly layerOllama = (model: string): Layer.Layer<ToolSupport, never, OllamaServer> =>
    Layer.effect(
      ToolSupport,
      Effect.gen(function* () {
        const server = yield* OllamaServer
        const canCall = (name: string) =>
          server.capabilities(name).pipe(
            Effect.map(({ tools }) => tools),
            Effect.orElseSucceed(() => false)
          )
        const require = Effect.gen(function* () {
          const { tools } = yield* server.capabilities(model)
          if (tools) return
          const installed = (yield* server.models).map(({ name }) => name)
          const able = yield* Effect.filter(installed, canCall, { concurrency: askedAtOnce })
          return yield* new NoToolSupport({ model, able })
        })
        return ToolSupport.of({ require })
      })
    )
}
