import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { parseTraceParent } from "../../../src/plugins/telemetry/TelemetrySettings.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { valuesOf } from "../../support/valuesOf.ts"

interface Value {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
}
interface KeyValue {
  readonly key: string
  readonly value: Value
}
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<KeyValue>
  readonly status: { readonly code: number; readonly message?: string }
}
interface Metric {
  readonly name: string
  readonly unit: string
  readonly histogram?: {
    readonly dataPoints: ReadonlyArray<{ readonly sum: number; readonly attributes: ReadonlyArray<KeyValue> }>
  }
}
interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

const sandbox = fileSandbox()
let received: Array<Received> = []
let server: Server
let address = ""
beforeAll(async () => {
  sandbox.write("project/notes.md", "# Notes\n\nThe port is sesame. ghp_abcdefghijklmnopqrstuvwxyz0123456789\n")
  server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => void (received = []))
afterAll(() => void server.close())

const observe = (env: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) =>
  sandbox.run(words.length === 0 ? ["run", "--model", "embedded", "Where is the port?"] : words, { env })

const asJson = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })

const valueOf = ({ doubleValue, intValue, stringValue }: Value) => stringValue ?? doubleValue ?? Number(intValue)
const flat = (attributes: ReadonlyArray<KeyValue>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

/** Everything with this key in what was sent to a path. */
const sentTo = (path: string, key: string) =>
  received.flatMap((one) => (one.path === path ? valuesOf(JSON.parse(one.body.toString()), key) : []))
const spansOf = () => sentTo("/v1/traces", "spans").flat() as ReadonlyArray<Span>
const rootName = "invoke_agent task-conductor"
const rootOf = (spans: ReadonlyArray<Span>) => spans.find(({ name }) => name === rootName)
const serviceOf = () =>
  flat((sentTo("/v1/traces", "resource")[0] as { readonly attributes: ReadonlyArray<KeyValue> }).attributes)
/** All that was received, as text. */
const receivedText = () => received.map(({ body }) => body.toString()).join("\n")
const treeOf = (spans: ReadonlyArray<Span>) => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const pathOf = (span: Span): string => {
    const parent = byId.get(span.parentSpanId ?? "")
    return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`
  }
  return [...new Set(spans.map(pathOf))].toSorted()
}

describe("a run", () => {
  it("is not observed when nothing asks for it", async () => {
    const off: Record<string, string> = { OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_SDK_DISABLED: "true" }
    for (const env of [{}, off]) {
      expect((await observe(env)).code).toBe(0)
    }
    expect(received).toEqual([])
  })

  it("is a trace of stages, tasks, model calls and tool calls, without what was said", async () => {
    const { code, stderr } = await observe({ ...asJson(), OTEL_EXPORTER_OTLP_HEADERS: "x-team=blue,x-key=a%20b" })
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("observed")])
    const [first] = received
    expect(first?.headers).toMatchObject({ "x-team": "blue", "x-key": "a b", "content-type": "application/json" })
    expect(serviceOf()).toMatchObject({ "service.name": "task-conductor", "service.version": expect.any(String) })

    const spans = spansOf()
    const below = [
      "stage plan",
      "stage plan > chat embedded",
      "task",
      "task > execute_tool search_files",
      "task > stage task",
      "task > stage task > chat embedded"
    ]
    expect(treeOf(spans)).toEqual([rootName, ...below.map((path) => `${rootName} > ${path}`)].toSorted())
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    for (const span of spans) {
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true)
      expect(span.status.code).toBe(1)
    }
    const attributesOf = (name: string) => flat(spans.find((span) => span.name === name)?.attributes ?? [])
    expect(attributesOf(rootName)).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": expect.stringMatching(/^\d{8}-\d{6}-/),
      "task_conductor.run.status": "done",
      "task_conductor.run.exit_code": 0
    })
    expect(spans.find(({ name }) => name === "chat embedded")?.kind).toBe(3)
    expect(attributesOf("chat embedded")).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "embedded",
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number)
    })
    expect(attributesOf("execute_tool search_files")).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search_files",
      "gen_ai.tool.call.id": "turn-1/call-1"
    })
    for (const said of ["Where is the port", "sesame", "notes.md"]) expect(receivedText()).not.toContain(said)
  })

  it("measures tokens and durations", async () => {
    await observe({ ...asJson(), OTEL_SERVICE_NAME: "mine" })
    const metrics = sentTo("/v1/metrics", "metrics").flat() as ReadonlyArray<Metric>
    expect([...new Set(metrics.map(({ name, unit }) => `${name} ${unit}`))].toSorted()).toEqual([
      "gen_ai.client.operation.duration s",
      "gen_ai.client.token.usage {token}",
      "task_conductor.run.duration s",
      "task_conductor.tool.duration s"
    ])
    const tokens = metrics.find(({ name }) => name === "gen_ai.client.token.usage")?.histogram?.dataPoints ?? []
    const types = new Set(tokens.map(({ attributes }) => flat(attributes)["gen_ai.token.type"]))
    expect([types, tokens.every(({ sum }) => sum > 0)]).toEqual([new Set(["input", "output"]), true])
    expect(serviceOf()).toMatchObject({ "service.name": "mine" })
  })

  it("tells what was said on request, without secrets", async () => {
    await observe({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${address}/mine`,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true"
    })
    expect(new Set(received.map(({ path }) => path))).toEqual(new Set(["/mine"]))
    for (const said of ["Where is the port", "sesame", "gen_ai.tool.call.arguments"]) {
      expect(receivedText()).toContain(said)
    }
    expect(receivedText()).not.toContain("ghp_abcdefghij")
  })

  it("is sent as protobuf unless another protocol is named", async () => {
    await observe({ OTEL_EXPORTER_OTLP_ENDPOINT: address })
    expect(new Set(received.map(({ headers, path }) => `${path} ${String(headers["content-type"])}`))).toEqual(
      new Set(["/v1/traces application/x-protobuf", "/v1/metrics application/x-protobuf"])
    )
  })

  it("that fails is a failed span", async () => {
    const { code } = await observe(asJson(), "run", "--model", "qwen3:8b", "Where is the port?")
    expect(code).toBe(5)
    const root = rootOf(spansOf())
    expect([root?.status, flat(root?.attributes ?? [])]).toMatchObject([
      { code: 2, message: "unavailable" },
      { "error.type": "unavailable", "task_conductor.run.exit_code": 5 }
    ])
    expect(JSON.stringify(spansOf())).not.toMatch(/node_modules|\.ts:\d/)
  })

  it.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "nowhere" },
      "OTEL_EXPORTER_OTLP_ENDPOINT is not an address. Write it as http://HOST:PORT."
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      "Use http/protobuf or http/json."
    ]
  ])("goes on with a warning when it cannot be observed: %j", async (env, warning) => {
    const { code, stderr } = await observe(env as unknown as Readonly<Record<string, string>>)
    expect(code).toBe(0)
    for (const text of ["warning: This run sends no telemetry.", warning]) expect(stderr).toContain(text)
  })

  it("goes on when the collector is gone", async () => {
    const { code, stderr } = await observe({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_TIMEOUT: "50"
    })
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("observed")])
  })
})

