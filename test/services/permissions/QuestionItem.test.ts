/**
 * What the user is shown of a question: changes that have no text, and calls of which nobody knows whether they happened.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { symlink } from "node:fs/promises"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import type { UncertainCall } from "../../../src/domain/journal/JournalRecord.ts"
import { Approver, denyAll, stopAtUncertain } from "../../../src/services/approvals/Approver.ts"
import { questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { inTask, openGate, prepared } from "../../support/OpenGate.ts"
import { makeProject } from "../../support/Project.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"

layer(NodeServices.layer)("the question about a change", (it) => {
  it.effect("shows where a link leads that is removed, and nothing of a file that it leads to", () =>
    Effect.gen(function* () {
      const root = yield* makeProject({ "README.md": "old\n" })
      yield* Effect.promise(() => symlink("README.md", `${root}/link.md`))
      const approver = scriptedApprover({ calls: ["once"] })
      const { gate } = yield* openGate({ approver: approver.layer, root })
      const holds = {
        path: `${root}/link.md`,
        is: "link",
        state: "s",
        leads: "README.md",
        size: 9,
        isText: false
      } as const
      const removal = { path: `${root}/link.md`, inside: true, content: "", removes: true, holds } as const
      const access: CanonicalAccess = { _tag: "WriteFile", ...removal }
      yield* gate.authorize(questionOfCall(inTask("T"), prepared("remove_file", "high", [access])))
      assert.include(approver.asked[0]?.[0]?.preview ?? "", "-README.md")
      assert.include(approver.asked[0]?.[0]?.diff ?? "", "link.md")
      const again = scriptedApprover({ calls: ["once"] })
      const other = yield* openGate({ approver: again.layer, root })
      const kept = { ...removal, path: `${root}/README.md`, removes: false, content: "new\n" } as const
      yield* other.gate.authorize(
        questionOfCall(inTask("T"), prepared("write_file", "high", [{ _tag: "WriteFile", ...kept }]))
      )
      assert.include(again.asked[0]?.[0]?.preview ?? "", "+new")
    })
  )
})

layer(NodeServices.layer)("the question about a folder", (it) => {
  it.effect("lists what goes with it, with sizes and links, and says how much is not listed", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once"] })
      const { gate, root } = yield* openGate({ approver: approver.layer })
      const folder = `${root}/old`
      const removal = (at: number, leads?: string): CanonicalAccess => {
        const path = `${folder}/${String(at).padStart(2, "0")}`
        const is = leads === undefined ? ("file" as const) : ("link" as const)
        const entry = { path, is, state: "s", size: 2048, isText: true, ...(leads !== undefined && { leads }) }
        return { _tag: "WriteFile", path, inside: true, content: "", removes: true, folder, holds: entry }
      }
      const accesses = [removal(0), removal(1, "README.md"), ...Array.from({ length: 40 }, (_, at) => removal(at + 2))]
      yield* gate.authorize(questionOfCall(inTask("T"), prepared("remove_file", "high", accesses)))
      const lines = (approver.asked[0]?.[0]?.preview ?? "").split("\n")
      assert.deepStrictEqual(lines.slice(0, 2), ["old/00 (2 kB)", "old/01 (a link)"])
      assert.deepStrictEqual([lines.length, lines.at(-1)], [41, "(2 more files are not shown)"])
    })
  )
})

const call = (name: string) => ({ uid: "1", name, arguments: {} })

layer(NodeServices.layer)("the question whether a call happened", (it) => {
  const shown = Effect.fnUntraced(function* (
    intent: Pick<UncertainCall, "call" | "files" | "targets">,
    doubtNote?: string
  ) {
    const asked: Array<ApprovalItem> = []
    const approver = Layer.succeed(Approver)({
      ...denyAll,
      inDoubt: (item) =>
        Effect.andThen(
          Effect.sync(() => void asked.push(item)),
          stopAtUncertain
        )
    })
    const { gate, root } = yield* openGate({ approver, options: () => ({ uncertainNote: doubtNote }) })
    const whole = { type: "intent", key: "k", task: "T", effect: "once", seq: 1, ...intent } as const
    yield* gate.ask({ scope: "doubt", intent: { ...whole, targets: intent.targets.map((name) => `${root}/${name}`) } })
    return asked[0]
  })

  it.effect("names a command as one types it, and another tool with its targets", () =>
    Effect.gen(function* () {
      const command = yield* shown({ call: call("run_command"), files: [], targets: ["make"] })
      assert.deepStrictEqual([command?.words?.does, command?.words?.command], ["run a command", "make"])
      const send = yield* shown({ call: call("send"), files: [], targets: ["a", "b"] })
      assert.deepStrictEqual([send?.words?.does, send?.words?.command], ["use send on a, b", undefined])
      const nothing = yield* shown({ call: call("send"), files: [], targets: [] })
      assert.strictEqual(nothing?.words?.does, "use send")
    })
  )

  it.effect("warns of a file that is neither old nor new, and says what holds on several machines", () =>
    Effect.gen(function* () {
      const file = { path: "a.md", before: "1", after: "2" }
      assert.lengthOf((yield* shown({ call: call("send"), files: [], targets: [] }))?.warnings ?? [], 1)
      const more = yield* shown(
        { call: call("send"), files: [file], targets: [] },
        "Another machine may still make it."
      )
      assert.deepStrictEqual(more?.warnings?.slice(1), [
        "A file that it writes is neither as it was before the call nor as the call would leave it.",
        "Another machine may still make it."
      ])
    })
  )
})
