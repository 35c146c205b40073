/**
 * A host that is allowed does not cover addresses that are long enough to carry data away, wherever in the address it stands.
 */
import { assert, describe, it } from "@effect/vitest"
import { decide } from "../../../src/domain/permissions/Decision.ts"
import { parseRule } from "../../../src/domain/permissions/Permission.ts"
import { eachTimeReason, canonicalUrl } from "../../../src/domain/tools/Access.ts"
import * as Result from "effect/Result"

const verdictOf = (rule: string, url: string) => {
  const canonical = Result.getOrThrow(canonicalUrl(url))
  const target = { kind: "other", canonical, effects: ["fetch_url"] } as const
  const rules = [Result.getOrThrow(parseRule("allow", rule))]
  return decide(rules, { tool: "fetch_url", risk: "medium", targets: [target] }).verdict
}

const rules = [
  "fetch_url",
  "fetch_url:**",
  "fetch_url:https://**",
  "fetch_url:https://docs.example/**",
  "fetch_url:https://docs.example**",
  "fetch_url:https://docs.example/*",
  "fetch_url:https://*.example/**",
  "fetch_url:https://docs.example/search?q=**"
]

const data = "QmFzZTY0".repeat(40)

const long: Readonly<Record<string, string>> = {
  "a long query": `https://docs.example/search?q=${data}`,
  "many short parameters": `https://docs.example/search?${Array.from({ length: 60 }, (_, at) => `p${at}=abcd`).join("&")}`,
  "a long path": `https://docs.example/${data}`,
  "many short folders": `https://docs.example/${"abcd/".repeat(64)}`,
  "half in the path, half in the query": `https://docs.example/${data.slice(0, 200)}?${data.slice(0, 200)}`,
  escapes: `https://docs.example/search?q=${"%41".repeat(100)}`,
  "characters that become escapes": `https://docs.example/search?q=${"ä".repeat(60)}`,
  "a query after a dot at the end of the host": `https://docs.example/./a/../search?q=${data}`,
  "upper case": `HTTPS://DOCS.EXAMPLE/search?q=${data}`,
  "another port": `https://docs.example:443/search?q=${data}`
}

describe("an address that is long enough to carry data", () => {
  for (const [what, url] of Object.entries(long)) {
    it(`is asked about whatever host is allowed: ${what}`, () => {
      for (const rule of rules) assert.strictEqual(verdictOf(rule, url), "ask", rule)
      assert.include(eachTimeReason({ _tag: "FetchUrl", url: Result.getOrThrow(canonicalUrl(url)) }), "asked each time")
    })
  }

  it("is allowed by a rule that names it", () => {
    const url = `https://docs.example/search?q=${data}`
    assert.strictEqual(verdictOf(`fetch_url:${url}`, url), "allow")
    assert.strictEqual(verdictOf(`fetch_url:${url.slice(0, -20)}**`, url), "allow")
  })

  it("leaves everyday addresses alone", () => {
    const usual = [
      "https://docs.example/",
      "https://docs.example/en-US/docs/Web/JavaScript/Reference/Global_Objects/Intl/DateTimeFormat/formatToParts",
      `https://docs.example/search?q=${"how+to+".repeat(20)}`
    ]
    for (const url of usual) {
      assert.strictEqual(verdictOf("fetch_url", url), "allow")
      assert.strictEqual(verdictOf("fetch_url:https://docs.example/**", url), "allow")
      assert.isUndefined(eachTimeReason({ _tag: "FetchUrl", url }))
    }
  })
})
