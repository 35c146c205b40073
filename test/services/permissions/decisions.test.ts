/**
 * Decisions of the gate that no wording shows: by what a call is allowed, what is kept of a no, which rules a removal needs.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approver, denyAll } from "../../../src/services/approvals/Approver.ts"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import { ProjectWriteLock } from "../../../src/services/files/ProjectWriteLock.ts"
import {
  changesProject,
  changesSomething,
  deniedOf,
  onlyReads,
  questionOfAccess,
  questionOfCall,
  questionOfReading,
  toolsWithEffect
} from "../../../src/services/permissions/GateQuestion.ts"
import { allow, inTask, openGate, prepared, reading, writing } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

it("takes rules for removals only for what removes a file", () => {
  const write = { _tag: "WriteFile", path: "a.md", inside: true, content: "" } as const
  const tools = ["write_file", "edit_file", "read_file"]
  expect(toolsWithEffect(write)).toStrictEqual(tools)
  expect(toolsWithEffect({ ...write, removes: true })).toStrictEqual([...tools, "remove_file"])
})

it("knows of each kind of access whether it changes something, and whether it only reads", () => {
  const command = { _tag: "RunCommand", argv: ["make"], cwd: "/p", sandboxed: true, sandbox: "" } as const
  const file = { path: "/p/a.md", inside: true } as const
  const other = { _tag: "Other", target: "a table", words: "reads or changes a table" } as const
  const rows: ReadonlyArray<readonly [CanonicalAccess, something: boolean, project: boolean, reads: boolean]> = [
    [{ _tag: "ReadFile", ...file }, false, false, true],
    [{ _tag: "WriteFile", ...file, content: "" }, true, true, false],
    [{ _tag: "FetchUrl", url: "https://example.com/" }, false, false, true],
    [{ _tag: "Host", host: "example.com" }, false, false, true],
    [command, true, true, false],
    [{ ...command, onCopy: true }, true, false, false],
    [{ ...other, changes: false }, false, false, true],
    [{ ...other, changes: true }, true, true, false],
    [{ _tag: "LoadPlugin", name: "a", path: "/a", hash: "" }, false, false, false],
    [{ _tag: "StartServer", name: "a", does: [], hash: "" }, false, false, false]
  ]
  for (const [access, ...expected] of rows) {
    const question = questionOfAccess(inTask("T"), access)
    const judged = [changesSomething(question), changesProject(question), onlyReads(question)]
    expect(judged, JSON.stringify(access)).toStrictEqual(expected)
  }
  const reads = questionOfCall(inTask("T"), reading("/p/a.md"))
  expect(changesProject({ ...reads, mayChange: true })).toBe(true)
  expect(changesProject({ ...reads, mayChange: true, isProposal: true })).toBe(false)
  expect(onlyReads({ ...reads, mayChange: true })).toBe(false)
})

it("counts a denial as one of a look only where nothing would change", () => {
  const denied = [
    questionOfCall(inTask("T"), reading("/p/a.md")),
    questionOfCall(inTask("T"), writing("/p/a.md", "")),
    questionOfReading(inTask("T"), "/p/a.md", "edit_file")
  ].map((question) => deniedOf(question, "person"))
  expect(denied.map(({ isRead, tool }) => [tool, isRead])).toStrictEqual([
    ["read_file", true],
    ["write_file", undefined],
    ["edit_file", undefined]
  ])
})

nodeTest("claims the project for what changes it and may be allowed, and for nothing else", function* () {
  let claims = 0
  const lock = Layer.succeed(ProjectWriteLock)({
    claim: () => Effect.sync(() => (++claims === 2 ? "would change something, and somebody else does" : undefined)),
    release: Effect.void
  })
  const approver = scriptedApprover({ calls: ["once", "once"] })
  const { authorize, denial, gate, root } = yield* openGate({ approver: approver.layer, lock })
  const change = writing(`${root}/README.md`, "new\n")
  yield* authorize(reading(`${root}/README.md`))
  yield* denial(writing("/elsewhere.md", "new\n", false))
  yield* gate.authorize({ ...questionOfCall(inTask("T"), change), isProposal: true })
  expect(claims).toBe(0)
  yield* authorize(change)
  expect(claims).toBe(1)
  expect((yield* denial(change)).message).toBe(
    `Permission denied: write_file on ${root}/README.md would change something, and somebody else does.`
  )
  expect([claims, approver.asked.length]).toStrictEqual([2, 2])
})

nodeTest("ends a task that comes for the third time with a call that was left out of its step", function* () {
  const { answers, denial, root } = yield* openGate({ approver: scriptedApprover({}).layer })
  const change = writing(`${root}/README.md`, "new\n")
  answers.grants.addExcluded(questionOfCall(inTask("T"), change))
  const denials = yield* Effect.forEach([1, 2, 3, 4], () => denial(change))
  expect(denials.map(({ endsTask, times }) => [times, endsTask])).toStrictEqual(
    [1, 2, 3, 3].map((times) => [times, times === 3])
  )
})

nodeTest("says by what a call is allowed: a rule before an answer, an answer before its risk", function* () {
  const { authorize, gate, root } = yield* openGate({
    approver: scriptedApprover({ calls: ["once", "once", "once"] }).layer,
    options: (folder) => ({
      rules: [{ ...allow("write_file", `${folder}/README.md`), source: "a flag", scope: "given" }]
    })
  })
  for (const [call, by] of [
    [writing(`${root}/README.md`, "new\n"), "rules"],
    [prepared("get_current_time", "safe"), "risk"]
  ] as const) {
    const decided = gate.decide(questionOfCall(inTask("Edit 1"), call))
    expect(yield* decided).toMatchObject({ _tag: "Allow", by })
    yield* authorize(call, "Edit 1")
    expect(yield* decided).toMatchObject({ _tag: "Allow", by })
  }
})

nodeTest("denies where nobody can be asked, unless a flag answers", function* () {
  const decisions = yield* Effect.forEach([undefined, true, false], (leaves) =>
    Effect.gen(function* () {
      const given = leaves === undefined ? {} : { leaves: () => leaves }
      const approver = Layer.succeed(Approver)({ ...denyAll, canAsk: Effect.succeed(false), ...given })
      const { gate, root } = yield* openGate({ approver })
      return (yield* gate.decide(questionOfCall(inTask("T"), writing(`${root}/README.md`, "new\n"))))._tag
    })
  )
  expect(decisions).toStrictEqual(["Deny", "Deny", "Ask"])
})

nodeTest("keeps of a no what the user wants instead, and whether the call only reads", function* () {
  const declining = Layer.succeed(Approver)({
    ...denyAll,
    call: () => Effect.succeed({ answer: "deny", by: "person", instead: "Wait." })
  })
  const { answers, denial, root } = yield* openGate({ approver: declining })
  yield* denial(reading(`${root}/../outside.md`, false))
  yield* denial(writing(`${root}/README.md`, "new\n"))
  expect((yield* answers.requestedChanges).map(({ instead, isRead }) => [instead, isRead])).toStrictEqual([
    ["Wait.", true],
    ["Wait.", undefined]
  ])
})
