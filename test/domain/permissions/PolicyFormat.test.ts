import { assert, describe, it } from "@effect/vitest"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import { type Asked, canRemember, sessionScopes } from "../../../src/domain/permissions/PolicyFormat.ts"

const read = (path: string, inside = true): CanonicalAccess => ({ _tag: "ReadFile", path, inside })
const fetch = (url: string): CanonicalAccess => ({ _tag: "FetchUrl", url })
const asked = (tool: string, ...accesses: ReadonlyArray<CanonicalAccess>): Asked => ({ tool, risk: "medium", accesses })
const covers = (given: Asked) => sessionScopes(given)?.map((scope) => scope.covers)

describe("sessionScopes", () => {
  it("says how far an answer for the session reaches", () => {
    const write: CanonicalAccess = { _tag: "WriteFile", path: "/p/a", inside: true, content: "x" }
    assert.deepStrictEqual(covers(asked("read_file", read("/p/a"), read("/p/b"), read("/p/.env"))), [
      "read_file for every file of the project that does not look like a secret",
      "read_file for /p/.env"
    ])
    assert.deepStrictEqual(covers(asked("read_file", read("/etc/hosts", false))), ["read_file for /etc/hosts"])
    assert.deepStrictEqual(covers(asked("fetch_url", fetch("https://a.b:8443/c?d"))), [
      "fetch_url for https://a.b:8443"
    ])
    assert.deepStrictEqual(covers(asked("fetch_url", fetch("http://a.b/c"))), ["fetch_url for http://a.b/c"])
    assert.deepStrictEqual(covers(asked("t")), ["t with any arguments"])
    assert.deepStrictEqual(covers({ tool: "write_file", risk: "high", accesses: [write] }), ["exactly this call"])
  })

  it("is another one for another tool, and for other arguments and content of a call of high risk", () => {
    const keys = [
      asked("a", read("/p/a")),
      asked("b", read("/p/a")),
      asked("a"),
      asked("b"),
      { ...asked("a"), risk: "high" as const, arguments: { x: 1 } },
      { ...asked("a"), risk: "high" as const, arguments: { x: 2 } },
      ...["x", "y"].map((content): Asked => ({
        tool: "a",
        risk: "high",
        accesses: [{ _tag: "WriteFile", path: "/p/a", inside: true, content }]
      }))
    ].map((one) => JSON.stringify(sessionScopes(one)?.map(({ key }) => key)))
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("is missing for what is asked each time, which cannot be remembered either", () => {
    const each: ReadonlyArray<CanonicalAccess> = [
      fetch(`https://a.b/?${"x".repeat(257)}`),
      fetch(`https://a.b/${"x".repeat(257)}`),
      { _tag: "WriteFile", path: "/p/.envrc", inside: true, content: "x" }
    ]
    for (const access of each) {
      const given = asked("t", read("/p/a"), access)
      assert.deepStrictEqual([sessionScopes(given), canRemember(given)], [undefined, false])
    }
    const short = asked("t", fetch(`https://a.b/?${"x".repeat(254)}`))
    assert.deepStrictEqual([sessionScopes(short)?.length, canRemember(short)], [1, true])
  })
})
