/** What the gate asks about the calls of a step, and what an answer to that covers. */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Approver, denyAll } from "../../../src/services/approvals/Approver.ts"
import { checksPlanKey, type GatedTask } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { PreparedCall } from "../../../src/domain/tools/ToolCall.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { allow, deny, inTask, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

const byPerson = { approved: true, by: "person" } as const
const byRule = { approved: true, by: "rule" } as const
const declined = { approved: false, by: "person" } as const

const editOf = (...calls: GatedTask["calls"]): GatedTask => ({ task: "Edit 1", gatedBy: "risk", calls })
const time = prepared("get_current_time", "safe")

/** A call that cannot be made any more. */
const gone = (call: PreparedCall, problem: string, risk = call.info.risk): GatedTask["calls"][number] => ({
  ...call,
  risk,
  accesses: [],
  problem
})

/** A gate whose person answers like this; `write` prepares a change of a file, `approve` asks for tasks of a step. */
const open = Effect.fnUntraced(function* (
  answers: Parameters<typeof scriptedApprover>[0],
  more: Omit<Parameters<typeof openGate>[0], "approver"> = {}
) {
  const approver = scriptedApprover(answers)
  const opened = yield* openGate({ ...more, approver: approver.layer })
  return {
    ...opened,
    asked: approver.asked,
    /** The targets that the last question was about. */
    lastTargets: () => approver.asked.at(-1)?.map(({ targets }) => targets.join().replace(`${opened.root}/`, "")),
    write: (name: string, content = "new\n") => writing(`${opened.root}/${name}`, content),
    approve: (planKey: string, ...tasks: ReadonlyArray<GatedTask>) =>
      approveCalls(opened.gate, { title: "Task section 1", planKey, tasks })
  }
})

nodeTest("asks once for all tasks and lets exactly the approved calls run", function* () {
  const { approve, asked, authorize, denial, log, root, write } = yield* open({
    steps: ["step"],
    calls: ["deny", "deny", "deny"]
  })
  const [change, read] = [write("README.md"), reading(`${root}/src/a.ts`)]
  const think: GatedTask = { task: "Think 1", gatedBy: "list", calls: [] }
  expect(yield* approve("plan", editOf(change, read), think)).toStrictEqual(byPerson)
  expect(asked.flat().map(({ task, tool }) => [task, tool])).toStrictEqual([
    ["Edit 1", "write_file"],
    ["Edit 1", "read_file"],
    ["Think 1", "none"]
  ])
  yield* authorize(change, "Edit 1")
  yield* authorize({ ...read, call: { ...read.call, uid: "another" } }, "Edit 1")
  expect(asked.length).toBe(1)
  yield* denial(write("README.md", "else\n"), "Edit 1")
  yield* denial({ ...change, accesses: write("src/a.ts").accesses }, "Edit 1")
  yield* denial(change, "Edit 2")
  expect(
    log.events().flatMap((event) => (event.type === "approval.answered" ? [[event.scope, event.answer]] : []))
  ).toStrictEqual([["step", "step"], ...[1, 2, 3].map(() => ["call", "deny"])])
})

nodeTest("shows a call that cannot be made any more, and grants nothing for it", function* () {
  const { approve, asked, authorize, denial, root, write } = yield* open({ steps: ["step"], calls: ["deny"] })
  const [change, lost] = [write("README.md"), write("src/a.ts")]
  const task = editOf(change, gone(lost, "The old_text does not occur.\nMore."))
  expect(yield* approve("plan", task)).toStrictEqual(byPerson)
  expect(asked.flat().map(({ call, targets, warnings }) => [call, targets, warnings])).toStrictEqual([
    [change.call, [`${root}/README.md`], undefined],
    [lost.call, [], ["This call cannot be made now, and will fail. The old_text does not occur."]]
  ])
  yield* authorize(change, "Edit 1")
  yield* denial(lost, "Edit 1")
})

nodeTest("asks about a task whose only call cannot be made any more, unless a rule denies it", function* () {
  const { approve, write } = yield* open({ steps: ["decline"] }, { options: () => ({ rules: [deny("run_command")] }) })
  const lost = (name: string) => {
    const { call, info, ...change } = write("README.md")
    return editOf(gone({ ...change, call: { ...call, name }, info: { ...info, name } }, "Gone.", change.risk))
  }
  expect(yield* approve("plan", lost("run_command"))).toStrictEqual(byRule)
  expect(yield* approve("plan", lost("write_file"))).toStrictEqual(declined)
})

nodeTest("asks again for another step, and not again for calls that were approved before", function* () {
  const { approve, asked, write } = yield* open({ steps: ["step", "step"] })
  yield* approve("plan", editOf(write("README.md")))
  expect(yield* approve("other", editOf(write("README.md")))).toStrictEqual(byRule)
  expect(asked.length).toBe(1)
  yield* approve("plan", editOf(write("README.md", "changed\n")))
  expect(asked.length).toBe(2)
})

