import { assert, describe, expect, it } from "@effect/vitest"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import * as Result from "effect/Result"
import {
  appliesTo,
  type Asked,
  canRemember,
  concernsProject,
  isSameRule,
  readPolicies,
  type RememberedRule,
  renderPolicies,
  sessionScopes
} from "../../../src/domain/permissions/PolicyFormat.ts"

const read = (path: string, inside = true): CanonicalAccess => ({ _tag: "ReadFile", path, inside })
const fetch = (url: string): CanonicalAccess => ({ _tag: "FetchUrl", url })
const asked = (tool: string, ...accesses: ReadonlyArray<CanonicalAccess>): Asked => ({ tool, risk: "medium", accesses })

describe("sessionScopes", () => {
  const write: CanonicalAccess = { _tag: "WriteFile", path: "/p/a", inside: true, content: "x" }
  const many = "read_file for every file of the project that does not look like a secret"
  it.each<[Asked, Array<string>]>([
    [asked("read_file", read("/p/a"), read("/p/b"), read("/p/.env")), [many, "read_file for /p/.env"]],
    [asked("read_file", read("/etc/hosts", false)), ["read_file for /etc/hosts"]],
    [asked("fetch_url", fetch("https://a.b:8443/c?d")), ["fetch_url for https://a.b:8443"]],
    [asked("fetch_url", fetch("http://a.b/c")), ["fetch_url for http://a.b/c"]],
    [asked("t"), ["t with any arguments"]],
    [{ tool: "write_file", risk: "high", accesses: [write] }, ["exactly this call"]]
  ])("says how far an answer for the session reaches: %j", (given, expected) => {
    expect(sessionScopes(given)?.map((scope) => scope.covers)).toStrictEqual(expected)
  })

  it("is another one for another tool, and for other arguments and content of a call of high risk", () => {
    const keys = [
      asked("a", read("/p/a")),
      asked("b", read("/p/a")),
      asked("a"),
      asked("b"),
      { ...asked("a"), risk: "high" as const, arguments: { x: 1 } },
      { ...asked("a"), risk: "high" as const, arguments: { x: 2 } },
      ...["x", "y"].map((content): Asked => ({ tool: "a", risk: "high", accesses: [{ ...write, content }] }))
    ].map((one) => JSON.stringify(sessionScopes(one)?.map(({ key }) => key)))
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("is missing for what is asked each time, which cannot be remembered either", () => {
    const each: ReadonlyArray<CanonicalAccess> = [
      fetch(`https://a.b/?${"x".repeat(257)}`),
      fetch(`https://a.b/${"x".repeat(257)}`),
      { ...write, path: "/p/.envrc" }
    ]
    for (const access of each) {
      const given = asked("t", read("/p/a"), access)
      assert.deepStrictEqual([sessionScopes(given), canRemember(given)], [undefined, false])
    }
    const short = asked("t", fetch(`https://a.b/?${"x".repeat(254)}`))
    assert.deepStrictEqual([sessionScopes(short)?.length, canRemember(short)], [1, true])
  })
})

const isRead = (more: Partial<RememberedRule>): boolean =>
  Result.isSuccess(readPolicies(renderPolicies([{ verdict: "allow", tool: "read_file", ...more }])))

describe("saved rules", () => {
  const rule: RememberedRule = { verdict: "allow", tool: "read_file", pattern: "src/**", project: "/p" }

  it("are the same with the same verdict, tool, pattern and project", () => {
    const others = [{ verdict: "deny" as const }, { tool: "edit_file" }, { pattern: "src/*" }, { project: "/q" }]
    assert.isTrue(isSameRule(rule, { ...rule, rememberedAt: "2026-11-21T10:00:00Z" }))
    assert.isFalse(others.some((other) => isSameRule(rule, { ...rule, ...other })))
  })

  it.each<[Partial<RememberedRule>, root: string, folder: string | undefined, holds: boolean]>([
    [{ project: undefined }, "/q", "1", true],
    [{}, "/p", "1", true],
    [{}, "/q", "1", false],
    [{ folder: "1" }, "/p", "1", true],
    [{ folder: "1" }, "/p", "2", false],
    [{ folder: "1" }, "/p", undefined, false],
    [{ folder: "1", verdict: "deny" }, "/p", "2", true],
    [{ folder: "1", verdict: "deny" }, "/q", "1", false]
  ])("hold in their project, and in a folder put in its place when they deny: %j", (more, root, folder, holds) => {
    assert.strictEqual(concernsProject({ ...rule, ...more }, root, folder), holds)
  })

  it("allow a tool as it was when they were made, and deny it whatever it became", () => {
    const pin = { origin: "words", definition: "a".repeat(64) }
    const pinned: RememberedRule = { ...rule, pin }
    assert.deepStrictEqual(
      [pin, { ...pin, origin: "other" }, { ...pin, definition: "b".repeat(64) }, undefined].map((now) =>
        appliesTo(pinned, now)
      ),
      [true, false, false, false]
    )
    assert.isFalse(appliesTo(rule, pin))
    assert.isTrue(appliesTo({ ...pinned, verdict: "deny" }, undefined))
  })

  it("name what they allow where it changes something or is started, and are read back as they were written", () => {
    const changing = "write_file edit_file move_file remove_file run_command load_plugin start_server".split(" ")
    for (const tool of changing) {
      assert.deepStrictEqual(
        [undefined, "**", "*/*", "(docs) *", "docs/**"].map((pattern) =>
          isRead(pattern === undefined ? { tool } : { tool, pattern })
        ),
        [false, false, false, false, true],
        tool
      )
      assert.isTrue(isRead({ tool, verdict: "deny" }), tool)
      assert.isTrue(isRead({ tool, verdict: "ask", pattern: "**" }), tool)
    }
    assert.isTrue(isRead({}))
    assert.deepStrictEqual(readPolicies(renderPolicies([rule])), Result.succeed([rule]))
  })
})
