import { assert, describe, expect, it } from "@effect/vitest"
import { decide, ruleOffers } from "../../../src/domain/permissions/Decision.ts"
import { Rule, ruleText, type Verdict } from "../../../src/domain/permissions/Permission.ts"
import { type CanonicalAccess, Risk } from "../../../src/domain/tools/Access.ts"
import type { Target } from "../../../src/domain/permissions/TargetPattern.ts"

const file = (relative: string): Target => ({ kind: "file", canonical: `/p/${relative}`, relative })
const allow = (tool: string, pattern?: string): Rule => ruleOf("allow", tool, pattern)
const ask = (tool: string, pattern?: string): Rule => ruleOf("ask", tool, pattern)
const deny = (tool: string, pattern?: string): Rule => ruleOf("deny", tool, pattern)
const ruleOf = (verdict: Verdict, tool: string, pattern?: string): Rule =>
  pattern === undefined ? { verdict, tool } : { verdict, tool, pattern }

const change = (path: string): Target => ({ ...file(path), effects: ["write_file", "edit_file", "read_file"] })
const read = (path: string): Target => ({ ...file(path), effects: ["read_file"] })

describe("decide", () => {
  it("lets what is safe happen and asks for the rest when no rule matches", () => {
    const decisions = Risk.literals.map((risk) => decide([], { tool: "t", risk, targets: [] }))
    assert.deepStrictEqual(
      decisions,
      (["allow", "ask", "ask"] as const).map((verdict) => ({ verdict, rules: [] }))
    )
  })

  const [a, b, secret, hidden] = [file("src/a"), file("doc/b"), file(".env"), file("src/secret/a")]
  const rest = [deny("t", "src/secret/*")]
  const both = [allow("t", "doc/*"), allow("t", "src/*")]
  const withSecret = [allow("t"), allow("t", ".env")]
  it.each<[string, rules: Array<Rule>, risk: Risk, targets: Array<Target>, Verdict, deciding?: Array<Rule>]>([
    ["deny before ask and allow", [allow("t", "src/**"), ask("t"), ...rest], "safe", [hidden], "deny", rest],
    ["ask before allow and safe", [allow("t"), ask("t")], "safe", [], "ask", [ask("t")]],
    ["ask for targets of which one is not covered", [allow("t", "src/*")], "high", [a, b], "ask"],
    ["allow for targets that are all covered", both.toReversed(), "high", [a, b], "allow", both],
    ["deny for all with one denied target", [allow("t"), deny("t", "doc/*")], "safe", [a, b], "deny"],
    ["ask where a pattern has nothing to cover", [allow("t", "**")], "medium", [], "ask"],
    ["allow with a rule for all and one for a secret", withSecret, "medium", [a, secret], "allow", withSecret],
    ["ask for a secret with a rule for all", [allow("t")], "medium", [a, secret], "ask"],
    ["ask with rules of another tool", [allow("u")], "medium", [], "ask"]
  ])("is %s", (_, rules, risk, targets, verdict, deciding) => {
    for (const order of [rules, rules.toReversed()]) {
      const decision = decide(order, { tool: "t", risk, targets })
      assert.strictEqual(decision.verdict, verdict)
      if (deciding !== undefined) assert.deepStrictEqual(decision.rules, deciding)
    }
  })

  describe("a deny rule for one way to an effect", () => {
    const page: Target = { kind: "other", canonical: "https://example.com:8443/a", effects: ["fetch_url"] }
    it.each<[rule: Rule, tool: string, target: Target, verdict: Verdict]>([
      [deny("write_file"), "edit_file", change("a"), "deny"],
      [deny("write_file", "a"), "edit_file", change("a"), "deny"],
      [deny("write_file", "a"), "edit_file", change("b"), "ask"],
      [deny("write_file"), "my_plugin_tool", change("a"), "deny"],
      [deny("read_file", "a"), "edit_file", change("a"), "deny"],
      [deny("read_file"), "my_plugin_tool", read("a"), "deny"],
      [deny("write_file"), "read_file", read("a"), "ask"],
      [deny("fetch_url", "example.com"), "my_plugin_tool", page, "deny"],
      [deny("fetch_url", "example.org"), "my_plugin_tool", page, "ask"],
      [ask("write_file", "a"), "edit_file", change("a"), "ask"],
      [deny("my_plugin_tool"), "edit_file", change("a"), "ask"]
    ])("%j decides for %s and %j: %s", (rule, tool, target, verdict) => {
      assert.strictEqual(decide([rule], { tool, risk: "high", targets: [target] }).verdict, verdict)
    })

    it("allows nothing: an allow rule holds for its own tool only", () => {
      const asked = { tool: "edit_file", risk: "high", targets: [change("a")] } as const
      assert.strictEqual(decide([allow("write_file"), allow("read_file")], asked).verdict, "ask")
    })
  })
})