nodeTest("lets chosen calls run and denies the others without another question, in later plans too", function* () {
  const { approve, asked, authorize, denial, lastTargets, log, root, write } = yield* open({
    steps: [{ chosen: [1, 3] }, "step"]
  })
  const calls = [write("README.md", "1\n"), write("src/a.ts", "2\n"), write("src/b.ts", "3\n")] as const
  expect(yield* approve("plan", editOf(...calls))).toStrictEqual(byPerson)
  yield* authorize(calls[0], "Edit 1")
  const denied = yield* denial(calls[1], "Edit 1")
  expect([denied.by, denied.message, denied.times]).toStrictEqual([
    "person",
    `Permission denied: a person denied write_file on ${root}/src/a.ts.`,
    1
  ])
  yield* authorize(calls[2], "Edit 1")
  expect(asked.length).toBe(1)
  expect(
    log.events().flatMap((event) => (event.type === "approval.answered" ? [[event.answer, event.chosen]] : []))
  ).toStrictEqual([["chosen", [1, 3]]])
  yield* approve("another", { ...editOf(...calls), task: "Edit 2" })
  expect(lastTargets()).toStrictEqual(["README.md", "src/b.ts"])
  yield* denial(calls[1], "Edit 2")
  /* The same file, of which something else is to become after the first call was made. */
  yield* denial(write("src/a.ts", "1 and 2\n"), "Edit 1")
  expect(asked.length).toBe(2)
})

nodeTest("says which rules would allow what nobody can be asked about, unless they are too many", function* () {
  const { gate, log, root } = yield* openGate({})
  const said = () =>
    log.events().flatMap((event) => (event.type === "message" ? [event.text.replaceAll(`${root}/`, "")] : []))
  const approve = (planKey: string, ...calls: GatedTask["calls"]) =>
    approveCalls(gate, { title: "Task section 1", planKey, tasks: [editOf(...calls)] })
  const many = ["a", "b", "c", "d", "e", "f"].map((name) => writing(`${root}/${name}`, "x\n"))
  const one = writing(`${root}/a.ts`, "x\n")
  yield* approve("many", ...many)
  yield* approve("broken", one, gone(one, "The old_text does not occur."))
  yield* approve(checksPlanKey, one)
  expect(said()).toStrictEqual([])
  yield* approve("most", ...many.slice(1))
  yield* approve("plan", one)
  expect(said().length).toBe(2)
  expect(said()[1] ?? "").toMatch(/^Nobody can be asked about ".*"\. These rules allow it: .*write_file:a\.ts/)
})

nodeTest("keeps what the user wants instead of a step, and whether the step only reads", function* () {
  const declining = Layer.succeed(Approver)({
    ...denyAll,
    step: () => Effect.succeed({ answer: "decline", by: "person", instead: "Wait." })
  })
  const { answers, gate, root } = yield* openGate({ approver: declining })
  const [read, write] = [reading(`${root}/src/a.ts`), writing(`${root}/README.md`, "new\n")]
  for (const calls of [[read], [read, write]]) {
    yield* approveCalls(gate, { title: "S", planKey: `plan of ${calls.length}`, tasks: [editOf(...calls)] })
  }
  expect((yield* answers.requestedChanges).map(({ instead, isRead }) => [instead, isRead])).toStrictEqual([
    ["Wait.", true],
    ["Wait.", undefined]
  ])
})

nodeTest("binds all remaining steps to the plan, and asks all the same for what is asked each time", function* () {
  const { approve, asked, authorize, lastTargets, write } = yield* open({
    steps: ["remaining", "decline"],
    calls: ["once"]
  })
  yield* approve("plan", editOf(write("README.md", "1\n")))
  expect(yield* approve("plan", editOf(write("README.md", "2\n"), write(".husky/pre-commit")))).toStrictEqual(byPerson)
  yield* authorize(write("README.md", "2\n"), "Edit 1")
  expect(asked.length).toBe(1)
  yield* authorize(write(".husky/pre-commit", "x\n"), "Edit 1")
  expect(lastTargets()).toStrictEqual([".husky/pre-commit"])
  expect(yield* approve("changed", editOf(write("README.md", "3\n")))).toStrictEqual(declined)
  expect(asked.length).toBe(3)
})

nodeTest("tells who declined and does not count it as a denial", function* () {
  const { answers, gate, root } = yield* openGate({})
  const tasks = [editOf(writing(`${root}/README.md`, "new\n"))]
  const answer = yield* approveCalls(gate, { title: "Task section 1", planKey: "plan", tasks })
  expect([answer, yield* answers.denials]).toStrictEqual([{ approved: false, by: "nobody" }, []])
})

