/**
 * Connects to an MCP server, lists its tools and calls them. Accepts older revisions of the protocol. Drops malformed
 * tools, but keeps the other tools. Only this file uses the MCP client of effect/ai.
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
import { endsWithProgram, hashOf, withoutInherited } from "../../kit/files.ts"
import { harmless, isNestedTooDeep, maxNesting, schemaErrorText } from "../../kit/text.ts"
import type { Arguments, OutputFile, OutputImage } from "../../plugin-kit.ts"
import type { McpResult } from "./McpTool.ts"
import type { McpAddress, McpProgram, McpUrl } from "./McpAddress.ts"
import { explainFailure, McpFailure } from "./McpFailure.ts"
import { messageLines, type StrayLines } from "./McpStdout.ts"
import * as Stream from "effect/Stream"
import type { McpClientError } from "effect/ai/McpClientError"

const protocol = McpProtocol.v2025_11_25

/** Older revisions with the same form of tools. */
const olderVersions = new Set<unknown>(["2024-11-05", "2025-03-26", "2025-06-18"])

/** The size limit of a message in either direction, in bytes. */
const maxMessageBytes = 10 * 1024 * 1024

/** How long a server may take to exit after its stdin closes, and again after the stop signal. */
const grace = Duration.seconds(1)

const stderrLength = 2000

/** The number of JSON levels around the tool's data in a result. */
const resultFrame = 4

/** What the transport receives but the client does not pass on. */
class WireNotes {
  /** The tools as received, by name. */
  readonly tools = new Map<string, Schema.Json>()
  /** Malformed tools with the reasons. A tool without a name is listed as `without a name`. */
  readonly malformed: Array<{ readonly tool: string; readonly detail: string }> = []
  /** Lines on the server's stdout that are no messages. */
  readonly stray: StrayLines = { count: 0, first: "" }
  /** Why the list of tools was cut off, as the end of a sentence. Undefined if it is complete. */
  cutList: string | undefined
  readonly #cursors = new Set<unknown>()
  /** The last characters of the program's stderr. */
  stderr = ""
  isRunning = Effect.succeed(true)
  /** The exit code. Undefined if the program does not end within `grace`. */
  exitCode: Effect.Effect<number | undefined> = Effect.undefined

  /**
   * The cursor of the next page of tools. Undefined after the last page, or if the pages seem endless. `news` is the
   * number of new tools on this page.
   */
  nextCursor(cursor: unknown, size: number, news: number): string | undefined {
    if (cursor === undefined || cursor === null) return undefined
    const isKnown = this.#cursors.has(cursor)
    this.#cursors.add(cursor)
    if (!Predicate.isString(cursor)) this.cutList = "with a cursor that is no text"
    else if (cursor === "") this.cutList = "with an empty cursor"
    else if (isKnown) this.cutList = "with a cursor that it gave before"
    else if (size > 0 && news === 0) this.cutList = "with a page whose tools were all listed before"
    else if (this.#cursors.size >= mostPages) this.cutList = `after ${mostPages} pages`
    else return cursor
    return undefined
  }
}

/** The maximum number of pages of tools. */
const mostPages = 99

const ToolPage = Schema.Struct({ tools: Schema.Array(Schema.Json) })
const isToolPage = Schema.is(ToolPage)
const listTools = protocol.clientRpcs.requests.get("tools/list") as unknown as Rpc.AnyWithProps
const decodeTools = Schema.decodeUnknownResult(listTools.successSchema as Schema.Codec<unknown, unknown>)

const nameOf = (tool: Schema.Json): string =>
  Predicate.hasProperty(tool, "name") && Predicate.isString(tool.name) ? tool.name : "without a name"

const wellFormedTools = (page: typeof ToolPage.Type, notes: WireNotes): object => {
  const before = notes.tools.size
  const tools = page.tools.filter((tool) => {
    const decoded = decodeTools({ tools: [tool] })
    const name = nameOf(tool)
    if (decoded._tag === "Failure") {
      notes.malformed.push({ tool: name, detail: schemaErrorText(decoded.failure).replaceAll("tools[0].", "") })
    } else if (!notes.tools.has(name)) notes.tools.set(name, tool)
    return decoded._tag === "Success"
  })
  const { nextCursor: cursor, ...rest } = page as typeof page & { readonly nextCursor?: unknown }
  const nextCursor = notes.nextCursor(cursor, tools.length, notes.tools.size - before)
  return { ...rest, tools, ...(nextCursor === undefined ? {} : { nextCursor }) }
}

/** The result in place of one that is nested too deeply. It counts as an error. */
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

/** Notes what the process writes to stderr, whether it runs, and its exit code. */
const noted = (handle: ChildProcessSpawner.ChildProcessHandle, notes: WireNotes) => {
  const decoder = new TextDecoder()
  notes.isRunning = Effect.orElseSucceed(handle.isRunning, () => false)
  notes.exitCode = Effect.timeoutOption(handle.exitCode, grace).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined)
  )
  const keep = (chunk: Uint8Array) =>
    Effect.sync(() => {
      notes.stderr = (notes.stderr + decoder.decode(chunk, { stream: true })).slice(-stderrLength)
    })
  return ChildProcessSpawner.makeHandle({
    ...handle,
    stdout: messageLines(handle.stdout, notes.stray, maxMessageBytes),
    stderr: Stream.tap(handle.stderr, keep)
  })
}

/**
 * Ends the program if it still runs after `grace`. The transport alone would only close stdin, and wait much longer.
 */
const stopSoon = ({ exitCode, kill }: ChildProcessSpawner.ChildProcessHandle) =>
  Effect.ignore(exitCode).pipe(
    Effect.timeoutOrElse({ duration: grace, orElse: () => Effect.ignore(kill({ forceKillAfter: grace })) }),
    Effect.forkDetach({ startImmediately: true })
  )

