/**
 * What the user is shown of a question: changes that have no text, and calls of which nobody knows whether they happened.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { symlink } from "node:fs/promises"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { UncertainCall } from "../../../src/domain/journal/JournalRecord.ts"
import { Approver, denyAll, stopAtUncertain } from "../../../src/services/approvals/Approver.ts"
import { openGate, prepared } from "../../support/OpenGate.ts"
import { makeProject } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

describe("the question about a change", () => {
  nodeTest("shows where a link leads that is removed, and nothing of a file that it leads to", function* () {
    const root = yield* makeProject({ "README.md": "old\n" })
    yield* Effect.promise(() => symlink("README.md", `${root}/link.md`))
    const approver = scriptedApprover({ calls: ["once"] })
    const { authorize } = yield* openGate({ approver: approver.layer, root })
    const path = `${root}/link.md`
    const holds = { path, is: "link", state: "s", leads: "README.md", size: 9, isText: false } as const
    const removal = { path, inside: true, content: "", removes: true, holds } as const
    const access: CanonicalAccess = { _tag: "WriteFile", ...removal }
    yield* authorize(prepared("remove_file", "high", [access]))
    assert.include(approver.asked[0]?.[0]?.preview ?? "", "-README.md")
    assert.include(approver.asked[0]?.[0]?.diff ?? "", "link.md")
    const again = scriptedApprover({ calls: ["once"] })
    const other = yield* openGate({ approver: again.layer, root })
    const kept = { ...removal, path: `${root}/README.md`, removes: false, content: "new\n" } as const
    yield* other.authorize(prepared("write_file", "high", [{ _tag: "WriteFile", ...kept }]))
    assert.include(again.asked[0]?.[0]?.preview ?? "", "+new")
  })
})

describe("the question about a folder", () => {
  nodeTest("lists what goes with it, with sizes and links, and says how much is not listed", function* () {
    const approver = scriptedApprover({ calls: ["once"] })
    const { authorize, root } = yield* openGate({ approver: approver.layer })
    const folder = `${root}/old`
    const removal = (at: number, leads?: string): CanonicalAccess => {
      const path = `${folder}/${String(at).padStart(2, "0")}`
      const is = leads === undefined ? ("file" as const) : ("link" as const)
      const entry = { path, is, state: "s", size: 2048, isText: true, ...(leads !== undefined && { leads }) }
      return { _tag: "WriteFile", path, inside: true, content: "", removes: true, folder, holds: entry }
    }
    const accesses = [removal(0), removal(1, "README.md"), ...Array.from({ length: 40 }, (_, at) => removal(at + 2))]
    yield* authorize(prepared("remove_file", "high", accesses))
    const lines = (approver.asked[0]?.[0]?.preview ?? "").split("\n")
    assert.deepStrictEqual(lines.slice(0, 2), ["old/00 (2 kB)", "old/01 (a link)"])
    assert.deepStrictEqual([lines.length, lines.at(-1)], [41, "(2 more files are not shown)"])
  })
})

interface Shown {
  readonly files?: UncertainCall["files"]
  readonly note?: string
}

describe("the question whether a call happened", () => {
  const shown = Effect.fnUntraced(function* (name: string, targets: ReadonlyArray<string>, more: Shown = {}) {
    const asked: Array<ApprovalItem> = []
    const approver = Layer.succeed(Approver)({
      ...denyAll,
      inDoubt: (item) => Effect.suspend(() => (asked.push(item), stopAtUncertain))
    })
    const { gate, root } = yield* openGate({ approver, options: () => ({ uncertainNote: more.note }) })
    const call = { uid: "1", name, arguments: {} }
    const paths = targets.map((target) => `${root}/${target}`)
    const whole = { type: "intent", key: "k", task: "T", effect: "once", seq: 1, call, targets: paths } as const
    yield* gate.ask({ scope: "doubt", intent: { ...whole, files: more.files ?? [] } })
    return asked[0]
  })

  nodeTest("names a command as one types it, and another tool with its targets", function* () {
    const command = yield* shown("run_command", ["make"])
    assert.deepStrictEqual([command?.words?.does, command?.words?.command], ["run a command", "make"])
    const send = yield* shown("send", ["a", "b"])
    assert.deepStrictEqual([send?.words?.does, send?.words?.command], ["use send on a, b", undefined])
    assert.strictEqual((yield* shown("send", []))?.words?.does, "use send")
  })

  nodeTest("warns of a file that is neither old nor new, and says what holds on several machines", function* () {
    const note = "Another machine may still make it."
    assert.lengthOf((yield* shown("send", []))?.warnings ?? [], 1)
    const more = yield* shown("send", [], { files: [{ path: "a.md", before: "1", after: "2" }], note })
    assert.deepStrictEqual(more?.warnings?.slice(1), [
      "A file that it writes is neither as it was before the call nor as the call would leave it.",
      note
    ])
  })
})
