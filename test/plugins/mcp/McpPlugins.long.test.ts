/** The reference server of MCP. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { trustedSearchPath } from "../../../src/services/files/SearchPath.ts"
import { endsWithProgram } from "../../../src/services/commands/Watchdog.ts"
import { liveTest } from "../../support/liveTest.ts"
import { referenceServer, serveReference } from "../../support/McpServers.ts"
import { openMcp, withEnvironment } from "../../support/OpenMcp.ts"

const reference = [
  "echo",
  "get_annotated_message",
  "get_env",
  "get_resource_links",
  "get_resource_reference",
  "get_structured_content",
  "get_sum",
  "get_tiny_image",
  "gzip_file_as_resource",
  "toggle_simulated_logging",
  "toggle_subscriber_updates",
  "trigger_long_running_operation"
].map((name) => `mcp__s__${name}`)
const allowReference = reference.map((tool) => ({ verdict: "allow", tool }) as const)

const transports = {
  stdio: Effect.succeed(referenceServer),
  "streamable HTTP": Effect.map(serveReference, (url) => ({ type: "http", url }))
}
for (const [transport, entry] of Object.entries(transports)) {
  liveTest(`calls the tools of the reference server over ${transport}`, function* () {
    const { call, names, problems } = yield* openMcp({ own: { s: yield* entry }, rules: allowReference })
    assert.deepStrictEqual([names, problems], [reference, []])
    assert.strictEqual(yield* call("mcp__s__echo", { message: "heron" }), "Echo: heron")
    assert.strictEqual(yield* call("mcp__s__get_sum", { a: 2, b: 40 }), "The sum of 2 and 40 is 42.")
    assert.match(String(yield* call("mcp__s__get_tiny_image")), /\[image image-1\.png: image\/png, .*not kept\]/)
    assert.deepStrictEqual(yield* call("mcp__s__get_structured_content", { location: "New York" }), {
      temperature: 33,
      conditions: "Cloudy",
      humidity: 82
    })
    const links = yield* call("mcp__s__get_resource_links", { count: 1 })
    assert.match(String(links), /\[link .*: demo:\/\//)
    const [type] = (yield* call("mcp__s__get_sum", { a: 2 })) as ReadonlyArray<unknown>
    assert.strictEqual(type, "validation_failed")
  })
}

liveTest("gives a program a short list of variables and what its entry names, nothing else", function* () {
  const own = { s: { ...referenceServer, env: { GIVEN: "${GIVEN}" } } }
  const { call } = yield* openMcp({ own, rules: allowReference }).pipe(
    withEnvironment({ GIVEN: "yes", HOME: "/home/x", AWS_SECRET_ACCESS_KEY: "no", NODE_OPTIONS: "--no-warnings" })
  )
  assert.deepStrictEqual(JSON.parse(String(yield* call("mcp__s__get_env"))), {
    GIVEN: "yes",
    HOME: "/home/x",
    PATH: trustedSearchPath(process.env["PATH"], "/nowhere"),
    ...endsWithProgram()
  })
})