/** Starts a program, and connects through stdin and stdout. The program stops when the scope closes. */
const stdioTransport = Effect.fnUntraced(function* (program: McpProgram, notes: WireNotes) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { args, command, cwd, env } = program
  let process: ChildProcessSpawner.ChildProcessHandle | undefined
  const supervised = ChildProcessSpawner.make((started) =>
    Effect.map(spawner.spawn(started), (handle) => {
      process = handle
      return noted(handle, notes)
    })
  )
  const transport = yield* McpClient.stdio({
    command: ChildProcess.make(command, [...args], {
      cwd,
      env: { ...env, ...endsWithProgram() },
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

/** Connects over streamable HTTP. Redirects are not followed, because headers with secrets must reach only this URL. */
const httpTransport = Effect.fnUntraced(function* (server: McpUrl, notes: WireNotes) {
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

export interface McpToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: unknown
  /** True if the server calls the tool destructive. */
  readonly isDestructive: boolean
  /** The SHA-256 of the server's description of the tool. */
  readonly hash: string
}

export type McpConnection = Effect.Success<ReturnType<typeof connect>>

/** Completes the explanation of a failure with the exit code, and with stderr if the connection is lost. */
const failureOf = Effect.fnUntraced(function* (error: McpClientError, address: McpAddress, notes: WireNotes) {
  const { detail: said, isBroken, type } = explainFailure(error, address)
  const exitCode = error.reason._tag === "TransportError" ? yield* notes.exitCode : undefined
  const detail = exitCode === undefined ? said : `its program has ended with exit code ${exitCode}.`
  const stderr = notes.stderr.trim()
  const output = isBroken && stderr !== "" ? ` It wrote to stderr: ${stderr}` : ""
  const isMute = error.reason._tag === "TimeoutError" && notes.stray.count > 0
  const words = isMute ? ` It wrote something to stdout that is not a message: ${harmless(notes.stray.first)}` : ""
  return yield* new McpFailure({ type, detail: `${detail}${output}${words}`, isBroken })
})

const definitionOf = (tool: McpSchema.Tool, wire: Schema.Json | undefined): McpToolDefinition => {
  const annotations = Predicate.hasProperty(wire, "annotations") ? wire.annotations : undefined
  const isDestructive = Predicate.hasProperty(annotations, "destructiveHint") && annotations.destructiveHint === true
  return {
    name: tool.name,
    description: tool.description ?? tool.title ?? tool.name,
    inputSchema: tool.inputSchema,
    isDestructive,
    hash: hashOf(wire ?? null)
  }
}

/** The text of a content block; empty for images and files. */
const blockText = (block: McpSchema.ContentBlock): ReadonlyArray<string> => {
  switch (block.type) {
    case "text":
      return [block.text]
    case "resource_link":
      return [`[link ${block.name}: ${block.uri}]`]
    case "resource": {
      const { resource } = block
      return "text" in resource ? [`[resource ${resource.uri}]\n${resource.text}`] : []
    }
    default:
      return []
  }
}

/** The file in a content block; empty for text. */
const blockFile = (block: McpSchema.ContentBlock): ReadonlyArray<OutputFile> => {
  if (block.type === "audio") return [{ name: "audio", mediaType: block.mimeType, data: block.data }]
  if (block.type !== "resource" || "text" in block.resource) return []
  const { blob, mimeType = "application/octet-stream", uri } = block.resource
  return [{ name: uri, mediaType: mimeType, data: blob }]
}

const blockImage = (block: McpSchema.ContentBlock): ReadonlyArray<OutputImage> =>
  block.type === "image" ? [{ mediaType: block.mimeType, data: block.data }] : []

export const contentParts = (content: ReadonlyArray<McpSchema.ContentBlock>) => {
  const texts = content.flatMap(blockText)
  return { text: texts.join("\n"), texts, images: content.flatMap(blockImage), files: content.flatMap(blockFile) }
}

/** Connects within the time limit, and lists the tools. The server gets the `version` of this program. */
export const connect = Effect.fn("McpConnection.connect")(function* (
  address: McpAddress,
  timeout: Duration.Input,
  version: string
) {
  const notes = new WireNotes()
  const asFailure = Effect.catch((error: McpClientError) => failureOf(error, address, notes))
  const transport =
    address._tag === "Program"
      ? yield* asFailure(stdioTransport(address, notes))
      : yield* asFailure(httpTransport(address, notes))
  const client = yield* McpClient.make({ name: "task-conductor", version, timeout }).pipe(
    Effect.provideService(McpClient.Transport, transport),
    asFailure
  )
  const tools = new Map((yield* asFailure(client.listTools())).map((tool) => [tool.name, tool]))
  return {
    tools: [...tools.values()].map((tool) => definitionOf(tool, notes.tools.get(tool.name))),
    malformed: notes.malformed,
    /** Why tools may be missing, as the end of a sentence. */
    cutList: notes.cutList,
    stray: notes.stray,
    isRunning: notes.isRunning,
    call: Effect.fn("McpConnection.call")(function* (name: string, args: Arguments) {
      const tool = tools.get(name)
      if (tool === undefined) {
        return yield* new McpFailure({ type: "not_found", detail: `it has no tool "${name}".`, isBroken: false })
      }
      const { content, isError, structuredContent } = yield* asFailure(client.callTool({ tool, arguments: args }))
      const structured = structuredContent as Schema.Json | undefined
      return { ...contentParts(content), isError: isError === true, structured } satisfies McpResult
    })
  }
})
