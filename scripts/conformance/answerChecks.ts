/**
 * Checks of answers: streaming, limits, thoughts, calls, and schemas.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import { ask, askFor } from "./Asking.ts"
import { type Check, notSupported, require } from "./Check.ts"

const Verdict = Schema.Struct({ verdict: Schema.Literals(["yes", "no"]), sure: Schema.Boolean })

/** The form of calls in templates that write them as bare objects. */
const callForm = {
  type: "object",
  properties: {
    name: { type: "string", enum: ["get_weather"] },
    arguments: {
      type: "object",
      properties: { city: { type: "string", enum: ["Rome", "Paris"] } },
      required: ["city"]
    }
  },
  required: ["name", "arguments"]
}

/** A call and its result; the id is as long as those of servers. */
const id = "call_7c1f0a9be2d84"
const called: ReadonlyArray<Prompt.MessageEncoded> = [
  { role: "user", content: "How is the weather in Rome?" },
  { role: "assistant", content: [{ type: "tool-call", id, name: "get_weather", params: { city: "Rome" } }] },
  { role: "tool", content: [{ type: "tool-result", id, name: "get_weather", isFailure: false, result: "rain" }] },
  { role: "assistant", content: "It rains in Rome." }
]

export const answerChecks: ReadonlyArray<Check> = [
  {
    name: "streaming",
    check: (target) =>
      Effect.gen(function* () {
        const answer = yield* ask(target, { prompt: "Tell a story.", settings: { maxTokens: 40 } })
        const { pieces, reason = "unknown" } = answer
        yield* require(pieces > 1, () => `the answer came in ${pieces} pieces`)
        yield* require(["stop", "length"].includes(reason), () => `ended with ${reason}`)
        return `${pieces} pieces, ended with ${reason}`
      })
  },
  {
    name: "counts of tokens",
    check: (target) =>
      Effect.gen(function* () {
        const { answerTokens, promptTokens } = yield* ask(target, { prompt: "Hello", settings: { maxTokens: 8 } })
        if (promptTokens === undefined) return yield* notSupported("the server says no counts")
        yield* require(promptTokens > 0 && (answerTokens ?? 0) > 0, () => `${promptTokens} and ${answerTokens}`)
        return `prompt ${promptTokens}, answer ${answerTokens}`
      })
  },
  {
    name: "the longest answer",
    check: (target) =>
      Effect.gen(function* () {
        const answer = yield* ask(target, { prompt: "Count to a thousand.", settings: { maxTokens: 4 } })
        const { answerTokens = 0, reason = "unknown" } = answer
        yield* require(reason === "length" || reason === "stop", () => `ended with ${reason}`)
        yield* require(answerTokens <= 4, () => `${answerTokens} tokens`)
        return `${answerTokens} tokens, ${reason}`
      })
  },
  {
    name: "the same seed",
    check: (target) =>
      Effect.gen(function* () {
        const settings = { sampling: { temperature: 0.8, seed: 7 }, maxTokens: 32 }
        const [one, other] = [
          yield* ask(target, { prompt: "Tell a story.", settings }),
          yield* ask(target, { prompt: "Tell a story.", settings })
        ]
        if (one.text + one.thinking !== other.text + other.thinking) {
          return yield* notSupported("the same seed gave two answers")
        }
        return "the same answer"
      })
  },
  {
    name: "thinking",
    check: (target) =>
      Effect.gen(function* () {
        const model = target.thinkingModel
        if (model === undefined) return yield* notSupported("no model that thinks was named")
        const settings = { think: true, maxTokens: 300, sampling: { temperature: 0.8, seed: 2 } } as const
        const { text, thinking } = yield* ask(target, { prompt: "Why?", model, settings })
        if (thinking === "" && target.api === "openai") {
          return yield* notSupported(`no thoughts were told apart from ${text.length} characters`)
        }
        yield* require(thinking !== "", () => `no thoughts, ${text.length} characters of text`)
        return `${thinking.length} characters of thoughts, ${text.length} of text`
      })
  },
  {
    name: "thinking turned off",
    check: (target) =>
      Effect.gen(function* () {
        const model = target.thinkingModel
        if (model === undefined) return yield* notSupported("no model that thinks was named")
        const settings = { think: false, maxTokens: 60 } as const
        const { thinking } = yield* ask(target, { prompt: "Why?", model, settings })
        yield* require(thinking === "", () => `${thinking.length} characters of thoughts`)
        return "no thoughts"
      })
  },
  {
    name: "thinking that the model cannot do",
    check: (target) =>
      Effect.gen(function* () {
        const model = target.plainModel
        if (model === undefined) return yield* notSupported("no model without thinking was named")
        const result = yield* Effect.result(ask(target, { prompt: "Why?", model, settings: { think: true } }))
        if (result._tag === "Success") return yield* notSupported("the server ignores the setting")
        const { reason } = result.failure
        yield* require(reason._tag === "ThinkingRefused", () => `${reason._tag}: ${result.failure.message}`)
        return "detail" in reason ? reason.detail : ""
      })
  },
  {
    name: "tools are taken",
    check: (target) =>
      Effect.gen(function* () {
        const { calls, pieces } = yield* ask(target, { prompt: "How is the weather in Rome?", tools: "auto" })
        yield* require(calls.length > 0 || pieces > 0, () => "neither a call nor text")
        return calls.length === 0 ? "the model wrote text" : `called ${calls.map(({ name }) => name).join(", ")}`
      })
  },
  {
    name: "what a tool said",
    check: (target) =>
      Effect.gen(function* () {
        const { pieces } = yield* ask(target, { prompt: "And what do I wear?", before: called, tools: "auto" })
        yield* require(pieces > 0, () => "no text")
        return "read, with the id of its call as the template of the model accepts it"
      })
  },
  {
    name: "a call that is a must",
    check: (target) =>
      Effect.gen(function* () {
        if (target.api === "ollama") return yield* notSupported("the API cannot ask for a call")
        // A noise model starts a call by chance; the server then enforces the rest.
        const settings = { maxTokens: 2500, sampling: { temperature: 0.8, seed: 3 } }
        const question = { prompt: "How is the weather in Rome?", tools: "required", settings } as const
        const result = yield* Effect.result(ask(target, question))
        if (result._tag === "Failure") {
          const { reason } = result.failure
          // A server that buffers text until it is a call stays silent while noise goes on.
          if (reason._tag !== "DiedMidStream") return yield* result.failure
          return yield* notSupported(`no call: ${reason.detail}`)
        }
        const { calls, text } = result.success
        if (calls.length === 0) return yield* notSupported(`no call, ${text.length} characters of text`)
        return `called ${calls[0]?.name} with ${JSON.stringify(calls[0]?.params)}`
      })
  },
  {
    name: "a call that the form of the answer makes",
    check: (target) =>
      Effect.gen(function* () {
        if (target.api === "openai") return yield* notSupported("the API has a form or a call, not a form of a call")
        const settings = { bound: { format: callForm }, maxTokens: 400 }
        const { calls, text } = yield* ask(target, { prompt: "How is the weather in Rome?", tools: "auto", settings })
        if (calls.length === 0) return yield* notSupported(`no call, but the text ${text}`)
        return `called ${calls[0]?.name} with ${JSON.stringify(calls[0]?.params)}`
      })
  },
  {
    name: "tools that the model cannot call",
    check: (target) =>
      Effect.gen(function* () {
        const model = target.plainModel
        if (model === undefined) return yield* notSupported("no model without tools was named")
        const result = yield* Effect.result(ask(target, { prompt: "Weather?", model, tools: "auto" }))
        if (result._tag === "Success") return yield* notSupported("the server leaves the tools out")
        const { reason } = result.failure
        yield* require(reason._tag === "Refused", () => `${reason._tag}: ${result.failure.message}`)
        return "detail" in reason ? reason.detail : ""
      })
  },
  {
    name: "an answer bound to a schema",
    check: (target) =>
      Effect.gen(function* () {
        const result = yield* Effect.result(askFor(target, 'Answer with {"verdict":"yes","sure":true}.', Verdict))
        if (result._tag === "Success") return JSON.stringify(result.success)
        const { reason } = result.failure
        if (reason._tag === "Refused") return yield* notSupported(reason.detail)
        return yield* result.failure
      })
  },
  {
    name: "an answer that is any object",
    check: (target) =>
      Effect.gen(function* () {
        const result = yield* Effect.result(
          askFor(target, "Answer with an object of JSON.", Schema.Record(Schema.String, Schema.Unknown))
        )
        if (result._tag === "Success") return JSON.stringify(result.success)
        const { reason } = result.failure
        // Endless output of the model is no fault of the server, even if buffered.
        if (reason._tag !== "DiedMidStream" && reason._tag !== "Busy") return yield* result.failure
        return yield* notSupported(`the model wrote no object that ends: ${reason.detail}`)
      })
  }
]
