/** Tools that reach hosts and have effects of their own: what is asked, which rules decide, and what is kept of it. */
import { assert, describe } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import type { Access } from "../../../src/domain/tools/Access.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { openTools } from "../../support/OpenTools.ts"
import { acting } from "../../support/actingPlugin.ts"
import { liveTest } from "../../support/liveTest.ts"

const changing = (access: Access) =>
  acting(async (_, { granted }) => granted.map((one) => ("target" in one ? one.target : one._tag)), {
    name: "change_orders",
    effect: "once",
    access: [access]
  })

const rows: Access = { _tag: "Other", target: "db:orders", changes: true, words: "delete rows of orders" }
const host: Access = { _tag: "Host", host: "API.Example.com.", port: 8443 }

const calling = (access: Access, rules: ReadonlyArray<Rule> = [], approver = Approver.layerDenyAll) =>
  Effect.gen(function* () {
    const { log, run } = yield* openTools({ plugins: [changing(access)], rules, approver })
    const result = yield* Effect.result(run("change_orders"))
    const events = log.events()
    const items = events.flatMap((event): ReadonlyArray<ApprovalItem> =>
      event.type === "approval.requested" ? event.items : []
    )
    const targets = events.flatMap((event) => (event.type === "tool.started" ? event.targets : []))
    return { isMade: targets.length > 0, item: items[0], result, targets }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const allow = (pattern: string): Rule => ({ verdict: "allow", tool: "change_orders", pattern })

describe("an effect of a tool's own", () => {
  liveTest("is asked about with the words of the tool, as what may destroy things", function* () {
    const { isMade, item } = yield* calling(rows)
    assert.isFalse(isMade)
    assert.strictEqual(item?.risk, "high")
    assert.deepStrictEqual(item?.targets, ["db:orders"])
    assert.include(item?.words?.does, "delete rows of orders")
    assert.include(item?.words?.consequence, "cannot undo")
  })

  liveTest("is allowed by a rule for its target", function* () {
    for (const [pattern, isAllowed] of [
      ["db:orders", true],
      ["db:*", true],
      ["db:customers", false]
    ] as const) {
      const { isMade, targets } = yield* calling(rows, [allow(pattern)])
      assert.deepStrictEqual([isMade, targets], [isAllowed, isAllowed ? ["db:orders"] : []])
    }
  })

  liveTest("that changes nothing runs like its tool, unless a rule denies its target", function* () {
    const reads: Access = { ...rows, changes: false }
    assert.isTrue((yield* calling(reads)).isMade)
    assert.isFalse((yield* calling(reads, [{ verdict: "deny", tool: "change_orders", pattern: "db:*" }])).isMade)
  })

  liveTest("must be one line", function* () {
    for (const words of ["", "two\nlines", "x".repeat(501)]) {
      const { isMade } = yield* calling({ ...rows, words }, [{ verdict: "allow", tool: "change_orders" }])
      assert.isFalse(isMade)
    }
  })
})

describe("a host that a tool reaches", () => {
  liveTest("is asked about by its canonical name", function* () {
    const { isMade, item } = yield* calling(host)
    assert.isFalse(isMade)
    assert.deepStrictEqual([item?.risk, item?.targets], ["medium", ["api.example.com:8443"]])
    assert.include(item?.words?.does, "reach api.example.com:8443")
  })

  liveTest("is allowed by a rule of its tool, and denied by one about pages of the host", function* () {
    assert.isTrue((yield* calling(host, [allow("api.example.com:8443")])).isMade)
    const denied = yield* calling({ _tag: "Host", host: "api.example.com" }, [
      allow("api.example.com"),
      { verdict: "deny", tool: "fetch_url", pattern: "api.example.com" }
    ])
    assert.isFalse(denied.isMade)
  })

  liveTest("must be a name alone", function* () {
    for (const name of ["", "a b", "http://a", "a/b", "user@a"]) {
      const { isMade } = yield* calling({ _tag: "Host", host: name }, [{ verdict: "allow", tool: "change_orders" }])
      assert.isFalse(isMade)
    }
  })
})
