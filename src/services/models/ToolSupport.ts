/**
 * Checks whether a model has vision and can make native tool calls. A model that cannot make them only describes calls
 * in its text. `ask` therefore checks this before the first message of a conversation that needs tools.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { ModelServer } from "../providers/Provider.ts"

/** Says that the model cannot call tools. `able` are the installed models that can. */
export class NoToolSupport extends Schema.TaggedError<NoToolSupport>()("NoToolSupport", {
  model: Schema.String,
  able: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const what = `The model "${this.model}" cannot call tools, which toolCalls "native" needs.`
    return this.able.length === 0
      ? `${what} No other installed model can. Get one, such as "ollama pull qwen3:8b", or use --tool-calls text, which every model can.`
      : `${what} Installed models that can: ${this.able.join(", ")}. Choose one with --model, or use --tool-calls text, which every model can.`
  }
}

/** Says that the model has no vision. `able` are the installed models that have vision. */
export class NoVision extends Schema.TaggedError<NoVision>()("NoVision", {
  model: Schema.String,
  able: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const able = this.able.length === 0 ? "" : ` Installed models that do: ${this.able.join(", ")}.`
    return `The model "${this.model}" sees no pictures.${able} Choose one that does with --model or /model, or leave the pictures out.`
  }
}

export class ToolSupport extends Context.Service<
  ToolSupport,
  {
    /** Succeeds if the model can call tools, or if no tool calls are needed. */
    readonly require: Effect.Effect<void, NoToolSupport | ModelError>
    /** Succeeds if the model has vision, or may have it. */
    readonly see: Effect.Effect<void, NoVision>
  }
>()("task-conductor/services/models/ToolSupport") {
  /** A layer that checks nothing, for models that are known to call tools. */
  static readonly layerAssumed: Layer.Layer<ToolSupport> = Layer.succeed(ToolSupport)(
    ToolSupport.of({ require: Effect.void, see: Effect.void })
  )

  /** For the built-in demo, which has no vision. */
  static readonly layerBlind = (model: string): Layer.Layer<ToolSupport> =>
    Layer.succeed(ToolSupport)(
      ToolSupport.of({ require: Effect.void, see: Effect.fail(new NoVision({ model, able: [] })) })
    )

  /**
   * Asks the server what the model can do. If the model lacks a needed ability, also asks which other models have it.
   * If `isNeeded` is false, only checks that the server responds.
   */
  static readonly layerServer = (
    { facts, greeting, inventory }: ModelServer,
    model: string,
    isNeeded: boolean
  ): Layer.Layer<ToolSupport> => {
    if (inventory === undefined) return ToolSupport.layerAssumed
    const require = Effect.gen(function* () {
      const { abilities, isKnown } = yield* facts(model)
      if (!isKnown) yield* greeting
      if (!isNeeded || abilities.tools !== false) return
      const able = (yield* inventory).filter(({ abilities }) => abilities.tools).map(({ name }) => name)
      return yield* new NoToolSupport({ model, able })
    })
    const see = Effect.gen(function* () {
      if ((yield* facts(model)).abilities.vision !== false) return
      const installed = yield* Effect.orElseSucceed(inventory, () => [])
      return yield* new NoVision({
        model,
        able: installed.filter(({ abilities }) => abilities.vision).map(({ name }) => name)
      })
    })
    return Layer.succeed(ToolSupport)(ToolSupport.of({ require, see }))
  }
}
