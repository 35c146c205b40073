/** A host in another script can look like one that the user knows: what they are asked to judge shows it in ASCII. */
import { assert } from "@effect/vitest"
import { accessTarget } from "../../../src/domain/tools/Access.ts"
import { readMcpServers } from "../../../src/plugins/mcp/McpServers.ts"
import { callOf, openTools } from "../../support/OpenTools.ts"
import { makeFolder } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const hosts = ["\u0430\u0440\u0440\u04cf\u0435.com", "xn--80ak6aa92e.com", "b\u00fccher.example", "example\u3002com"]

nodeTest("pages and MCP servers are shown by the ASCII form of their hosts", function* () {
  const project = yield* makeFolder
  const { registry } = yield* openTools()
  for (const host of hosts) {
    const url = `https://${host}/path`
    const ascii = new URL(url).host
    assert.match(ascii, /^[\x20-\x7e]+$/)
    const { accesses } = yield* registry.prepare(callOf("fetch_url", { url }))
    assert.deepStrictEqual(accesses.map(accessTarget), [`https://${ascii}/path`])
    const { servers } = yield* readMcpServers({ project, userServers: { one: { url } } })
    const [address, written] = servers[0]?.start.does ?? []
    assert.strictEqual(address, `Address: https://${ascii}/path`)
    assert.strictEqual(written, ascii === host ? undefined : `Written as: ${url}`)
  }
})
