/**
 * Sends traces and metrics of a run over OTLP. Spans come from events, so a trace shows what a user sees. This file is
 * loaded only for observed runs.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { type Attributes, type SpanEnd, type SpanStart, traceSteps, type TraceStyle } from "./TraceSteps.ts"
import { type ModelCallId, modelCallKey, type RecordedEvent, redactSecrets, type RunEvent } from "../../plugin-kit.ts"
import type { Protocol, TelemetrySettings } from "./TelemetrySettings.ts"

/** Values for unset environment variables. */
const defaults = (version: string) =>
  ConfigProvider.fromEnv({
    env: {
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_SERVICE_NAME: "task-conductor",
      OTEL_SERVICE_VERSION: version
    }
  })

const serializations: Readonly<Record<Protocol, Layer.Layer<OtlpSerialization.OtlpSerialization>>> = {
  "http/json": OtlpSerialization.layerJson,
  "http/protobuf": OtlpSerialization.layerProtobuf
}

const nanos = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000_000n

/** An error without a stack. */
const failureOf = (error: string): Exit.Exit<never, Error> => {
  const failure = new Error(error)
  failure.stack = error
  return Exit.fail(failure)
}

/** The open spans of a run. The root span has a parent if a span of another program started this program. */
const makeTrace = (tracer: Tracer.Tracer, above: Tracer.ExternalSpan | undefined, clean: (text: string) => string) => {
  const open = new Map<string, Tracer.Span>()
  const annotate = (span: Tracer.Span, attributes: Attributes): void => {
    for (const [name, value] of Object.entries(attributes)) {
      span.attribute(name, typeof value === "string" ? clean(value) : value)
    }
  }
  return {
    start: ({ attributes, key, kind, name, parents }: SpanStart, at: bigint): void => {
      if (open.has(key)) return
      const parent = parents.map((one) => open.get(one)).find((one) => one !== undefined) ?? above
      const span = tracer.span({
        name,
        parent: Option.fromUndefinedOr(parent),
        annotations: Context.empty(),
        links: [],
        startTime: at,
        kind,
        root: parent === undefined,
        sampled: above?.sampled ?? true
      })
      annotate(span, attributes)
      open.set(key, span)
    },
    end: ({ attributes, error, prefix }: SpanEnd, at: bigint): void => {
      for (const [key, span] of [...open].toReversed()) {
        if (!key.startsWith(prefix)) continue
        open.delete(key)
        annotate(span, attributes)
        span.end(at, error === undefined ? Exit.void : failureOf(error))
      }
    }
  }
}

const powersOf = (base: number, from: number): ReadonlyArray<number> =>
  Array.from({ length: 14 }, (_, index) => from * base ** index)

const histogram = (name: string, unit: string, description: string, boundaries: ReadonlyArray<number>) =>
  Metric.histogram(name, { boundaries, description, attributes: { unit } })

/** The histograms, named as in OpenTelemetry's semantic conventions for generative AI. */
const histograms = {
  tokens: histogram("gen_ai.client.token.usage", "{token}", "Tokens of a model call", powersOf(4, 1)),
  modelCall: histogram("gen_ai.client.operation.duration", "s", "Duration of a model call", powersOf(2, 0.01)),
  toolCall: histogram("task_conductor.tool.duration", "s", "Duration of a tool call", powersOf(2, 0.01)),
  run: histogram("task_conductor.run.duration", "s", "Duration of a run", powersOf(2, 1))
}

interface Measurement {
  readonly histogram: keyof typeof histograms
  readonly value: number
  readonly attributes: Readonly<Record<string, string>>
}

/** What an event adds to the metrics. `modelOf` returns the model of a call. */
const measurements = (
  event: RunEvent,
  modelOf: (call: ModelCallId) => string,
  providerOf: TraceStyle["providerOf"]
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
          : [{ histogram: "tokens", value, attributes: { ...attributes, "gen_ai.token.type": type } }]
      return [
        ...tokens("input", promptTokens),
        ...tokens("output", answerTokens),
        { histogram: "modelCall", value: durationMs / 1000, attributes }
      ]
    }
    case "tool.finished": {
      const { error_type, metadata, success } = event.result
      const attributes = { "gen_ai.tool.name": event.name, ...(success ? {} : { "error.type": error_type }) }
      return [{ histogram: "toolCall", value: metadata.execution_time_ms / 1000, attributes }]
    }
    case "run.finished": {
      const { status, usage } = event.report
      return [{ histogram: "run", value: usage.durationMs / 1000, attributes: { "task_conductor.run.status": status } }]
    }
    default:
      return []
  }
}

/** Sends metrics and spans until the scope closes. */
export const exportTo = Effect.fnUntraced(function* (
  { registry, version }: { readonly registry: Metric.MetricRegistry; readonly version: string },
  { protocols }: TelemetrySettings
) {
  const exporter = Layer.merge(
    Layer.provide(OtlpTracer.layerFromConfig(), serializations[protocols.TRACES]),
    Layer.provide(OtlpMetrics.layerFromConfig(), serializations[protocols.METRICS])
  ).pipe(Layer.provide(FetchHttpClient.layer))
  const provider = ConfigProvider.orElse(yield* ConfigProvider.ConfigProvider, defaults(version))
  return yield* Layer.build(exporter).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, provider),
    Effect.provideService(Metric.MetricRegistry, registry)
  )
})

/** Observes a run. Returns the function that receives the run's events. Unsent data is sent when the scope closes. */
export const observeRun = Effect.fn("observeRun")(function* (
  settings: TelemetrySettings,
  { model, providerOf, version }: Pick<TraceStyle, "model" | "providerOf"> & { readonly version: string }
) {
  /* A registry of its own, so that metrics of the library `effect` and of other runs are not sent. */
  const registry: Metric.MetricRegistry = new Map()
  const context = yield* exportTo({ registry, version }, settings)
  const { parent, withContent } = settings
  const above = parent === undefined ? undefined : Tracer.externalSpan(parent)
  const trace = makeTrace(Context.get(context, Tracer.Tracer), above, redactSecrets)
  const models = new Map<string, string>()

  return ({ at, event }: RecordedEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (event.type === "model.started") models.set(modelCallKey(event.call), event.model ?? model)
      for (const step of traceSteps(event, { model, providerOf, withContent })) {
        if (step._tag === "Start") trace.start(step, nanos(at))
        else trace.end(step, nanos(at))
      }
      const values = measurements(event, (call) => models.get(modelCallKey(call)) ?? model, providerOf)
      return Effect.forEach(
        values,
        ({ attributes, histogram: name, value }) =>
          Metric.update(Metric.withAttributes(histograms[name], attributes), value),
        { discard: true }
      )
    }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
})
