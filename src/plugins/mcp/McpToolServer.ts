/**
 * Offers tools over stdin and stdout with the Model Context Protocol. Only this file uses the MCP server of effect/ai.
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { maxNesting, modelText, textNestedTooDeep } from "../../kit/text.ts"
import { type AnsweredBy, causeText, parameterSchema } from "../../kit/tools.ts"

interface ServedImage {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** The result of a call: the content as text, the same content as data, and images. */
export interface ServedResult {
  readonly text: string
  readonly images?: ReadonlyArray<ServedImage>
  readonly data: Readonly<Record<string, Schema.Json>>
  readonly isError: boolean
}

/**
 * The answer to a form. `by` is `nobody` if the form could not be shown. `choice` is absent if the user chose nothing.
 */
export interface FormAnswer {
  readonly by: Exclude<AnsweredBy, "rule">
  readonly choice?: string
}

/** Shows a form with these choices to the client's user. */
export type Choose = (message: string, choices: ReadonlyArray<string>) => Effect.Effect<FormAnswer>

export interface ToolClient {
  /** Sends progress, if the client asked for it. */
  readonly report: (text: string) => Effect.Effect<void>
  /** Shows a form. Absent if the client cannot. */
  readonly choose: Choose | undefined
}

/** What the server tells clients about a tool's effects. */
export interface ToolHints {
  readonly isReadOnly: boolean
  /** True if the tool may remove existing data. Clients ignore this for a read-only tool. */
  readonly isDestructive: boolean
  readonly isIdempotent: boolean
  /** True if the tool uses something outside the project, such as a model or the web. */
  readonly isOpenWorld: boolean
}

export interface ServedTool<Params> {
  readonly name: string
  readonly description: string
  readonly parameters: Schema.Codec<Params, unknown>
  /** The schema of the structured results, also of errors. */
  readonly output: Schema.Codec<unknown, unknown>
  readonly hints: ToolHints
  readonly execute: (params: Params, client: ToolClient) => Effect.Effect<ServedResult>
}

export interface Serving {
  readonly name: string
  readonly version: string
  readonly instructions: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
  readonly tools: ReadonlyArray<ServedTool<any>>
}

/** How long running requests may continue after stdin is closed. */
const grace = "1 second"

const callResult = ({ data, images = [], isError, text }: ServedResult) =>
  new McpSchema.CallToolResult({
    content: [
      McpSchema.TextContent.make({ type: "text", text }),
      ...images.map(({ bytes, mediaType }) =>
        McpSchema.ImageContent.make({ type: "image", mimeType: mediaType, data: bytes as Uint8Array<ArrayBuffer> })
      )
    ],
    structuredContent: data,
    isError
  })

const crashed = (cause: Cause.Cause<never>) =>
  Cause.hasInterrupts(cause)
    ? Effect.failCause(cause)
    : Effect.succeed(callResult({ text: `internal error: ${causeText(cause)}`, data: {}, isError: true }))

const decode = <Params>({ parameters }: ServedTool<Params>, input: unknown) =>
  Schema.decodeUnknownEffect(parameters)(input, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError(
      (error) => new McpSchema.InvalidParams({ message: `The arguments do not fit: ${modelText(error, input)}` })
    )
  )

/** The function that reports progress, if the request has a token for it. */
const progressOf = Effect.fnUntraced(function* () {
  const { notifications } = yield* McpServer.McpServer
  const { requestMetadata } = yield* McpSchema.McpRequestContext
  const token = Predicate.hasProperty(requestMetadata, "progressToken") ? requestMetadata.progressToken : undefined
  let progress = 0
  return (message: string): Effect.Effect<void> => {
    if (!Predicate.isString(token) && !Predicate.isNumber(token)) return Effect.void
    progress += 1
    return notifications["notifications/progress"]({ progressToken: token, progress, message })
  }
})

const answerField = "answer"

const form = (message: string, choices: ReadonlyArray<string>) =>
  Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)({
    mode: "form",
    message,
    requestedSchema: {
      type: "object",
      properties: { [answerField]: { type: "string", title: "Answer", enum: choices } },
      required: [answerField]
    }
  })

/**
 * The function that asks the client's user with a form. Undefined if the client cannot show forms. A client that names
 * no kinds of questions can show forms, as in older revisions of the protocol.
 */
