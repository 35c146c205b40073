import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Approver, denyAll } from "../../../src/services/approvals/Approver.ts"
import { checksPlanKey, type GatedTask } from "../../../src/domain/permissions/ApprovalItem.ts"
import { allow, deny, inTask, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"

const editOf = (...calls: GatedTask["calls"]): GatedTask => ({ task: "Edit 1", gatedBy: "risk", calls })
const step = (planKey: string, ...tasks: ReadonlyArray<GatedTask>) => ({ title: "Task section 1", planKey, tasks })

layer(NodeServices.layer)("Gate.approveCalls", (it) => {
  it.effect("asks once for all tasks and lets exactly the approved calls run", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["step"], calls: ["deny", "deny", "deny"] })
      const { gate, log, root } = yield* openGate({ approver: approver.layer })
      const write = writing(`${root}/README.md`, "new\n")
      const read = reading(`${root}/src/a.ts`)
      assert.deepStrictEqual(
        yield* approveCalls(
          gate,
          step(
            "plan",
            { task: "Edit 1", gatedBy: "risk", calls: [write, read] },
            { task: "Think 1", gatedBy: "list", calls: [] }
          )
        ),
        { approved: true, by: "person" }
      )
      assert.deepStrictEqual(
        approver.asked.flat().map(({ task, tool }) => [task, tool]),
        [
          ["Edit 1", "write_file"],
          ["Edit 1", "read_file"],
          ["Think 1", "none"]
        ]
      )
      yield* gate.authorize(questionOfCall(inTask("Edit 1"), write))
      yield* gate.authorize(questionOfCall(inTask("Edit 1"), { ...read, call: { ...read.call, uid: "another" } }))
      assert.strictEqual(approver.asked.length, 1)
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/README.md`, "else\n"))))
      yield* Effect.flip(
        gate.authorize(
          questionOfCall(inTask("Edit 1"), { ...write, accesses: writing(`${root}/src/a.ts`, "new\n").accesses })
        )
      )
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 2"), write)))
      assert.strictEqual(approver.asked.length, 4)
      assert.deepStrictEqual(
        log.events().flatMap((event) => (event.type === "approval.answered" ? [[event.scope, event.answer]] : [])),
        [
          ["step", "step"],
          ["call", "deny"],
          ["call", "deny"],
          ["call", "deny"]
        ]
      )
    })
  )

  it.effect("shows a call that cannot be made any more, and grants nothing for it", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["step"], calls: ["deny"] })
      const { gate, root } = yield* openGate({ approver: approver.layer })
      const write = writing(`${root}/README.md`, "new\n")
      const lost = writing(`${root}/src/a.ts`, "new\n")
      const gone: GatedTask = {
        task: "Edit 1",
        gatedBy: "risk",
        calls: [write, { ...lost, risk: lost.info.risk, accesses: [], problem: "The old_text does not occur.\nMore." }]
      }
      assert.deepStrictEqual(yield* approveCalls(gate, step("plan", gone)), { approved: true, by: "person" })
      assert.deepStrictEqual(
        approver.asked.flat().map(({ call, targets, warnings }) => [call, targets, warnings]),
        [
          [write.call, [`${root}/README.md`], undefined],
          [lost.call, [], ["This call cannot be made now, and will fail. The old_text does not occur."]]
        ]
      )
      yield* gate.authorize(questionOfCall(inTask("Edit 1"), write))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), lost)))
    })
  )

  it.effect("asks about a task whose only call cannot be made any more, unless a rule denies it", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["decline"] })
      const { gate, root } = yield* openGate({
        approver: approver.layer,
        options: () => ({ rules: [deny("run_command")] })
      })
      const { call, info, risk } = writing(`${root}/README.md`, "new\n")
      const gone = (tool: string): GatedTask => ({
        task: "Edit 1",
        gatedBy: "risk",
        calls: [{ call: { ...call, name: tool }, info: { ...info, name: tool }, risk, accesses: [], problem: "Gone." }]
      })
      assert.deepStrictEqual(yield* approveCalls(gate, step("plan", gone("run_command"))), {
        approved: true,
        by: "rule"
      })
      assert.deepStrictEqual(yield* approveCalls(gate, step("plan", gone("write_file"))), {
        approved: false,
        by: "person"
      })
    })
  )

  it.effect("asks again for another step, and not again for calls that were approved before", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["step", "step"] })
      const { gate, root } = yield* openGate({ approver: approver.layer })
      const edit = (content: string): GatedTask => ({
        task: "Edit 1",
        gatedBy: "list",
        calls: [writing(`${root}/README.md`, content)]
      })
      yield* approveCalls(gate, step("plan", edit("new\n")))
      assert.deepStrictEqual(yield* approveCalls(gate, step("other", edit("new\n"))), { approved: true, by: "rule" })
      assert.strictEqual(approver.asked.length, 1)
      yield* approveCalls(gate, step("plan", edit("changed\n")))
      assert.strictEqual(approver.asked.length, 2)
    })
  )

  it.effect(
    "lets chosen calls run and denies the others by the user, without another question, in later plans too",
    () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ steps: [{ chosen: [1, 3] }, "step"] })
        const { gate, log, root } = yield* openGate({ approver: approver.layer })
        const first = writing(`${root}/README.md`, "1\n")
        const second = writing(`${root}/src/a.ts`, "2\n")
        const third = writing(`${root}/src/b.ts`, "3\n")
        const edit: GatedTask = { task: "Edit 1", gatedBy: "risk", calls: [first, second, third] }
        assert.deepStrictEqual(yield* approveCalls(gate, step("plan", edit)), { approved: true, by: "person" })
        yield* gate.authorize(questionOfCall(inTask("Edit 1"), first))
        const denied = yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), second)))
        assert.deepStrictEqual(
          [denied.by, denied.message, denied.times],
          ["person", `Permission denied: a person denied write_file on ${root}/src/a.ts.`, 1]
        )
        yield* gate.authorize(questionOfCall(inTask("Edit 1"), third))
        assert.strictEqual(approver.asked.length, 1)
        assert.deepStrictEqual(
          log.events().flatMap((event) => (event.type === "approval.answered" ? [[event.answer, event.chosen]] : [])),
          [["chosen", [1, 3]]]
        )
        yield* approveCalls(gate, step("another", { ...edit, task: "Edit 2" }))
        assert.deepStrictEqual(
          approver.asked.at(-1)?.map(({ targets }) => targets),
          [[`${root}/README.md`], [`${root}/src/b.ts`]]
        )
        yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 2"), second)))
        /* The same file, of which something else is to become after the first call was made. */
        yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/src/a.ts`, "1 and 2\n"))))
        assert.strictEqual(approver.asked.length, 2)
      })
  )

  it.effect(
    "says which rules would allow what nobody can be asked about, unless one call has none or they are too many",
    () =>
      Effect.gen(function* () {
        const { gate, log, root } = yield* openGate({})
        const said = () =>
          log.events().flatMap((event) => (event.type === "message" ? [event.text.replaceAll(`${root}/`, "")] : []))
        const write = (name: string) => writing(`${root}/${name}`, "x\n")
        const lost = write("lost.ts")
        const broken = { ...lost, risk: lost.info.risk, accesses: [], problem: "The old_text does not occur." }
        const many = ["a", "b", "c", "d", "e", "f"].map((name) => write(name))
        yield* approveCalls(gate, step("many", editOf(...many)))
        yield* approveCalls(gate, step("broken", editOf(write("a.ts"), broken)))
        yield* approveCalls(gate, step(checksPlanKey, editOf(write("a.ts"))))
        assert.deepStrictEqual(said(), [])
        yield* approveCalls(gate, step("most", editOf(...many.slice(1))))
        yield* approveCalls(gate, step("plan", editOf(write("a.ts"))))
        assert.strictEqual(said().length, 2)
        assert.match(said()[1] ?? "", /^Nobody can be asked about ".*"\. These rules allow it: .*write_file:a\.ts/)
      })
  )

  it.effect("keeps what the user wants instead of a step, and whether the step only reads", () =>
    Effect.gen(function* () {
      const declining = Layer.succeed(Approver)({
        ...denyAll,
        step: () => Effect.succeed({ answer: "decline", by: "person", instead: "Wait." })
      })
      const { answers, gate, root } = yield* openGate({ approver: declining })
      const [read, write] = [reading(`${root}/src/a.ts`), writing(`${root}/README.md`, "new\n")]
      for (const calls of [[read], [read, write]]) {
        yield* approveCalls(gate, step(`plan of ${calls.length}`, { task: "Edit 1", gatedBy: "risk", calls }))
      }
      assert.deepStrictEqual(
        (yield* answers.requestedChanges).map(({ instead, isRead }) => [instead, isRead]),
        [
          ["Wait.", true],
          ["Wait.", undefined]
        ]
      )
    })
  )

  it.effect("asks for what is asked each time although all remaining steps are approved", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["remaining"], calls: ["deny"] })
      const { gate, root } = yield* openGate({ approver: approver.layer })
      const edit = (path: string): GatedTask => ({
        task: "Edit 1",
        gatedBy: "risk",
        calls: [writing(`${root}/${path}`, "x\n")]
      })
      yield* approveCalls(gate, step("plan", edit(".husky/pre-commit")))
      yield* gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/.husky/pre-commit`, "x\n")))
      assert.strictEqual(approver.asked.length, 1)
      yield* approveCalls(gate, step("plan", edit(".vscode/tasks.json")))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/.vscode/tasks.json`, "x\n"))))
      assert.strictEqual(approver.asked.length, 2)
    })
  )

  it.effect("binds all remaining steps to the plan", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["remaining", "decline"] })
      const { gate, root } = yield* openGate({ approver: approver.layer })
      const edit = (content: string): GatedTask => ({
        task: "Edit 1",
        gatedBy: "risk",
        calls: [writing(`${root}/README.md`, content)]
      })
      yield* approveCalls(gate, step("plan", edit("1\n")))
      assert.deepStrictEqual(yield* approveCalls(gate, step("plan", edit("2\n"))), { approved: true, by: "person" })
      yield* gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/README.md`, "2\n")))
      assert.strictEqual(approver.asked.length, 1)
      assert.deepStrictEqual(yield* approveCalls(gate, step("changed", edit("3\n"))), { approved: false, by: "person" })
      assert.strictEqual(approver.asked.length, 2)
    })
  )

  it.effect("tells who declined and does not count it as a denial", () =>
    Effect.gen(function* () {
      const { answers, gate, root } = yield* openGate({})
      const edit: GatedTask = { task: "Edit 1", gatedBy: "risk", calls: [writing(`${root}/README.md`, "new\n")] }
      assert.deepStrictEqual(yield* approveCalls(gate, step("plan", edit)), { approved: false, by: "nobody" })
      assert.deepStrictEqual(yield* answers.denials, [])
    })
  )

  it.effect(
    "needs no question for what rules allow, whatever the list or the skill says, and asks about the others",
    () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ steps: ["step", "step", "step", "step", "step"] })
        const { gate, root } = yield* openGate({
          approver: approver.layer,
          options: () => ({ rules: [allow("write_file", "README.md")] })
        })
        const time = prepared("get_current_time", "safe")
        const calls = [writing(`${root}/README.md`, "new\n"), time]
        const gates = ["risk", "list", "skill"] as const
        for (const gatedBy of gates) {
          assert.deepStrictEqual(
            yield* approveCalls(gate, step("plan", { task: `Edit by ${gatedBy}`, gatedBy, calls })),
            {
              approved: true,
              by: "rule"
            }
          )
        }
        assert.strictEqual(approver.asked.length, 0)
        const uncovered = [...calls, reading(`${root}/src/a.ts`)]
        for (const gatedBy of gates) {
          yield* approveCalls(gate, step("plan", { task: `Read by ${gatedBy}`, gatedBy, calls: uncovered }))
        }
        for (const gatedBy of ["list", "skill"] as const) {
          yield* approveCalls(gate, step("plan", { task: `Time by ${gatedBy}`, gatedBy, calls: [time] }))
        }
        assert.deepStrictEqual(
          approver.asked.map((items) => items.map(({ tool }) => tool)),
          [
            ["get_current_time", "read_file"],
            ["get_current_time", "read_file"],
            ["write_file", "get_current_time", "read_file"],
            ["get_current_time"],
            ["get_current_time"]
          ]
        )
        assert.deepStrictEqual(approver.asked[0]?.at(-1)?.facts, [
          "allowed by write_file:README.md: write_file README.md"
        ])
      })
  )

  it.effect("does not ask for what is denied or refused anyway, and approval does not let it run", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["remaining"] })
      const { gate, root } = yield* openGate({
        approver: approver.layer,
        options: () => ({ rules: [deny("write_file", "src/**")] })
      })
      const denied = writing(`${root}/src/a.ts`, "x")
      const refused = writing(`${root}/.git/config`, "x")
      const calls = [denied, refused]
      assert.deepStrictEqual(yield* approveCalls(gate, step("plan", { task: "Edit 1", gatedBy: "risk", calls })), {
        approved: true,
        by: "rule"
      })
      yield* approveCalls(
        gate,
        step("plan", { task: "Edit 1", gatedBy: "risk", calls: [...calls, writing(`${root}/README.md`, "x")] })
      )
      assert.deepStrictEqual(
        approver.asked.flat().map((item) => item.targets),
        [[`${root}/README.md`]]
      )
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), denied)))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), refused)))
    })
  )

  it.effect("approves steps beforehand, but not what a rule denies", () =>
    Effect.gen(function* () {
      const { gate, root } = yield* openGate({
        approver: Approver.layerApproveSteps(Approver.layerDenyAll),
        options: () => ({ rules: [deny("write_file", "src/**")] })
      })
      const calls = [writing(`${root}/README.md`, "x"), writing(`${root}/src/a.ts`, "x")]
      assert.deepStrictEqual(yield* approveCalls(gate, step("plan", { task: "Edit 1", gatedBy: "list", calls })), {
        approved: true,
        by: "rule"
      })
      yield* gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/README.md`, "x")))
      yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), writing(`${root}/src/a.ts`, "x"))))
    })
  )

  it.effect("warns before a step in which two tasks would write one file, and shows it with their calls", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["decline"] })
      const { gate, log, root } = yield* openGate({
        approver: approver.layer,
        options: () => ({ rules: [deny("write_file", "src/**")] })
      })
      const edit = (task: string, ...names: ReadonlyArray<string>): GatedTask => ({
        task,
        gatedBy: "risk",
        calls: names.map((name) => writing(`${root}/${name}`, task))
      })
      yield* approveCalls(
        gate,
        step("plan", edit("Edit 1", "README.md", "src/a.ts"), edit("Edit 2", "README.md", "other.md", "src/a.ts"))
      )
      const warning = `"Edit 1" and "Edit 2" run side by side and write ${root}/README.md; their changes are put together.`
      assert.deepStrictEqual(
        log.events().filter((event) => event.type !== "approval.requested" && event.type !== "approval.answered"),
        [{ type: "message", level: "warning", text: warning, code: "writers-of-one-file" }]
      )
      assert.strictEqual(log.events()[0]?.type, "message")
      assert.deepStrictEqual(
        approver.asked.flat().map(({ targets, task, warnings }) => [task, targets, warnings]),
        [
          ["Edit 1", [`${root}/README.md`], [warning]],
          ["Edit 2", [`${root}/README.md`], [warning]],
          ["Edit 2", [`${root}/other.md`], undefined]
        ]
      )
    })
  )

  it.effect("shows a change on top of what the tasks before it change, and of what is before it in its own task", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["decline", "decline"] })
      const { gate, root } = yield* openGate({ approver: approver.layer })
      const path = `${root}/README.md`
      const before = [{ path, base: "old\n", text: "between\n" }]
      const call = writing(path, "new\n")
      yield* approveCalls(gate, step("plan", { task: "Edit 1", gatedBy: "risk", calls: [call], others: before }))
      yield* approveCalls(
        gate,
        step("plan", { task: "Edit 2", gatedBy: "risk", calls: [{ ...call, project: before }, call] })
      )
      assert.deepStrictEqual(
        approver.asked.map((items) => items.map(({ diff }) => /^-(?!-)(.*)$/m.exec(diff ?? "")?.[1])),
        [["between"], ["between", "old"]]
      )
    })
  )

  it.effect("asks nothing about a task of the list whose only call a rule denies", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["decline"] })
      const { gate, root } = yield* openGate({
        approver: approver.layer,
        options: () => ({ rules: [deny("write_file", "src/**")] })
      })
      const about = (name: string) =>
        approveCalls(
          gate,
          step("plan", { task: "Edit 1", gatedBy: "list", calls: [writing(`${root}/${name}`, "new\n")] })
        )
      assert.deepStrictEqual(yield* about("src/a.ts"), { approved: true, by: "rule" })
      assert.deepStrictEqual(yield* about("README.md"), { approved: false, by: "person" })
      assert.strictEqual(approver.asked.length, 1)
    })
  )

  it.effect(
    "asks again about a call that was denied three times, and not about one that was left out of its step",
    () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ calls: ["deny", "deny", "deny"], steps: ["decline"] })
        const { answers, gate, root } = yield* openGate({ approver: approver.layer })
        const [denied, leftOut] = [writing(`${root}/README.md`, "new\n"), writing(`${root}/src/a.ts`, "new\n")]
        for (let times = 0; times < 3; times++) {
          yield* Effect.flip(gate.authorize(questionOfCall(inTask("Edit 1"), denied)))
        }
        answers.grants.addExcluded(questionOfCall(inTask("Edit 1"), leftOut))
        yield* approveCalls(gate, step("plan", editOf(denied, leftOut)))
        assert.deepStrictEqual(
          approver.asked.at(-1)?.map(({ targets }) => targets),
          [[`${root}/README.md`]]
        )
      })
  )

  for (const askFirst of [true, false]) {
    it.effect(`covers with "repairs" later changes only where checks follow: ${askFirst}`, () =>
      Effect.gen(function* () {
        const approver = scriptedApprover({ steps: ["repairs"], calls: ["deny"] })
        const { gate, root } = yield* openGate({ approver: approver.layer, options: () => ({ askFirst }) })
        const change = (content: string, found: string) => {
          const path = `${root}/new.md`
          return prepared("write_file", "high", [{ _tag: "WriteFile", path, inside: true, content, found }])
        }
        const first = change("one\n", "absent")
        yield* approveCalls(gate, step("plan", editOf(first)))
        yield* gate.authorize(questionOfCall(inTask("Edit 1"), first))
        const later = questionOfCall(inTask("Edit 1"), change("two\n", textHash("one\n")))
        assert.strictEqual(Result.isSuccess(yield* Effect.result(gate.authorize(later))), askFirst)
      })
    )
  }
})
