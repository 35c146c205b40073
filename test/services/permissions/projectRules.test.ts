/**
 * Rules that a person chose for one project, and what `--yes` covers: neither is wider than its text.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import type { CallAnswer, StepAnswer } from "../../../src/domain/permissions/Answer.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import type { CallList } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { RememberedRule } from "../../../src/domain/permissions/PolicyFormat.ts"
import type { PreparedCall } from "../../../src/domain/tools/ToolCall.ts"
import { folderIdentity } from "../../../src/services/files/FileLook.ts"
import { deny, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { beforeRun, questionOfAccess } from "../../../src/services/permissions/GateQuestion.ts"
import { approveCalls, foreseeDenial } from "../../../src/services/permissions/Gate.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** A person who chooses these rules at the first question, and denies everything else. */
const choosing = (
  answer: { readonly call?: CallAnswer; readonly step?: StepAnswer },
  ...always: ReadonlyArray<string>
) => {
  let questions = 0
  const first = <A>(given: A | undefined, no: A) =>
    Effect.sync(() => {
      questions += 1
      return questions > 1 || given === undefined
        ? { answer: no, by: "person" as const }
        : { answer: given, by: "person" as const, always }
    })
  return {
    questions: () => questions,
    layer: Layer.succeed(Approver)(
      Approver.of({
        call: () => first<CallAnswer>(answer.call, "deny"),
        step: () => first<StepAnswer>(answer.step, "decline"),
        inDoubt: () => Effect.die("not used")
      })
    )
  }
}

const command = (root: string, sandboxed: boolean, argv: readonly [string, ...Array<string>]): CanonicalAccess => ({
  _tag: "RunCommand",
  argv,
  cwd: root,
  sandboxed,
  sandbox: sandboxed ? "yes: no network" : "no: there is none"
})

/** A step of one task with these calls. */
const stepOf = (...calls: ReadonlyArray<PreparedCall>): CallList => ({
  title: "Task section 1",
  planKey: "round-1",
  tasks: [{ task: "Work", gatedBy: "risk", calls }]
})

describe("a rule for a project", () => {
  nodeTest("lets its everyday files be read without a question, and no secrets and nothing outside", function* () {
    const person = choosing({ call: "remember" }, "read_file")
    const { authorize, denial, log, policies, root } = yield* openGate({ approver: person.layer })
    yield* authorize(reading(`${root}/README.md`))
    const given = { project: root, folder: folderIdentity(root), rememberedAt: "1970-01-01T00:00:00.000Z" }
    expect(yield* policies.rules).toStrictEqual([{ verdict: "allow", tool: "read_file", ...given }])
    const answered = log.events().find(({ type }) => type === "approval.answered")
    expect(answered).toMatchObject({ answer: "remember", always: ["read_file"] })
    yield* authorize(reading(`${root}/src/a.ts`))
    expect(person.questions()).toBe(1)
    yield* denial(reading(`${root}/.env`))
    yield* denial(reading("/etc/hosts", false))
    expect(person.questions()).toBe(3)
  })

  nodeTest("holds only in the folder it was given in, but a denial also in another one at its path", function* () {
    const { authorize, policies, root } = yield* openGate({
      approver: choosing({ call: "remember" }, "read_file").layer
    })
    yield* authorize(reading(`${root}/README.md`))
    const [rule] = yield* policies.rules
    if (rule?.folder === undefined) return expect.fail("no folder")
    const { folder, ...byHand } = rule
    const other = yield* openGate({})
    const own = folderIdentity(other.root) ?? ""
    const isAllowed = Effect.fnUntraced(function* (...rules: ReadonlyArray<RememberedRule>) {
      const remembered = rules.map((one) => Object.assign({}, one, { project: other.root }))
      const at = yield* openGate({ remembered, root: other.root })
      return Result.isSuccess(yield* Effect.result(at.authorize(reading(`${at.root}/README.md`))))
    })
    expect([yield* isAllowed(byHand), yield* isAllowed({ ...rule, folder: own })]).toStrictEqual([true, true])
    for (const elsewhere of [folder, "1 1", "0 0", `${own} `, "another"]) {
      expect(yield* isAllowed({ ...rule, folder: elsewhere }), elsewhere).toBe(false)
    }
    expect(yield* isAllowed(byHand, { ...rule, verdict: "deny" })).toBe(false)
    const moved = yield* openGate({ remembered: [rule], root: other.root })
    yield* moved.denial(reading(`${moved.root}/README.md`))
  })

  nodeTest("covers the folder that was chosen and not more, also not for the rest of the session", function* () {
    const person = choosing({ call: "remember" }, "read_file:src/**")
    const { authorize, denial, root } = yield* openGate({ approver: person.layer })
    yield* authorize(reading(`${root}/src/a.ts`))
    yield* authorize(reading(`${root}/src/b/c.ts`))
    expect(person.questions()).toBe(1)
    yield* denial(reading(`${root}/README.md`))
    yield* denial(reading(`${root}/src/.env`))
    expect(person.questions()).toBe(3)
  })

  nodeTest("is never one that was not offered", function* () {
    const person = choosing({ call: "remember" }, "write_file", "read_file:/etc/**", "read_file:**")
    const { authorize, denial, policies, root } = yield* openGate({ approver: person.layer })
    yield* authorize(reading(`${root}/README.md`))
    expect(yield* policies.rules).toStrictEqual([])
    yield* denial(reading(`${root}/src/a.ts`))
  })

  nodeTest("can be chosen for a command in the sandbox and for a file, at the question about their step", function* () {
    const person = choosing({ step: "step" }, "run_command:npm test", "write_file:src/a.ts")
    const { authorize, denial, gate, log, policies, root } = yield* openGate({ approver: person.layer })
    const test = prepared("run_command", "high", [command(root, true, ["npm", "test"])])
    const bare = prepared("run_command", "high", [command(root, false, ["make"])], { a: "make" })
    const write = writing(`${root}/src/a.ts`, "new\n")
    const hook = writing(`${root}/.husky/pre-commit`, "x\n")
    yield* approveCalls(gate, stepOf(test, bare, write, hook))
    const [requested] = log.events()
    expect(
      requested?.type === "approval.requested" ? requested.items.map(({ offers }) => offers?.always) : []
    ).toStrictEqual([["run_command:npm test"], undefined, ["write_file:src/a.ts", "write_file:src/**"], undefined])
    expect((yield* policies.rules).map(({ pattern, project, tool }) => [tool, pattern, project])).toStrictEqual([
      ["run_command", "npm test", root],
      ["write_file", "src/a.ts", root]
    ])
    yield* authorize(test, "Later")
    yield* denial(bare, "Later")
    yield* denial(writing(`${root}/src/b.ts`, "new\n"), "Later")
  })
})

