/**
 * Rules that a person chose for one project, and what `--yes` covers: neither is wider than its text.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import type { CallAnswer, StepAnswer } from "../../../src/domain/permissions/Answer.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { folderIdentity } from "../../../src/services/files/FileLook.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { allow, deny, inTask, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { beforeRun, questionOfAccess, questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { approveCalls, foreseeDenial } from "../../../src/services/permissions/Gate.ts"

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

/** A rule as a person writes it in the file. */
const byHand = (root: string) => Policies.layerMemory([{ verdict: "allow", tool: "read_file", project: root }])

layer(NodeServices.layer)("a rule for a project", (it) => {
  it.effect("lets its everyday files be read without a question, and no secrets and nothing outside", () =>
    Effect.gen(function* () {
      const person = choosing({ call: "remember" }, "read_file")
      const { gate, log, policies, root } = yield* openGate({ approver: person.layer })
      yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
      const [rule, ...others] = yield* policies.rules
      assert.deepStrictEqual(
        [rule, others],
        [
          {
            verdict: "allow",
            tool: "read_file",
            project: root,
            folder: folderIdentity(root),
            rememberedAt: "1970-01-01T00:00:00.000Z"
          },
          []
        ]
      )
      const answered = log.events().find(({ type }) => type === "approval.answered")
      assert.deepInclude<object | undefined>(answered, { answer: "remember", always: ["read_file"] })
      yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/a.ts`)))
      assert.strictEqual(person.questions(), 1)
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/.env`))))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), reading("/etc/hosts", false))))
      assert.strictEqual(person.questions(), 3)
      if (rule === undefined) return
      const next = yield* openGate({ remembered: [rule] })
      yield* Effect.flip(next.gate.authorize(questionOfCall(inTask("T"), reading(`${next.root}/README.md`))))
      // Another folder at the path that the rule names has none of its permissions, but is denied what was denied there.
      const { folder: _folder, ...anywhere } = rule
      const other = yield* openGate({})
      const moved = { ...rule, project: other.root }
      for (const [remembered, isAllowed] of [
        [moved, false],
        [{ ...anywhere, project: other.root }, true],
        [{ ...moved, folder: folderIdentity(other.root) ?? "" }, true],
        [{ ...moved, verdict: "deny" }, false]
      ] as const) {
        const at = yield* openGate({ remembered: [remembered], root: other.root })
        const asked = yield* Effect.result(at.gate.authorize(questionOfCall(inTask("T"), reading(`${at.root}/.x.md`))))
        assert.strictEqual(Result.isSuccess(asked), isAllowed)
      }
      const same = yield* openGate({ remembered: [{ ...rule, project: next.root }] })
      yield* Effect.flip(same.gate.authorize(questionOfCall(inTask("T"), reading(`${same.root}/README.md`))))
    })
  )

  it.effect("holds only in the folder it was given in, not in another one at its path; a denial holds in both", () =>
    Effect.gen(function* () {
      const person = choosing({ call: "remember" }, "read_file")
      const given = yield* openGate({ approver: person.layer })
      yield* given.gate.authorize(questionOfCall(inTask("T"), reading(`${given.root}/README.md`)))
      const [rule] = yield* given.policies.rules
      if (rule?.folder === undefined) return assert.fail("no folder")
      const inFolder = (folder: string) => (root: string) => Policies.layerMemory([{ ...rule, project: root, folder }])
      const isAllowed = Effect.fnUntraced(function* (layerOf: (root: string) => Layer.Layer<Policies>) {
        const { gate, root } = yield* openGate({ policies: layerOf })
        return (
          (yield* Effect.exit(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))))._tag ===
          "Success"
        )
      })
      assert.isTrue(yield* isAllowed(byHand))
      for (const other of [rule.folder, "1 1", "0 0", `${rule.folder} `, "another"]) {
        assert.isFalse(yield* isAllowed(inFolder(other)), other)
      }
      const both = (root: string) =>
        Policies.layerMemory([
          { verdict: "allow", tool: "read_file", project: root },
          { ...rule, verdict: "deny", project: root }
        ])
      assert.isFalse(yield* isAllowed(both))
    })
  )

  it.effect("covers the folder that was chosen and not more, also not for the rest of the session", () =>
    Effect.gen(function* () {
      const person = choosing({ call: "remember" }, "read_file:src/**")
      const { gate, root } = yield* openGate({ approver: person.layer })
      yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/a.ts`)))
      yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/b/c.ts`)))
      assert.strictEqual(person.questions(), 1)
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`))))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/.env`))))
      assert.strictEqual(person.questions(), 3)
    })
  )

  it.effect("is never one that was not offered", () =>
    Effect.gen(function* () {
      const person = choosing({ call: "remember" }, "write_file", "read_file:/etc/**", "read_file:**")
      const { gate, policies, root } = yield* openGate({ approver: person.layer })
      yield* gate.authorize(questionOfCall(inTask("T"), reading(`${root}/README.md`)))
      assert.deepStrictEqual(yield* policies.rules, [])
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/a.ts`))))
    })
  )

  it.effect("can be chosen for a command in the sandbox and for a file, at the question about their step", () =>
    Effect.gen(function* () {
      const person = choosing({ step: "step" }, "run_command:npm test", "write_file:src/a.ts")
      const { gate, log, policies, root } = yield* openGate({ approver: person.layer })
      const test = prepared("run_command", "high", [command(root, true, ["npm", "test"])])
      const bare = prepared("run_command", "high", [command(root, false, ["make"])], { a: "make" })
      const write = writing(`${root}/src/a.ts`, "new\n")
      const hook = writing(`${root}/.husky/pre-commit`, "x\n")
      const tasks = [{ task: "Work", gatedBy: "risk" as const, calls: [test, bare, write, hook] }]
      yield* approveCalls(gate, { title: "Task section 1", planKey: "round-1", tasks })
      const [requested] = log.events()
      assert.deepStrictEqual(
        requested?.type === "approval.requested" ? requested.items.map(({ offers }) => offers?.always) : [],
        [["run_command:npm test"], undefined, ["write_file:src/a.ts", "write_file:src/**"], undefined]
      )
      assert.deepStrictEqual(
        (yield* policies.rules).map(({ pattern, project, tool }) => [tool, pattern, project]),
        [
          ["run_command", "npm test", root],
          ["write_file", "src/a.ts", root]
        ]
      )
      yield* gate.authorize(questionOfCall(inTask("Later"), test))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Later"), bare)))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Later"), writing(`${root}/src/b.ts`, "new\n"))))
    })
  )

  it.effect("never beats a denial", () =>
    Effect.gen(function* () {
      const { gate, root } = yield* openGate({ options: () => ({ rules: [deny("read_file", "src/**")] }) })
      const remembered = [{ ...allow("read_file"), project: root }]
      const next = yield* openGate({ remembered, options: () => ({ rules: [deny("read_file", "src/**")] }) })
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), reading(`${root}/src/a.ts`))))
      yield* Effect.flip(next.gate.authorize(questionOfCall(inTask("T"), reading(`${next.root}/src/a.ts`))))
    })
  )
})

layer(NodeServices.layer)("--yes", (it) => {
  it.effect("covers reads and writes alike, and neither secrets, what lies outside, nor what is asked each time", () =>
    Effect.gen(function* () {
      const inner = scriptedApprover({ calls: ["deny", "deny", "deny", "deny"] })
      const { gate, root } = yield* openGate({
        approver: Approver.layerYes(inner.layer),
        options: () => ({ rules: [deny("write_file", "*.lock")] })
      })
      const secret = reading(`${root}/.env`)
      const write = writing(`${root}/src/a.ts`, "new\n")
      const tasks = [
        { task: "Work", gatedBy: "risk" as const, calls: [write, secret, writing(`${root}/.npmrc`, "x\n")] }
      ]
      yield* approveCalls(gate, { title: "Task section 1", planKey: "round-1", tasks })
      yield* gate.authorize(questionOfCall(inTask("Work"), write))
      yield* gate.authorize(questionOfCall(inTask("Work"), reading(`${root}/README.md`)))
      yield* gate.authorize(questionOfCall(inTask("Later"), writing(`${root}/other.md`, "x\n")))
      assert.deepStrictEqual(inner.asked, [])
      for (const call of [secret, reading("/etc/hosts", false), writing(`${root}/.npmrc`, "x\n")]) {
        yield* Effect.flip(gate.authorize(questionOfCall(inTask("Work"), call)))
      }
      assert.strictEqual(inner.asked.length, 3)
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Work"), writing(`${root}/a.lock`, "x\n"))))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Work"), writing("/etc/hosts", "x\n", false))))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Work"), writing(`${root}/.git/config`, "x\n"))))
      yield* Effect.flip(
        gate.authorize(
          questionOfAccess(beforeRun, { _tag: "LoadPlugin", name: "p", path: `${root}/p.js`, hash: "0".repeat(64) })
        )
      )
      assert.strictEqual(inner.asked.length, 4)
    })
  )

  it.effect("is known when a plan is made, though nobody can be asked", () =>
    Effect.gen(function* () {
      const { gate, root } = yield* openGate({ approver: Approver.layerYes(Approver.layerDenyAll) })
      const page = { _tag: "FetchUrl", url: "https://example.com/a" } as const
      assert.isUndefined(yield* foreseeDenial(gate, page))
      const secret = { _tag: "ReadFile", path: `${root}/.env`, inside: true } as const
      const denial = yield* foreseeDenial(gate, secret)
      assert.deepStrictEqual([denial?.question.tool, denial?.rules, denial?.by], ["read_file", [], "nobody"])
      const { gate: other } = yield* openGate({ approver: Approver.layerApproveSteps(Approver.layerDenyAll) })
      assert.isDefined(yield* foreseeDenial(other, page))
    })
  )

  it.effect("lets --yes-this-run approve steps and reads of the project, and asks about other calls", () =>
    Effect.gen(function* () {
      const inner = scriptedApprover({ calls: ["deny", "deny", "deny"] })
      const { gate, root } = yield* openGate({ approver: Approver.layerApproveSteps(inner.layer) })
      const write = writing(`${root}/src/a.ts`, "new\n")
      const calls = [write, reading(`${root}/.env`)]
      yield* approveCalls(gate, {
        title: "Task section 1",
        planKey: "round-1",
        tasks: [{ task: "Work", gatedBy: "risk", calls }]
      })
      for (const call of calls) yield* gate.authorize(questionOfCall(inTask("Work"), call))
      assert.deepStrictEqual(inner.asked, [])
      yield* gate.authorize(questionOfCall(inTask("Work"), reading(`${root}/README.md`)))
      const others = [
        reading(`${root}/server.pem`),
        reading("/etc/hosts", false),
        prepared("fetch_url", "medium", [{ _tag: "FetchUrl", url: "https://a.example/" }])
      ]
      for (const call of others) yield* Effect.flip(gate.authorize(questionOfCall(inTask("Work"), call)))
    })
  )
})

layer(NodeServices.layer)("a run that only reads", (it) => {
  it.effect("asks about no step, and leaves out what would change something", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once"] })
      const { answers, gate, root } = yield* openGate({ approver: approver.layer, options: () => ({ readOnly: true }) })
      const calls = [writing(`${root}/src/a.ts`, "new\n"), reading(`${root}/README.md`)]
      const tasks = [{ task: "Work", gatedBy: "list" as const, calls }]
      const approved = yield* approveCalls(gate, { title: "Task section 1", planKey: "round-1", tasks })
      assert.deepStrictEqual(approved, { approved: true, by: "rule" })
      for (const call of calls) yield* Effect.ignore(gate.authorize(questionOfCall(inTask("Work"), call)))
      assert.strictEqual(approver.asked.length, 1)
      assert.deepStrictEqual(
        (yield* answers.denials).map(({ leftOut, tool }) => [tool, leftOut]),
        [["write_file", true]]
      )
    })
  )
})
