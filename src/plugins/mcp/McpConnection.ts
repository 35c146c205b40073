/**
 * One connection to an MCP server: the tools it offers, and how to call them. Only this file uses the MCP client of
 * effect/ai, and adds to its transports: older revisions of the protocol are accepted, malformed tools are removed one by
 * one instead of all together, and the end of stderr is saved.
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
class WireNotes {
  /** The tools as they were received, by name. */
  readonly tools = new Map<string, Schema.Json>()
  /** Malformed tools with the reason; `without a name` for one that has none. */
  readonly malformed: Array<{ readonly tool: string; readonly detail: string }> = []
  /** What the program wrote to stdout beside messages. */
  readonly stray: StrayLines = { count: 0, first: "" }
  /** Why the list of tools was ended before the server ended it; absent when it was not. */
  cutList: string | undefined
  readonly #cursors = new Set<unknown>()
  /** The end of what the program wrote to stderr. */
  stderr = ""
  /** False when the program has ended. */
  isRunning = Effect.succeed(true)
  /** The exit code of a program that has ended, or ends within `grace`. */
  exitCode: Effect.Effect<number | undefined> = Effect.undefined

  /** The cursor to the next page of tools; nothing at the end, and where going on would not end. `news` is what this page adds. */
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

/** The most pages of tools that are read of a server. */
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

/** The process with its end of stderr, its state and its exit code noted. */
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

/** Stops the program after `grace`; the transport closes stdin and would wait much longer. */
const stopSoon = ({ exitCode, kill }: ChildProcessSpawner.ChildProcessHandle) =>
  Effect.ignore(exitCode).pipe(
    Effect.timeoutOrElse({ duration: grace, orElse: () => Effect.ignore(kill({ forceKillAfter: grace })) }),
    Effect.forkDetach({ startImmediately: true })
  )

/** Starts a program and connects over its stdin and stdout; it stops with the scope. */
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

/** Connects over streamable HTTP. Redirects are not followed, so that headers with secrets go to this URL only. */
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
  /** The server says that the tool destroys something. */
  readonly isDestructive: boolean
  /** SHA-256 of everything that the server says about the tool. */
  readonly hash: string
}

/** Lives as long as the scope in which it was made. */
export type McpConnection = Effect.Success<ReturnType<typeof connect>>

/** The failure with the exit code of a program that has ended, and the end of stderr of one that was lost. */
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

/** The text of a part; none for images and files. */
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

/** The file in a part; none for text and images. */
const blockFile = (block: McpSchema.ContentBlock): ReadonlyArray<OutputFile> => {
  if (block.type === "audio") return [{ name: "audio", mediaType: block.mimeType, data: block.data }]
  if (block.type !== "resource" || "text" in block.resource) return []
  const { blob, mimeType = "application/octet-stream", uri } = block.resource
  return [{ name: uri, mediaType: mimeType, data: blob }]
}

const blockImage = (block: McpSchema.ContentBlock): ReadonlyArray<OutputImage> =>
  block.type === "image" ? [{ mediaType: block.mimeType, data: block.data }] : []

/** The parts of a result: texts, images and files. */
export const contentParts = (content: ReadonlyArray<McpSchema.ContentBlock>) => {
  const texts = content.flatMap(blockText)
  return { text: texts.join("\n"), texts, images: content.flatMap(blockImage), files: content.flatMap(blockFile) }
}

/** Connects within the timeout and lists the tools. `version` is that of this program, sent to the server. */
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
  const found = new Map((yield* asFailure(client.listTools())).map((tool) => [tool.name, tool]))
  return {
    tools: [...found.values()].map((tool) => definitionOf(tool, notes.tools.get(tool.name))),
    /** Tools that the server describes in a way that is not well formed. */
    malformed: notes.malformed,
    /** Why not all of its tools may be known, as the end of a sentence. */
    cutList: notes.cutList,
    /** What its program wrote to stdout beside messages. */
    stray: notes.stray,
    /** False when the program of the server has ended. */
    isRunning: notes.isRunning,
    call: Effect.fn("McpConnection.call")(function* (name: string, args: Arguments) {
      const tool = found.get(name)
      if (tool === undefined) {
        return yield* new McpFailure({ type: "not_found", detail: `it has no tool "${name}".`, isBroken: false })
      }
      const { content, isError, structuredContent } = yield* asFailure(client.callTool({ tool, arguments: args }))
      const structured = structuredContent as Schema.Json | undefined
      return { ...contentParts(content), isError: isError === true, structured } satisfies McpResult
    })
  }
})