nodeTest("needs no question for what rules allow, whoever gates the task, and asks about the others", function* () {
  const steps = Array.from({ length: 5 }, () => "step" as const)
  const { approve, asked, root, write } = yield* open(
    { steps },
    { options: () => ({ rules: [allow("write_file", "README.md")] }) }
  )
  const calls = [write("README.md"), time]
  const gates = ["risk", "list", "skill"] as const
  for (const gatedBy of gates) {
    expect(yield* approve("plan", { task: `Edit by ${gatedBy}`, gatedBy, calls })).toStrictEqual(byRule)
  }
  expect(asked.length).toBe(0)
  const uncovered = [...calls, reading(`${root}/src/a.ts`)]
  for (const gatedBy of gates) yield* approve("plan", { task: `Read by ${gatedBy}`, gatedBy, calls: uncovered })
  for (const gatedBy of ["list", "skill"] as const) {
    yield* approve("plan", { task: `Time by ${gatedBy}`, gatedBy, calls: [time] })
  }
  expect(asked.map((items) => items.map(({ tool }) => tool).join())).toStrictEqual([
    "get_current_time,read_file",
    "get_current_time,read_file",
    "write_file,get_current_time,read_file",
    "get_current_time",
    "get_current_time"
  ])
  expect(asked[0]?.at(-1)?.facts).toStrictEqual(["allowed by write_file:README.md: write_file README.md"])
})

const closed = { options: () => ({ rules: [deny("write_file", "src/**")] }) }

nodeTest("does not ask for what is denied or refused anyway, and approval does not let it run", function* () {
  const { approve, denial, lastTargets, write } = yield* open({ steps: ["remaining"] }, closed)
  const calls = [write("src/a.ts"), write(".git/config")]
  for (const gatedBy of ["risk", "list"] as const) {
    expect(yield* approve("plan", { task: "Edit 1", gatedBy, calls })).toStrictEqual(byRule)
  }
  yield* approve("plan", editOf(...calls, write("README.md")))
  expect(lastTargets()).toStrictEqual(["README.md"])
  for (const call of calls) yield* denial(call, "Edit 1")
})

nodeTest("warns before a step in which two tasks would write one file, and shows it with their calls", function* () {
  const { approve, asked, log, root, write } = yield* open({ steps: ["decline"] }, closed)
  const edit = (task: string, ...names: ReadonlyArray<string>): GatedTask => ({
    task,
    gatedBy: "risk",
    calls: names.map((name) => write(name, task))
  })
  yield* approve("plan", edit("Edit 1", "README.md", "src/a.ts"), edit("Edit 2", "README.md", "other.md", "src/a.ts"))
  const warning = `"Edit 1" and "Edit 2" run side by side and write ${root}/README.md; their changes are put together.`
  expect(log.events()[0]).toStrictEqual({
    type: "message",
    level: "warning",
    text: warning,
    code: "writers-of-one-file"
  })
  expect(asked.flat().map(({ targets, task, warnings }) => [task, targets, warnings])).toStrictEqual([
    ["Edit 1", [`${root}/README.md`], [warning]],
    ["Edit 2", [`${root}/README.md`], [warning]],
    ["Edit 2", [`${root}/other.md`], undefined]
  ])
})

nodeTest("shows a change on top of what the tasks before it, and the calls before it, change", function* () {
  const { approve, asked, root, write } = yield* open({ steps: ["decline", "decline"] })
  const before = [{ path: `${root}/README.md`, base: "old\n", text: "between\n" }]
  const call = write("README.md")
  yield* approve("plan", { ...editOf(call), others: before })
  yield* approve("plan", editOf({ ...call, project: before }, call))
  expect(asked.map((items) => items.map(({ diff }) => /^-(?!-)(.*)$/m.exec(diff ?? "")?.[1]))).toStrictEqual([
    ["between"],
    ["between", "old"]
  ])
})

nodeTest("asks again about a call that was denied three times, and not about one that was left out", function* () {
  const { answers, approve, denial, lastTargets, write } = yield* open({
    calls: ["deny", "deny", "deny"],
    steps: ["decline"]
  })
  for (const _ of [1, 2, 3]) yield* denial(write("README.md"), "Edit 1")
  answers.grants.addExcluded(questionOfCall(inTask("Edit 1"), write("src/a.ts")))
  yield* approve("plan", editOf(write("README.md"), write("src/a.ts")))
  expect(lastTargets()).toStrictEqual(["README.md"])
})

for (const askFirst of [true, false]) {
  nodeTest(`covers with "repairs" later changes only where checks follow: ${askFirst}`, function* () {
    const { approve, authorize, root } = yield* open(
      { steps: ["repairs"], calls: ["deny"] },
      { options: () => ({ askFirst }) }
    )
    const change = (content: string, found: string) =>
      prepared("write_file", "high", [{ _tag: "WriteFile", path: `${root}/new.md`, inside: true, content, found }])
    const first = change("one\n", "absent")
    yield* approve("plan", editOf(first))
    yield* authorize(first, "Edit 1")
    const later = yield* Effect.result(authorize(change("two\n", textHash("one\n")), "Edit 1"))
    expect(Result.isSuccess(later)).toBe(askFirst)
  })
}
