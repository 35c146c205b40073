/**
 * Sends lines to the MCP server that were made to break it, then a sound request: it must still be answered, and all that comes
 * back must be messages.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { serveTools } from "../../src/plugins/mcp/McpToolServer.ts"
import { randomFrom } from "../mutations/Damage.ts"
import { jsonTokens, parsed, words } from "./jsonTokens.ts"
import { type Ingredients, parserInput } from "./ParserInput.ts"

const ingredients: Ingredients = {
  valid: [
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
    '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},"_meta":{"progressToken":1}}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    '{"jsonrpc":"2.0","id":2,"result":{}}'
  ],
  tokens: [
    ...jsonTokens,
    ...words('"id": "method":"ping" "method":"tools/call" "params":{ "arguments":{ "name":"echo"')
  ]
}

const line = (value: object): string => JSON.stringify({ jsonrpc: "2.0", ...value })

const begin = line({
  id: "first",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "0" } }
})
const last = line({ id: "the last", method: "tools/call", params: { name: "echo", arguments: { text: "still here" } } })

const serving = {
  name: "fuzzed",
  version: "0",
  instructions: "",
  tools: [
    {
      name: "echo",
      description: "Says it again.",
      parameters: Schema.Struct({ text: Schema.String }),
      output: Schema.Struct({ text: Schema.optionalKey(Schema.String) }),
      hints: { isReadOnly: true, isDestructive: false, isIdempotent: true, isOpenWorld: false },
      execute: ({ text }: { readonly text: string }) => Effect.succeed({ text, data: { text }, isError: false })
    }
  ]
}

/** What one server answers to these lines. */
const answersTo = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
  const decoder = new TextDecoder()
  let written = ""
  const keep = (piece: string | Uint8Array): void => {
    written += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true })
  }
  const stdin = Stream.make(new TextEncoder().encode(`${[begin, ...lines, last].join("\n")}\n`))
  const stdout = () => Sink.forEach((piece: string | Uint8Array) => Effect.sync(() => keep(piece)))
  yield* Effect.provide(serveTools(serving), Stdio.layerTest({ stdin, stdout }))
  return written.split("\n").filter((text) => text !== "")
})

/** Sends `count` lines from `seed` on to one server after another; gives what went wrong. */
export const fuzzMessages = Effect.fnUntraced(function* (count: number, seed: number, perServer = 100) {
  const defects: Array<string> = []
  let answered = 0
  for (let from = seed; from < seed + count; from += perServer) {
    const lines = Array.from({ length: Math.min(perServer, seed + count - from) }, (_, index) =>
      parserInput(ingredients, randomFrom(from + index), 65_536).text.replace(/[\r\n]/g, " ")
    )
    const answers = yield* answersTo(lines)
    answered += answers.length
    for (const text of answers)
      if (parsed(text) === undefined) defects.push(`seed ${from}: no message: ${text.slice(0, 200)}`)
    if (!answers.some((text) => text.includes('"the last"') && text.includes("still here")))
      defects.push(`seed ${from}: the last request was not answered`)
  }
  return { answered, defects }
})