describe("the parent of a run", () => {
  const [trace, parent] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]

  it("is the span that TRACEPARENT names", async () => {
    const { code } = await observe({ ...asJson(), TRACEPARENT: `00-${trace}-${parent}-01` })
    const spans = spansOf()
    const traces = new Set(spans.map(({ traceId }) => traceId))
    expect([code, rootOf(spans)?.parentSpanId, traces]).toEqual([0, parent, new Set([trace])])
    expect(spans.filter(({ parentSpanId }) => parentSpanId === parent)).toHaveLength(1)
  })

  it("is not recorded below one that is not, while metrics are", async () => {
    await observe({ ...asJson(), TRACEPARENT: `00-${trace}-${parent}-00` })
    expect(new Set(received.map(({ path }) => path))).toEqual(new Set(["/v1/metrics"]))
  })

  it("is none where TRACEPARENT is invalid, or is not to be read", async () => {
    const ignored: ReadonlyArray<Readonly<Record<string, string>>> = [
      { TRACEPARENT: "nonsense" },
      { TRACEPARENT: `00-${trace}-${parent}-01`, OTEL_PROPAGATORS: "b3" }
    ]
    for (const env of ignored) {
      received = []
      expect((await observe({ ...asJson(), ...env })).code).toBe(0)
      const root = rootOf(spansOf())
      expect([root?.traceId === trace, root?.parentSpanId ?? ""]).toEqual([false, ""])
    }
  })

  it("is read from what fits the form of its version, and from nothing else", () => {
    const sampled = { traceId: trace, spanId: parent, sampled: true }
    const rows: ReadonlyArray<[text: string, context: typeof sampled | undefined]> = [
      [`00-${trace}-${parent}-01`, sampled],
      [`00-${trace}-${parent}-00`, { ...sampled, sampled: false }],
      [`cc-${trace}-${parent}-01`, sampled],
      [`cc-${trace}-${parent}-01-what-later-versions-add`, sampled],
      ["", undefined],
      [`00-${trace}-${parent}-01-more`, undefined],
      [`ff-${trace}-${parent}-01`, undefined],
      [`00-${"0".repeat(32)}-${parent}-01`, undefined],
      [`00-${trace}-${"0".repeat(16)}-01`, undefined],
      [`00-${trace.toUpperCase()}-${parent}-01`, undefined]
    ]
    for (const [text, context] of rows) expect(parseTraceParent(text), text).toEqual(context)
  })
})

it("a conversation is a trace for each message", async () => {
  const allowed = ["--allow", "read_file", "--allow", "search_files"]
  const { code } = await observe(asJson(), "ask", "--model", "embedded", ...allowed, "Where is the port?")
  expect(code).toBe(0)
  const paths = treeOf(spansOf())
  expect(paths).toContain(rootName)
  expect(paths.some((path) => path.endsWith("chat embedded"))).toBe(true)
  expect(join(...paths)).not.toContain("port")
})
