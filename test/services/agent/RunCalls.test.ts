/** What becomes of the calls of a turn: who is asked and told, what was changed, and what the program finds out about it. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ProposedFile } from "../../../src/domain/files/ProposedFile.ts"
import { fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import type { ToolCall } from "../../../src/domain/tools/ToolCall.ts"
import type { AgentHook } from "../../../src/services/agent/AgentHook.ts"
import { makeCallRunner } from "../../../src/services/agent/RunCalls.ts"
import type { AgentWork, Assignment } from "../../../src/services/agent/Session.ts"
import { Checks } from "../../../src/services/checks/Checks.ts"
import { CurrentCopy, makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { agentPrompt, checkEnding, turnOf, workOf } from "../../support/AgentWork.ts"
import { openStages, type OpenStages } from "../../support/OpenStages.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const files = { "src/limit.ts": "export const limit = 5\n" }
const read = (path: string, uid = "call-1"): ToolCall => ({ uid, name: "read_file", arguments: { path } })
const edit: ToolCall = {
  uid: "call-2",
  name: "edit_file",
  arguments: { path: "src/limit.ts", old_text: "limit = 5", new_text: "limit = 6" }
}
const editOf = (old_text: string, new_text: string, uid: string): ToolCall => ({
  uid,
  name: "edit_file",
  arguments: { path: "src/long.ts", old_text, new_text }
})
const ranged = (start_line: number, end_line: number, path = "src/long.ts") => ({
  ...read(path, `call-${start_line}`),
  arguments: { path, start_line, end_line }
})
const now: ToolCall = { uid: "call-3", name: "get_current_time", arguments: {} }
const passed = checkEnding(0)

interface Ran {
  readonly assignment?: Partial<Assignment>
  readonly turn?: Parameters<typeof turnOf>[0]
  readonly hooks?: ReadonlyArray<AgentHook>
  readonly settings?: NonNullable<OpenStages["settings"]>
  readonly files?: NonNullable<OpenStages["files"]>
}

const uids = (all: ReadonlyArray<ToolCall>): string => all.map(({ uid }) => uid).join(" ")

/** Runs calls, with everything that the work, the hooks and the checks were told of them. */
const run = Effect.fnUntraced(function* (
  calls: ReadonlyArray<ToolCall>,
  { assignment, hooks = [], turn, ...more }: Ran = {}
) {
  const checked: Array<ReadonlyArray<string>> = []
  const checks = Layer.succeed(Checks)(
    Checks.of({
      commandsFor: () => Effect.succeed([]),
      tryOut: Effect.void,
      run: (_, paths) =>
        Effect.sync(() => {
          checked.push(paths)
          return [passed]
        })
    })
  )
  const { compaction, within } = yield* openStages({
    files,
    ...more,
    checks
  })
  const copy = makeWorkingCopy()
  const told: Array<unknown> = []
  const note = (...what: ReadonlyArray<unknown>) => Effect.sync(() => void told.push(what))
  const parts: Partial<AgentWork<string>> = {
    announce: (number, all, paths) => note("announce", number, uids(all), paths),
    approve: (all) => note("approve", uids(all)),
    prompt: {
      ...agentPrompt,
      folderInstructions: (number, paths, budget) =>
        Effect.as(note("instructions", number, paths, budget), "## Instructions")
    }
  }
  const work = workOf({ copy, tools: ["read_file", "edit_file"], ...assignment }, parts)
  const session = { messages: [fromHost("Begin.")], ...turn?.session }
  const { runCalls, targetOf } = yield* within(makeCallRunner(hooks, compaction))
  const target = targetOf(work.assignment)
  const results = yield* Effect.provideService(
    runCalls(turnOf({ ...turn, work, session }), calls),
    CurrentCopy,
    target === "project" ? undefined : target
  )
  return { checked, copy, results, told, budget: compaction.replyBudget(work, session.messages) }
})

