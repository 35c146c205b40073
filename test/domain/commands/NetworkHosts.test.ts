import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { asListed, coverage, NetworkHost, proxyVariables } from "../../../src/domain/commands/NetworkHosts.ts"

describe("a list of hosts", () => {
  it("covers a name with the usual ports, all below a name, and one port", () => {
    const list = ["registry.npmjs.org", "*.pypi.org", "Example.com:8443", "10.0.0.1:80"]
    const cases: ReadonlyArray<readonly [string, number, "exact" | "public" | undefined]> = [
      ["registry.npmjs.org", 443, "public"],
      ["REGISTRY.npmjs.org.", 80, "public"],
      ["registry.npmjs.org", 22, undefined],
      ["a.registry.npmjs.org", 443, undefined],
      ["registry.npmjs.org.evil.example", 443, undefined],
      ["files.pypi.org", 443, "public"],
      ["a.b.pypi.org", 443, "public"],
      ["pypi.org", 443, undefined],
      ["evilpypi.org", 443, undefined],
      ["example.com", 8443, "exact"],
      ["example.com", 443, undefined],
      ["10.0.0.1", 80, "exact"]
    ]
    for (const [host, port, expected] of cases)
      assert.strictEqual(coverage(list, host, port), expected, `${host}:${port}`)
    assert.strictEqual(coverage(["*.example.com:81"], "a.example.com", 81), "public")
    assert.strictEqual(coverage(["[::1]:81"], "::1", 81), "exact")
  })

  it("takes names and ports, and nothing else", () => {
    const isHost = Schema.is(NetworkHost)
    for (const one of ["a.example", "*.a.example", "localhost:80", "[::1]:80", "127.0.0.1:1"])
      assert.isTrue(isHost(one), one)
    for (const one of ["", "*", "https://a.example", "a.*.example", "a.example/x", "a b", "*.", "::1"])
      assert.isFalse(isHost(one), one)
  })

  it("is named as it would be listed", () => {
    assert.deepStrictEqual(
      [asListed("A.example", 443), asListed("a.example", 81), asListed("::1", 81)],
      ["a.example", "a.example:81", "[::1]:81"]
    )
  })

  it("leaves own servers of a command alone, but not one that is listed", () => {
    assert.strictEqual(proxyVariables([])["no_proxy"], "localhost,127.0.0.1,::1")
    assert.strictEqual(proxyVariables(["127.0.0.1:80"])["no_proxy"], "localhost,::1")
  })
})
