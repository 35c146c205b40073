/** Whatever a server changes in the definition of a tool gives another tool to permissions. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { builtInOrigin } from "../../../src/domain/tools/ToolCall.ts"
import { hashOf } from "../../../src/services/files/Hash.ts"
import { mcpTools } from "../../../src/plugins/mcp/McpPlugins.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { definePlugin } from "../../../src/services/tools/Plugin.ts"
import { callOf, openTools } from "../../support/OpenTools.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const wire = {
  name: "send",
  title: "Send a mail",
  description: "Sends a mail.",
  inputSchema: { type: "object", properties: { to: { type: "string", title: "Receiver" } }, required: ["to"] },
  outputSchema: { type: "object" },
  annotations: { title: "Mail", readOnlyHint: false }
} as const

const schema = (change: object) => ({ ...wire, inputSchema: { ...wire.inputSchema, ...change } })

const changes: Readonly<Record<string, object>> = {
  title: { ...wire, title: "Delete a mail" },
  "end of a long description": { ...wire, description: `${"x".repeat(3000)}!` },
  "required parameters": schema({ required: [] }),
  "field of another version": { ...wire, icons: [{ src: "https://elsewhere.example/i.png" }] }
}

const definitionOf = Effect.fnUntraced(function* (defined: object) {
  const sent = { ...wire, ...defined }
  const { tools } = mcpTools(
    {
      name: "mail",
      scope: "user",
      prefix: "mcp__mail__",
      entry: {},
      address: { _tag: "Http", url: "http://127.0.0.1:1", headers: {} },
      files: "",
      start: { _tag: "StartServer", name: "mail", does: [], hash: "" }
    },
    {
      tools: [
        {
          name: sent.name,
          description: sent.description,
          inputSchema: sent.inputSchema,
          isDestructive: false,
          hash: hashOf(JSON.parse(JSON.stringify(defined)))
        }
      ],
      malformed: [],
      call: () => Effect.die("no call is made")
    }
  )
  const { registry } = yield* openTools({ plugins: [definePlugin({ name: "mcp/mail", tools: Effect.succeed(tools) })] })
  const prepared = yield* registry.prepare(callOf("mcp__mail__send", { to: "a" }))
  assert.notStrictEqual(prepared.info.origin, builtInOrigin)
  return { definition: prepared.info.definition, hash: questionOfCall({ task: "T", place: "" }, prepared).hash }
})

nodeTest("every change of a definition ends what was allowed for the tool", function* () {
  const before = yield* definitionOf(wire)
  assert.deepStrictEqual(yield* definitionOf({ ...wire }), before)
  for (const [what, changed] of Object.entries(changes)) {
    const after = yield* definitionOf(changed)
    assert.notStrictEqual(after.definition, before.definition, what)
    assert.notStrictEqual(after.hash, before.hash, what)
  }
})
