/** Reads the environment variables of OpenTelemetry that turn telemetry on, without loading the exporter. */
import * as Effect from "effect/Effect"
import { environmentVariable } from "../../plugin-kit.ts"

export type Protocol = "http/json" | "http/protobuf"

/** The span that started this program. */
export interface StartingSpan {
  readonly traceId: string
  readonly spanId: string
  /** False if the parent span is not recorded. The trace of this program is then not recorded either. */
  readonly sampled: boolean
}

export interface TelemetrySettings {
  /** The parent span; undefined without one. */
  readonly parent: StartingSpan | undefined
  readonly protocols: { readonly TRACES: Protocol; readonly METRICS: Protocol }
  readonly withContent: boolean
}

/** Why telemetry is off although a variable asks for it. `problem` is a sentence. */
interface TelemetryProblem {
  readonly problem: string
}

const isTrue = (value: string | undefined): boolean => value?.trim().toLowerCase() === "true"

const isProtocol = (value: string): value is Protocol => value === "http/json" || value === "http/protobuf"

const addressProblem = (name: string, value: string | undefined): string | undefined => {
  const url = value === undefined ? undefined : URL.parse(value)
  if (url === undefined || (url !== null && /^https?:$/.test(url.protocol))) return undefined
  return `${name} is not an address. Write it as http://HOST:PORT.`
}

/**
 * Matches the version, trace, span and flags of a `traceparent`. Later versions may add fields. Ids of zeros, and the
 * version ff, are invalid.
 */
const traceParent = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Parses a W3C traceparent. Undefined if the text is invalid, because the standard says to ignore it. */
export const parseTraceParent = (text: string): StartingSpan | undefined => {
  const [matched, version, traceId = "", spanId = "", flags = "", more] = traceParent.exec(text.trim()) ?? []
  if (matched === undefined || (version === "00" && more !== undefined)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The environment's parent span, unless `OTEL_PROPAGATORS` excludes it. */
const startingSpan = Effect.gen(function* () {
  const propagators = (yield* environmentVariable("OTEL_PROPAGATORS")) ?? "tracecontext"
  const text = yield* environmentVariable("TRACEPARENT")
  const isRead = propagators.split(",").some((name) => name.trim() === "tracecontext")
  return text === undefined || !isRead ? undefined : parseTraceParent(text)
})

/** The settings for telemetry, or the problem with them. Undefined if no collector is named. */
export const telemetrySettings: Effect.Effect<TelemetrySettings | TelemetryProblem | undefined> = Effect.gen(
  function* () {
    const names = [
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
    ]
    const addresses = yield* Effect.forEach(names, environmentVariable)
    if (addresses.every((one) => one === undefined) || isTrue(yield* environmentVariable("OTEL_SDK_DISABLED")))
      return undefined
    const protocol = (yield* environmentVariable("OTEL_EXPORTER_OTLP_PROTOCOL")) ?? "http/protobuf"
    const traces = (yield* environmentVariable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")) ?? protocol
    const metrics = (yield* environmentVariable("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL")) ?? protocol
    const problem = addresses
      .map((one, index) => addressProblem(names[index] ?? "", one))
      .find((one) => one !== undefined)
    if (problem !== undefined) return { problem }
    if (!isProtocol(traces) || !isProtocol(metrics)) {
      const other = isProtocol(traces) ? metrics : traces
      return {
        problem: `The protocol ${JSON.stringify(other)} of OTEL_EXPORTER_OTLP_PROTOCOL is not supported. Use http/protobuf or http/json.`
      }
    }
    const withContent = isTrue(yield* environmentVariable("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"))
    return { parent: yield* startingSpan, protocols: { TRACES: traces, METRICS: metrics }, withContent }
  }
)
