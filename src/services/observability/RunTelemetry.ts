/**
 * Sends traces and metrics of a run to a collector over OTLP. Spans are made of the events of the run, so that a trace says
 * what a person sees and nothing of what is inside. Loaded only for a run that is observed.
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
import {
  type Instrument,
  instruments,
  type Measurement,
  measurements
} from "../../domain/observability/Measurements.ts"
import {
  type Attributes,
  type SpanEnd,
  type SpanStart,
  traceSteps,
  type TraceStyle
} from "../../domain/observability/TraceSteps.ts"
import { modelCallKey } from "../../domain/runs/ActivityKey.ts"
import type { RecordedEvent } from "../../domain/runs/RunEvent.ts"
import { makeRedaction, secretValues } from "../../domain/text/Redaction.ts"
import type { Protocol, TelemetrySettings } from "./TelemetrySettings.ts"

/** What the environment need not say. */
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

/** An error without the stack of this program. */
const failureOf = (error: string): Exit.Exit<never, Error> => {
  const failure = new Error(error)
  failure.stack = error
  return Exit.fail(failure)
}

/** The open spans of a run. */
const makeTrace = (tracer: Tracer.Tracer, clean: (text: string) => string) => {
  const open = new Map<string, Tracer.Span>()
  const annotate = (span: Tracer.Span, attributes: Attributes): void => {
    for (const [name, value] of Object.entries(attributes)) {
      span.attribute(name, typeof value === "string" ? clean(value) : value)
    }
  }
  return {
    start: ({ attributes, key, kind, name, parents }: SpanStart, at: bigint): void => {
      if (open.has(key)) return
      const parent = parents.map((one) => open.get(one)).find((one) => one !== undefined)
      const span = tracer.span({
        name,
        parent: Option.fromUndefinedOr(parent),
        annotations: Context.empty(),
        links: [],
        startTime: at,
        kind,
        root: parent === undefined,
        sampled: true
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

const histogramOf = (name: string, { boundaries, description, unit }: Instrument) =>
  Metric.histogram(name, { boundaries, description, attributes: { unit } })

const histograms = {
  "gen_ai.client.token.usage": histogramOf("gen_ai.client.token.usage", instruments["gen_ai.client.token.usage"]),
  "gen_ai.client.operation.duration": histogramOf(
    "gen_ai.client.operation.duration",
    instruments["gen_ai.client.operation.duration"]
  ),
  "task_conductor.tool.duration": histogramOf(
    "task_conductor.tool.duration",
    instruments["task_conductor.tool.duration"]
  ),
  "task_conductor.run.duration": histogramOf("task_conductor.run.duration", instruments["task_conductor.run.duration"])
} satisfies Readonly<Record<Measurement["name"], unknown>>

/** Starts to observe a run. What is left is sent when the scope closes. Returns what takes its events. */
export const observeRun = Effect.fn("observeRun")(function* (
  { protocols, withContent }: TelemetrySettings,
  { model, providerOf, version }: Pick<TraceStyle, "model" | "providerOf"> & { readonly version: string }
) {
  /* Metrics of the runtime and of other runs are not ours to send. */
  const registry: Metric.MetricRegistry = new Map()
  const exporter = Layer.merge(
    Layer.provide(OtlpTracer.layerFromConfig(), serializations[protocols.TRACES]),
    Layer.provide(OtlpMetrics.layerFromConfig(), serializations[protocols.METRICS])
  ).pipe(Layer.provide(FetchHttpClient.layer))
  const provider = ConfigProvider.orElse(yield* ConfigProvider.ConfigProvider, defaults(version))
  const context = yield* Layer.build(exporter).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, provider),
    Effect.provideService(Metric.MetricRegistry, registry)
  )
  const trace = makeTrace(Context.get(context, Tracer.Tracer), makeRedaction(secretValues(process.env)))
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
        ({ attributes, name, value }) => Metric.update(Metric.withAttributes(histograms[name], attributes), value),
        { discard: true }
      )
    }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
})