const chooserOf = Effect.fnUntraced(function* () {
  const {
    clientCapabilities: { elicitation }
  } = yield* McpSchema.McpRequestContext
  const client = Option.getOrUndefined(yield* Effect.serviceOption(McpSchema.McpServerClient))
  const takesForms = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  if (client === undefined || !takesForms) return undefined
  const choose: Choose = (message, choices) =>
    Effect.all([client.getClient, Effect.orDie(form(message, choices))]).pipe(
      Effect.flatMap(([{ elicit }, request]) => elicit(request)),
      Effect.map((result): FormAnswer => {
        const choice = result.action === "accept" ? result.content?.[answerField] : undefined
        return Predicate.isString(choice) && choices.includes(choice) ? { by: "person", choice } : { by: "person" }
      }),
      Effect.orElseSucceed((): FormAnswer => ({ by: "nobody" })),
      Effect.scoped
    )
  return choose
})

/** The JSON schema of a result. Its type is always `object`, which the protocol requires even for alternatives. */
const outputSchema = (output: ServedTool<unknown>["output"]) => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(output)
  return { type: "object", ...schema, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) }
}

const register = <Params>(tool: ServedTool<Params>) =>
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    const { description, hints, name, output, parameters } = tool
    const inputSchema = yield* Effect.orDie(Schema.decodeUnknownEffect(McpSchema.ToolJson)(parameterSchema(parameters)))
    const annotations = {
      readOnlyHint: hints.isReadOnly,
      destructiveHint: hints.isDestructive,
      idempotentHint: hints.isIdempotent,
      openWorldHint: hints.isOpenWorld
    }
    yield* server.addTool({
      tool: new McpSchema.Tool({ name, description, inputSchema, outputSchema: outputSchema(output), annotations }),
      annotations: Context.empty(),
      handle: Effect.fnUntraced(function* (input: unknown) {
        const report = yield* Effect.provideService(progressOf(), McpServer.McpServer, server)
        const choose = yield* chooserOf()
        const params = yield* decode(tool, input ?? {})
        return yield* Effect.catchCause(Effect.map(tool.execute(params, { choose, report }), callResult), crashed)
      })
    })
  })

const errorLine = (code: number, message: string, id: unknown = null): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`

/** The number of JSON levels around a call's arguments in a message. */
const messageFrame = 2

/** The error response for an unreadable line. Undefined for a readable one. */
const refusal = (line: string): string | undefined => {
  const parsed = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(parsed)) {
    return errorLine(McpSchema.PARSE_ERROR_CODE, "This line is not JSON. Send one message a line.")
  }
  if (!textNestedTooDeep(line, maxNesting + messageFrame)) return undefined
  const id = Predicate.hasProperty(parsed.success, "id") ? parsed.success.id : undefined
  const message = `This message is nested more than ${maxNesting} levels deep.`
  const isId = Predicate.isString(id) || Predicate.isNumber(id)
  return errorLine(McpSchema.INVALID_REQUEST_ERROR_CODE, message, isId ? id : undefined)
}

/**
 * The lines of stdin that the transport can read. Other lines are answered here, because the transport would also lose
 * the lines around them.
 */
const messagesOf = (stdio: Stdio.Stdio) =>
  stdio.stdin.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line.trim() !== ""),
    Stream.filterEffect((line) => {
      const answer = refusal(line)
      return answer === undefined
        ? Effect.succeed(true)
        : Effect.as(Effect.ignore(Stream.run(Stream.make(answer), stdio.stdout())), false)
    }),
    Stream.map((line) => new TextEncoder().encode(`${line}\n`))
  )

/** Runs until the client closes stdin. Requests that still run after `grace` are interrupted. */
export const serveTools = Effect.fn("serveTools")(function* ({ instructions, name, tools, version }: Serving) {
  const stdio = yield* Stdio.Stdio
  const closed = yield* Deferred.make<void>()
  const watched = Stdio.make({
    ...stdio,
    stdin: Stream.ensuring(messagesOf(stdio), Deferred.succeed(closed, undefined))
  })
  const server = McpServer.layerStdio({
    name,
    version,
    instructions,
    protocols: [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26, McpProtocol.v2024_11_05],
    registrations: Layer.effectDiscard(Effect.forEach(tools, register, { discard: true }))
  })
  /** A separate fiber, because at the end of stdin the transport interrupts the fiber that built it. */
  const fiber = yield* Effect.forkChild(Effect.provideService(Layer.launch(server), Stdio.Stdio, watched))
  yield* Effect.raceFirst(Fiber.await(fiber), Effect.andThen(Deferred.await(closed), Effect.sleep(grace)))
  yield* Fiber.interrupt(fiber)
})