describe("--yes", () => {
  nodeTest("covers reads and writes, but no secrets, nothing outside, and nothing asked each time", function* () {
    const inner = scriptedApprover({ calls: ["deny", "deny", "deny", "deny"] })
    const { authorize, denial, gate, root } = yield* openGate({
      approver: Approver.layerYes(inner.layer),
      options: () => ({ rules: [deny("write_file", "*.lock")] })
    })
    const secret = reading(`${root}/.env`)
    const write = writing(`${root}/src/a.ts`, "new\n")
    yield* approveCalls(gate, stepOf(write, secret, writing(`${root}/.npmrc`, "x\n")))
    yield* authorize(write, "Work")
    yield* authorize(reading(`${root}/README.md`), "Work")
    yield* authorize(writing(`${root}/other.md`, "x\n"), "Later")
    expect(inner.asked).toStrictEqual([])
    for (const call of [secret, reading("/etc/hosts", false), writing(`${root}/.npmrc`, "x\n")]) {
      yield* denial(call, "Work")
    }
    expect(inner.asked.length).toBe(3)
    yield* denial(writing(`${root}/a.lock`, "x\n"), "Work")
    yield* denial(writing("/etc/hosts", "x\n", false), "Work")
    yield* denial(writing(`${root}/.git/config`, "x\n"), "Work")
    const plugin = { _tag: "LoadPlugin", name: "p", path: `${root}/p.js`, hash: "0".repeat(64) } as const
    yield* Effect.flip(gate.authorize(questionOfAccess(beforeRun, plugin)))
    expect(inner.asked.length).toBe(4)
  })

  nodeTest("is known when a plan is made, though nobody can be asked", function* () {
    const { gate, root } = yield* openGate({ approver: Approver.layerYes(Approver.layerDenyAll) })
    const page = { _tag: "FetchUrl", url: "https://example.com/a" } as const
    expect(yield* foreseeDenial(gate, page)).toBeUndefined()
    const secret = { _tag: "ReadFile", path: `${root}/.env`, inside: true } as const
    const denial = yield* foreseeDenial(gate, secret)
    expect([denial?.question.tool, denial?.rules, denial?.by]).toStrictEqual(["read_file", [], "nobody"])
    const { gate: other } = yield* openGate({ approver: Approver.layerApproveSteps(Approver.layerDenyAll) })
    expect(yield* foreseeDenial(other, page)).toBeDefined()
  })
})

describe("a run that only reads", () => {
  nodeTest("asks about no step, and leaves out what would change something", function* () {
    const approver = scriptedApprover({ calls: ["once"] })
    const { answers, authorize, gate, root } = yield* openGate({
      approver: approver.layer,
      options: () => ({ readOnly: true })
    })
    const calls = [writing(`${root}/src/a.ts`, "new\n"), reading(`${root}/README.md`)]
    expect(yield* approveCalls(gate, stepOf(...calls))).toStrictEqual({ approved: true, by: "rule" })
    for (const call of calls) yield* Effect.ignore(authorize(call, "Work"))
    expect(approver.asked.length).toBe(1)
    expect((yield* answers.denials).map(({ leftOut, tool }) => [tool, leftOut])).toStrictEqual([["write_file", true]])
  })
})
