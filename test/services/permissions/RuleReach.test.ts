/**
 * How far a rule reaches: the parts of a move, the files beside a skill whose script may run, commands whose scripts changed.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lstat } from "node:fs/promises"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import { SkillFiles } from "../../../src/services/files/SkillFiles.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { allow, deny, inTask, openGate, prepared } from "../../support/OpenGate.ts"
import { makeProject } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const asking = () => scriptedApprover({ calls: ["once"] })

describe("a rule for writing", () => {
  const verdict = Effect.fnUntraced(function* (tool: string, isPlugin: boolean, rules: ReadonlyArray<Rule>) {
    const { gate, root } = yield* openGate({ approver: asking().layer, options: () => ({ rules }) })
    const file = { _tag: "WriteFile", inside: true } as const
    const call = prepared(tool, "high", [
      { ...file, path: `${root}/b.md`, content: "x\n" },
      { ...file, path: `${root}/README.md`, content: "", removes: true }
    ])
    const plugin = { ...call, info: { ...call.info, origin: "mover@1.0.0", definition: "d" } }
    return (yield* gate.decide(questionOfCall(inTask("T"), isPlugin ? plugin : call)))._tag
  })

  nodeTest("covers with one for removals a move, and no other tool with the same effects", function* () {
    const rules = [allow("write_file", "b.md"), allow("remove_file", "README.md")]
    assert.strictEqual(yield* verdict("move_file", false, rules), "Allow")
    assert.strictEqual(yield* verdict("move_file", false, [allow("write_file", "b.md")]), "Ask")
    assert.strictEqual(yield* verdict("move_file", false, [allow("write_file")]), "Ask")
    assert.strictEqual(yield* verdict("edit_file", false, rules), "Ask")
    assert.strictEqual(yield* verdict("move_file", true, rules), "Ask")
  })
})

describe("a file beside a skill", () => {
  const script = "/skills/report/scripts/run.sh"
  const beside = { _tag: "ReadFile", path: "/skills/report/notes.md", inside: false, ofSkill: true } as const
  const read = Effect.fnUntraced(function* (
    rules: ReadonlyArray<Rule>,
    accesses: ReadonlyArray<CanonicalAccess> = [beside]
  ) {
    const { gate } = yield* openGate({ approver: asking().layer, options: () => ({ rules }) })
    const question = questionOfCall(inTask("T"), prepared("read_file", "medium", accesses))
    const decision = yield* Effect.provideService(gate.decide(question), SkillFiles, new Set(["/other", script]))
    return decision._tag
  })

  const cases: ReadonlyArray<readonly [what: string, rules: ReadonlyArray<Rule>, expected: string]> = [
    ["is asked about without a rule", [], "Ask"],
    ["may be read where any command may run", [allow("run_command")], "Allow"],
    ["may be read where a script of the skill may run", [allow("run_command", "sh /skills/report/scripts/*")], "Allow"],
    ["may be read where one may run with arguments", [allow("run_command", "/skills/**/*.sh --all")], "Allow"],
    ["is asked about where a rule names no file", [allow("run_command", "* --all")], "Ask"],
    ["is asked about where only another script may run", [allow("run_command", "sh /elsewhere/*")], "Ask"],
    ["is asked about where its script must not run", [deny("run_command", `sh ${script}`)], "Ask"],
    ["is asked about where another tool is allowed", [allow("send", "/skills/**")], "Ask"]
  ]
  for (const [what, rules, expected] of cases) {
    nodeTest(what, function* () {
      assert.strictEqual(yield* read(rules), expected)
    })
  }

  nodeTest("may be read alone: not with what is not of the skill, and not when it looks like a secret", function* () {
    const rules = [allow("run_command")]
    assert.strictEqual(yield* read(rules, [beside, { ...beside, ofSkill: false }]), "Ask")
    assert.strictEqual(yield* read(rules, [{ ...beside, path: "/skills/report/.env" }]), "Ask")
    assert.strictEqual(yield* read(rules, []), "Ask")
  })
})

describe("a rule for a command", () => {
  const script = Effect.fnUntraced(function* () {
    const root = yield* makeProject({ "x.sh": "true\n" })
    const path = `${root}/x.sh`
    const { ctimeMs } = yield* Effect.promise(() => lstat(path))
    const place = { cwd: root, sandboxed: true, sandbox: "", scripts: [{ path, hash: null }] }
    const call = prepared("run_command", "high", [{ _tag: "RunCommand", argv: ["sh", "x.sh"], ...place }])
    return { root, ctimeMs, question: questionOfCall(inTask("T"), call) }
  })

  nodeTest("counts from the day it was remembered, also in a run that began later", function* () {
    const { ctimeMs, question, root } = yield* script()
    const decided = Effect.fnUntraced(function* (rememberedAt: number) {
      const rule = { ...allow("run_command", "sh x.sh"), rememberedAt: new Date(rememberedAt).toISOString() }
      const approver = asking()
      const { gate } = yield* openGate({
        approver: approver.layer,
        root,
        remembered: [rule],
        options: () => ({ since: ctimeMs + 60_000 })
      })
      yield* gate.authorize(question)
      return approver.asked[0]?.[0]?.warnings
    })
    const changed = "It runs x.sh, which changed after a rule allowed the command."
    assert.deepStrictEqual(yield* decided(ctimeMs - 5000), [changed])
    assert.isUndefined(yield* decided(ctimeMs + 5000))
  })
})