const offers = (tool: string, ...all: ReadonlyArray<readonly [CanonicalAccess, Target]>) =>
  ruleOffers(
    { tool, risk: "medium", accesses: all.map(([access]) => access) },
    all.map(([, target]) => target)
  ).map(ruleText)
const reading = (path: string): readonly [CanonicalAccess, Target] => [
  { _tag: "ReadFile", path: `/p/${path}`, inside: true },
  read(path)
]
const outside: readonly [CanonicalAccess, Target] = [
  { _tag: "ReadFile", path: "/etc/hosts", inside: false },
  { kind: "file", canonical: "/etc/hosts", effects: ["read_file"] }
]

const pageOffers = (url: string) => {
  const access = { _tag: "FetchUrl", url } as const
  const rules = ruleOffers({ tool: "fetch_url", risk: "medium", accesses: [access] }, [
    { kind: "other", canonical: url }
  ])
  return rules.map(ruleText)
}

const commandOffers = (sandboxed: boolean) => {
  const run = { _tag: "RunCommand", argv: ["make", "*"], cwd: "/p/sub", sandboxed, sandbox: "" } as const
  const target: Target = { kind: "other", canonical: "make *", place: { folder: "sub", sandboxed } }
  return ruleOffers({ tool: "run_command", risk: "high", accesses: [run] }, [target]).map(ruleText)
}

describe("ruleOffers", () => {
  it.each([
    ["a file of the project", [reading("src/a.ts")], ["read_file", "read_file:src/a.ts", "read_file:src/**"]],
    ["a file at the top", [reading("a.ts")], ["read_file", "read_file:a.ts"]],
    ["a secret, never with its folder", [reading("src/.env")], ["read_file:src/.env"]],
    ["a file outside the project, never all of the tool", [outside], ["read_file:/etc/hosts"]],
    ["two files at once, nothing", [reading("a.ts"), reading("b.ts")], []]
  ] as const)("offers for reading %s", (_, all, rules) => {
    assert.deepStrictEqual(offers("read_file", ...all), [...rules])
  })

  it("offers a tool that declares no access as a whole, unless it is of high risk", () => {
    const offered = (["medium", "high"] as const).map((risk) => ruleOffers({ tool: "count", risk, accesses: [] }, []))
    assert.deepStrictEqual(offered, [[allow("count")], []])
  })

  it("offers all pages of a host only where nobody between can change them, and a command in its place", () => {
    assert.deepStrictEqual(
      [pageOffers("https://a.example/b"), pageOffers("http://a.example/b")],
      [["fetch_url:https://a.example/**", "fetch_url:https://a.example/b"], ["fetch_url:http://a.example/b"]]
    )
    assert.deepStrictEqual([commandOffers(true), commandOffers(false)], [["run_command:(sub) make \\*"], []])
  })
})

it("names the rules that decide in the order of their texts", () => {
  const rules = [deny("t", "b"), deny("t", "a"), deny("t", "c")]
  const decision = decide(rules, { tool: "t", risk: "safe", targets: ["c", "b", "a"].map(file) })
  expect(decision.rules.map(({ pattern }) => pattern)).toStrictEqual(["a", "b", "c"])
})
