/**
 * What an event of a run adds to metrics, with the names of the semantic conventions of OpenTelemetry for generative AI.
 */
import type { ModelCallId } from "../runs/ActivityKey.ts"
import type { RunEvent } from "../runs/RunEvent.ts"

/** A histogram. */
export interface Instrument {
  readonly unit: string
  readonly description: string
  readonly boundaries: ReadonlyArray<number>
}

const powersOf = (base: number, from: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => from * base ** index)

const seconds = powersOf(2, 0.01, 14)

export const instruments = {
  "gen_ai.client.token.usage": {
    unit: "{token}",
    description: "Tokens of a model call",
    boundaries: powersOf(4, 1, 14)
  },
  "gen_ai.client.operation.duration": { unit: "s", description: "Duration of a model call", boundaries: seconds },
  "task_conductor.tool.duration": { unit: "s", description: "Duration of a tool call", boundaries: seconds },
  "task_conductor.run.duration": { unit: "s", description: "Duration of a run", boundaries: powersOf(2, 1, 14) }
} satisfies Readonly<Record<string, Instrument>>

/** One value. */
export interface Measurement {
  readonly name: keyof typeof instruments
  readonly value: number
  readonly attributes: Readonly<Record<string, string>>
}

/** `modelOf` is the model that a call was sent to, `providerOf` what its provider is called. */
export const measurements = (
  event: RunEvent,
  modelOf: (call: ModelCallId) => string,
  providerOf: (model: string) => string
): ReadonlyArray<Measurement> => {
  switch (event.type) {
    case "model.finished": {
      const model = modelOf(event.call)
      const attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": providerOf(model),
        "gen_ai.request.model": model,
        "task_conductor.stage": event.call.stage
      }
      const { answerTokens, durationMs, promptTokens } = event.usage
      const tokens = (type: string, value: number | undefined): ReadonlyArray<Measurement> =>
        value === undefined
          ? []
          : [{ name: "gen_ai.client.token.usage", value, attributes: { ...attributes, "gen_ai.token.type": type } }]
      return [
        ...tokens("input", promptTokens),
        ...tokens("output", answerTokens),
        { name: "gen_ai.client.operation.duration", value: durationMs / 1000, attributes }
      ]
    }
    case "tool.finished": {
      const { error_type, metadata, success } = event.result
      const attributes = { "gen_ai.tool.name": event.name, ...(success ? {} : { "error.type": error_type }) }
      return [{ name: "task_conductor.tool.duration", value: metadata.execution_time_ms / 1000, attributes }]
    }
    case "run.finished": {
      const { status, usage } = event.report
      const attributes = { "task_conductor.run.status": status }
      return [{ name: "task_conductor.run.duration", value: usage.durationMs / 1000, attributes }]
    }
    default:
      return []
  }
}