describe("the calls of a turn", () => {
  nodeTest("are announced, approved and made under uids of the turn", function* () {
    const content = {
      changes: [
        { _tag: "Remove", path: "old.ts", line: 1 } as const,
        { _tag: "Remove", path: "old.ts", line: 1 } as const
      ]
    }
    const { budget, checked, results, told } = yield* run([read("src/limit.ts"), now], { turn: { content } })
    expect(results.outcomes.map(({ call, result }) => [call.uid, result.success])).toStrictEqual([
      ["turn-2/call-1", true],
      ["turn-2/call-3", true]
    ])
    expect(told).toStrictEqual([
      ["announce", 2, "turn-2/call-1 turn-2/call-3", ["old.ts"]],
      ["approve", "turn-2/call-1 turn-2/call-3"],
      ["instructions", 2, ["src/limit.ts"], budget / 2]
    ])
    expect([results.hasChanged, results.changedFiles, checked]).toStrictEqual([false, [], []])
    expect([results.denied, results.files]).toStrictEqual([undefined, []])
  })

  nodeTest("read the lines that the model was shown, though the same answer moves them", function* () {
    const lines = Array.from({ length: 9 }, (_, at) => `line ${at + 1}`)
    const changes = [editOf("line 2\n", "line 2\nnew\nnew\n", "call-a"), editOf("line 5\nline 6\n", "", "call-b")]
    const below = [ranged(1, 2), ranged(3, 4), ranged(7, 9), ranged(8, 8, "src/other.ts")]
    const more = { files: { "src/long.ts": `${lines.join("\n")}\n`, "src/other.ts": lines.join("\n") } }
    const { results } = yield* run([ranged(6, 6), ...changes, ...below], more)
    const rows = results.outcomes.map(({ result }) => String(result.data).replace(/\n\n\([^]*/, ""))
    expect(rows.filter((row) => !row.startsWith("[object"))).toStrictEqual([
      "6: line 6",
      "1: line 1\n2: line 2",
      "5: line 3\n6: line 4",
      "7: line 7\n8: line 8\n9: line 9",
      "8: line 8"
    ])
  })

  nodeTest("are nothing to announce when there is none, and the last checks still hold", function* () {
    const { results, told } = yield* run([], { turn: { session: { checks: [passed] } } })
    expect(told).toStrictEqual([])
    expect([results.outcomes, results.checks, results.hasChanged]).toStrictEqual([[], [passed], false])
  })

  nodeTest("that change the copy are not approved, and their changes are looked at by the hooks", function* () {
    const seen: Array<ReadonlyArray<ProposedFile>> = []
    const hooks: ReadonlyArray<AgentHook> = [
      {},
      {
        afterChanges: (_, changed) =>
          Effect.as(
            Effect.sync(() => void seen.push(changed)),
            ["- `limit` is left."]
          )
      }
    ]
    const { checked, copy, results, told } = yield* run([edit], { hooks })
    expect(told[1]).toStrictEqual(["approve", ""])
    expect(results.hasChanged).toBe(true)
    expect(results.remaining).toStrictEqual(["- `limit` is left."])
    expect(seen).toStrictEqual([results.changedFiles])
    expect(results.changedFiles.map(({ path }) => path)).toStrictEqual(["src/limit.ts"])
    expect(copy.files()[0]?.text).toBe("export const limit = 6\n")
    // No command can see a working copy here.
    expect(checked).toStrictEqual([])
    const without = yield* run([read("src/limit.ts")], { hooks })
    expect([without.results.remaining, seen.length]).toStrictEqual([[], 1])
  })

  nodeTest("that change the project itself are asked about, noted, and checked with earlier ones", function* () {
    const earlier = { path: "src/other.ts", insertions: 1, deletions: 0, kind: "changed" as const }
    const { checked, results, told } = yield* run([edit], {
      settings: { askFirst: true },
      turn: { session: { files: [earlier] } }
    })
    expect(told[1]).toStrictEqual(["approve", "turn-2/call-2"])
    expect(results.hasChanged).toBe(true)
    expect(results.files.map(({ path }) => path)).toStrictEqual(["src/limit.ts"])
    expect([checked, results.checks]).toStrictEqual([[["src/other.ts", "src/limit.ts"]], [passed]])
  })

  nodeTest("bring the instructions for files that the answer names, while another answer can follow", function* () {
    const content = { calls: [read("docs/a.md")] }
    const { results, told } = yield* run([], { turn: { content, left: 1 } })
    expect([results.folderInstructions, told.length]).toStrictEqual(["## Instructions", 1])
    const last = yield* run([], { turn: { content, left: 0 } })
    expect([last.results.folderInstructions, last.told]).toStrictEqual(["", []])
    const pathless = yield* run([], { turn: { content: { calls: [now] } } })
    expect([pathless.results.folderInstructions, pathless.told]).toStrictEqual(["", []])
  })
})
