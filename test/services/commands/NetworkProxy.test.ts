import { assert, describe } from "@effect/vitest"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { answering, fetching, openNetwork as open, tunnelling } from "../../support/openNetwork.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

describe("a list of hosts for commands", needs("bwrap"), () => {
  liveTest("lets a command reach a listed host and port, whatever it sends", function* () {
    const { port, seen } = yield* answering
    const { program } = yield* open([`127.0.0.1:${port}`])
    const url = `http://127.0.0.1:${port}/a?b`
    assert.deepInclude(yield* program(fetching(url)), { exit_code: 0, output: "200 answer 0" })
    const posting = fetching(url, 3_000_000)
    assert.deepInclude(yield* program(posting), { exit_code: 0, output: "200 answer 3000000" })
    assert.deepStrictEqual(seen, [`GET /a?b 127.0.0.1:${port}`, `POST /a?b 127.0.0.1:${port}`])
    assert.match((yield* program(tunnelling(port))).output, /^200\nHTTP\/1\.1 200 OK[^]*answer 0/)
    assert.strictEqual(seen[2], "GET /t x")
  })

  liveTest("refuses other hosts and ports, and names the setting", function* () {
    const { port, seen } = yield* answering
    const listed = "registry.example"
    const { program } = yield* open([listed, "127.0.0.1:1"])
    for (const text of [fetching(`http://127.0.0.1:${port}/`), tunnelling(port)]) {
      const { exit_code, output, sandbox = "" } = yield* program(text)
      assert.strictEqual(exit_code, 1)
      assert.include(output, "403")
      assert.include(sandbox, `it refused 127.0.0.1:${port}.`)
      assert.include(sandbox, `"network": ["${listed}","127.0.0.1:1","127.0.0.1:${port}"]`)
    }
    assert.deepStrictEqual(seen, [])
  })

  liveTest("says in the question which hosts they are", function* () {
    const approver = scriptedApprover({ calls: ["once"] })
    const { command } = yield* open(["registry.example", "localhost:8080"], { approver: approver.layer })
    yield* command(["sh", "-c", ":"])
    assert.strictEqual(
      approver.asked[0]?.[0]?.details?.at(-1),
      "Sandbox: yes: network: only registry.example, localhost:8080, writes only in the project, your home folder is hidden"
    )
  })
})
