/**
 * What rules, remembered answers and protection decide about a call in a real project folder.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lstat } from "node:fs/promises"
import type { RememberedRule } from "../../../src/domain/permissions/PolicyFormat.ts"
import type { PreparedCall } from "../../../src/domain/tools/ToolCall.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { sourcedRules } from "../../../src/app/setup.ts"
import { explainCall } from "../../../src/cli/permissions/explainCall.ts"
import type { GateOptions } from "../../../src/services/permissions/Policy.ts"
import { allow, deny, prepared, reading, writing } from "../../support/OpenGate.ts"
import { makeProject, putFiles } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const pin = (letter: string) => ({ origin: "word-count@1.0.0", definition: letter.repeat(64) })

/** A call of a tool of a plugin, as it is defined now. */
const counting = (letter: string): PreparedCall => {
  const call = prepared("word_count", "medium")
  return { ...call, info: { ...call.info, ...pin(letter) } }
}

/** Explains calls in one project. */
const explain = Effect.fnUntraced(function* (given: {
  readonly root: string
  readonly calls: ReadonlyArray<PreparedCall>
  readonly options?: GateOptions
  readonly policies?: Layer.Layer<Policies, never, NodeServices.NodeServices>
}) {
  const { calls, options = {}, policies = Policies.layerMemory(), root } = given
  return yield* Effect.forEach(calls, (call) => explainCall(call, options)).pipe(
    Effect.provide(Layer.mergeAll(Workspace.layer(root), policies))
  )
})

const byRisk = (verdict: "allow" | "ask", ...reasons: ReadonlyArray<string>) => ({ verdict, rules: [], reasons })

it("gives the rules of a configuration their source, those that allow first", () => {
  expect(sourcedRules({ deny: ["run_command"], allow: ["read_file:src/**", "fetch_url"] }, "--rules")).toEqual([
    { ...allow("read_file", "src/**"), source: "--rules" },
    { ...allow("fetch_url"), source: "--rules" },
    { ...deny("run_command"), source: "--rules" }
  ])
})

describe("explainCall", () => {
  nodeTest("decides by risk when no rule is about the call, and says what is asked each time", function* () {
    const root = yield* makeProject({})
    const calls = [prepared("get_current_time", "safe"), writing(`${root}/.vscode/tasks.json`, "")]
    expect(yield* explain({ root, calls })).toEqual([
      byRisk("allow"),
      byRisk("ask", "Programs run or read this file automatically. This is asked each time.")
    ])
  })

  nodeTest("names the file of policies as the source of a remembered rule", function* () {
    const root = yield* makeProject({})
    const file = `${root}/policies.json`
    const remembered = allow("read_file", "src/*")
    yield* putFiles(root, { "policies.json": JSON.stringify({ version: 1, rules: [remembered] }) })
    const rules = [{ ...allow("read_file", "src/a.ts"), source: "--allow" }]
    const calls = [reading(`${root}/src/a.ts`)]
    expect(yield* explain({ root, calls, options: { rules }, policies: Policies.layer(file) })).toEqual([
      { verdict: "allow", rules: [{ ...remembered, source: file }, rules[0]], reasons: [] }
    ])
  })

  nodeTest("refuses whatever may change something in a run that only reads, and nothing else", function* () {
    const root = yield* makeProject({})
    const changing = counting("a")
    const calls: ReadonlyArray<PreparedCall> = [
      writing(`${root}/a.ts`, ""),
      { ...changing, info: { ...changing.info, effect: "once" } },
      changing,
      reading(`${root}/a.ts`)
    ]
    const reasons = ["It would change something, and this run only reads."]
    const change = { verdict: "refuse", rules: [], reasons }
    const rules = [allow("write_file"), allow("word_count"), allow("read_file")]
    expect(yield* explain({ root, calls, options: { rules, readOnly: true } })).toEqual([
      change,
      change,
      { verdict: "allow", rules: [rules[1]], reasons: [] },
      { verdict: "allow", rules: [rules[2]], reasons: [] }
    ])
  })

  nodeTest("does not use a remembered rule for a tool that has changed since, and says so", function* () {
    const root = yield* makeProject({})
    const remembered: RememberedRule = { ...allow("word_count"), pin: pin("a") }
    const policies = Policies.layerMemory([remembered])
    expect(yield* explain({ root, calls: [counting("a"), counting("b")], policies })).toEqual([
      { verdict: "allow", rules: [remembered], reasons: [] },
      byRisk("ask", "A remembered rule would allow it, but the tool has changed since.")
    ])
  })

  nodeTest("does not use a rule for a command whose script changed after the rule came into force", function* () {
    const root = yield* makeProject({ "x.sh": "true\n" })
    const { ctimeMs } = yield* Effect.promise(() => lstat(`${root}/x.sh`))
    const rules = [allow("run_command", "(no sandbox) **")]
    const scripts = [{ path: `${root}/x.sh`, hash: null }]
    const place = { cwd: root, sandboxed: false, sandbox: "off" }
    const call = prepared("run_command", "medium", [{ _tag: "RunCommand", argv: ["sh", "x.sh"], ...place, scripts }])
    const verdicts = yield* Effect.forEach([ctimeMs - 1, ctimeMs, ctimeMs + 1], (since) =>
      Effect.map(explain({ root, calls: [call], options: { rules, since } }), ([one]) => one?.verdict)
    )
    expect(verdicts).toEqual(["ask", "allow", "allow"])
  })
})
