/**
 * The transports to a server, stdio and HTTP, with what the client of effect/ai leaves to them: older revisions of the
 * protocol are accepted, malformed tools are removed one by one instead of all together, and the end of stderr is
 * saved.
 */
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import type * as McpSchema from "effect/ai/McpSchema"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { isNestedTooDeep, maxNesting } from "../../domain/text/Json.ts"
import { schemaErrorText } from "../../domain/text/SchemaText.ts"
import { withoutInherited } from "../commands/Descriptors.ts"

const protocol = McpProtocol.v2025_11_25

/** Older revisions in which tools have the same form. */
const olderVersions = new Set<unknown>(["2024-11-05", "2025-03-26", "2025-06-18"])

/** The largest message in either direction. */
const maxMessageBytes = 10 * 1024 * 1024

/** How long a program may take to exit once its stdin is closed, and again after the signal to stop. */
const grace = Duration.seconds(1)

const stderrLength = 2000

/** The levels of a result around what its tool gave. */
const resultFrame = 4

/** What a transport records because the client does not expose it. */
export class WireNotes {
  /** The tools as they were received, by name. */
  readonly tools = new Map<string, Schema.Json>()
  /** Malformed tools with the reason; `without a name` for one that has none. */
  readonly malformed: Array<{ readonly tool: string; readonly detail: string }> = []
  /** The end of what the program wrote to stderr. */
  stderr = ""
  /** False when the program has ended. */
  isRunning = Effect.succeed(true)
  /** The exit code of a program that has ended, or ends within `grace`. */
  exitCode: Effect.Effect<number | undefined> = Effect.undefined
}

const ToolPage = Schema.Struct({ tools: Schema.Array(Schema.Json) })
const isToolPage = Schema.is(ToolPage)
const listTools = protocol.clientRpcs.requests.get("tools/list") as unknown as Rpc.AnyWithProps
const decodeTools = Schema.decodeUnknownResult(listTools.successSchema as Schema.Codec<unknown, unknown>)

const nameOf = (tool: Schema.Json): string =>
  Predicate.hasProperty(tool, "name") && Predicate.isString(tool.name) ? tool.name : "without a name"

const wellFormedTools = (page: typeof ToolPage.Type, notes: WireNotes): typeof ToolPage.Type => {
  const tools = page.tools.filter((tool) => {
    const decoded = decodeTools({ tools: [tool] })
    if (decoded._tag === "Success") {
      if (!notes.tools.has(nameOf(tool))) notes.tools.set(nameOf(tool), tool)
      return true
    }
    notes.malformed.push({
      tool: nameOf(tool),
      detail: schemaErrorText(decoded.failure).replaceAll("tools[0].", "")
    })
    return false
  })
  return { ...page, tools }
}

/** A result that no run can use, as the server could have said it. */
const tooDeep = {
  content: [{ type: "text", text: `its result is nested more than ${maxNesting} levels deep.` }],
  isError: true
}

type Transport = (typeof McpClient.Transport)["Service"]

const adapt = (transport: Transport, notes: WireNotes, negotiated: (version: string) => void): Transport => {
  const adaptResult = (method: string, result: unknown): unknown => {
    if (method === "tools/call" && isNestedTooDeep(result, maxNesting + resultFrame)) return tooDeep
    if (method === "tools/list" && isToolPage(result)) return wellFormedTools(result, notes)
    if (method !== "initialize" || !Predicate.hasProperty(result, "protocolVersion")) return result
    const { protocolVersion } = result
    if (!Predicate.isString(protocolVersion) || !olderVersions.has(protocolVersion)) return result
    negotiated(protocolVersion)
    return { ...result, protocolVersion: protocol.protocolVersion }
  }
  return {
    ...transport,
    request: (message, tool) =>
      Effect.map(transport.request(message, tool), (response): McpSchema.JsonRpcResponse =>
        response.error === undefined ? { ...response, result: adaptResult(message.method, response.result) } : response
      )
  }
}

/** A spawner that saves the end of stderr and passes each process to `started`. */
const keepingStderr = (
  spawner: ChildProcessSpawner.ChildProcessSpawner["Service"],
  notes: WireNotes,
  started: (handle: ChildProcessSpawner.ChildProcessHandle) => void
) =>
  ChildProcessSpawner.make((command) =>
    Effect.map(spawner.spawn(command), (handle) => {
      started(handle)
      const decoder = new TextDecoder()
      const keep = (chunk: Uint8Array) =>
        Effect.sync(() => {
          notes.stderr = (notes.stderr + decoder.decode(chunk, { stream: true })).slice(-stderrLength)
        })
      return ChildProcessSpawner.makeHandle({ ...handle, stderr: Stream.tap(handle.stderr, keep) })
    })
  )

/** Stops the program after `grace`; the transport closes stdin and would wait much longer. */
const stopSoon = ({ exitCode, kill }: ChildProcessSpawner.ChildProcessHandle) =>
  Effect.ignore(exitCode).pipe(
    Effect.timeoutOrElse({ duration: grace, orElse: () => Effect.ignore(kill({ forceKillAfter: grace })) }),
    Effect.forkDetach({ startImmediately: true })
  )

/** A program to start; it gets no environment variables besides `env`. */
export interface McpProgram {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/** Starts a program and connects over its stdin and stdout; it stops with the scope. */
export const stdioTransport = Effect.fnUntraced(function* (program: McpProgram, notes: WireNotes) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { args, command, cwd, env } = program
  let process: ChildProcessSpawner.ChildProcessHandle | undefined
  const supervised = keepingStderr(spawner, notes, (handle) => {
    process = handle
    notes.isRunning = Effect.orElseSucceed(handle.isRunning, () => false)
    notes.exitCode = handle.exitCode.pipe(
      Effect.timeoutOption(grace),
      Effect.map(Option.getOrUndefined),
      Effect.orElseSucceed(() => undefined)
    )
  })
  const transport = yield* McpClient.stdio({
    command: ChildProcess.make(command, [...args], {
      cwd,
      env,
      extendEnv: false,
      forceKillAfter: grace,
      additionalFds: withoutInherited()
    }),
    protocol,
    maxMessageBytes
  }).pipe(Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, supervised))
  yield* Effect.addFinalizer(() => (process === undefined ? Effect.void : stopSoon(process)))
  return adapt(transport, notes, () => undefined)
})

/** Connects over streamable HTTP. Redirects are not followed, so that headers with secrets go to this URL only. */
export const httpTransport = Effect.fnUntraced(function* (
  server: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  notes: WireNotes
) {
  let version: string | undefined
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest((request) =>
      version === undefined ? request : HttpClientRequest.setHeader(request, "mcp-protocol-version", version)
    ),
    HttpClient.transformResponse(Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }))
  )
  const transport = yield* McpClient.http({ ...server, protocol, maxMessageBytes }).pipe(
    Effect.provideService(HttpClient.HttpClient, client)
  )
  return adapt(transport, notes, (negotiated) => {
    version = negotiated
  })
})
