/**
 * What becomes of a call that a crash cut off: its files decide where they can, else the user does.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FileState, UncertainCall } from "../../../src/domain/journal/JournalRecord.ts"
import type { UncertainAnswer } from "../../../src/domain/permissions/Answer.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { resolveUncertain } from "../../../src/services/tools/UncertainCall.ts"
import { openGate } from "../../support/OpenGate.ts"
import { willingApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const intent = (root: string, files: ReadonlyArray<FileState>): UncertainCall => ({
  type: "intent",
  key: "call-1",
  seq: 1,
  call: { uid: "call-1", name: "write_file", arguments: {} },
  task: "Edit 1",
  effect: "once",
  targets: [`${root}/README.md`],
  files
})

/** The project holds `README.md` with `old\n` and `src/a.ts` with `a\n`. */
const decideAbout = Effect.fnUntraced(function* (
  files: (root: string) => ReadonlyArray<FileState>,
  approver = Approver.layerDenyAll
) {
  const { answers, gate, log, root } = yield* openGate({ approver })
  const decision = yield* Workspace.use((workspace) =>
    Effect.result(resolveUncertain(intent(root, files(root)), gate, workspace))
  ).pipe(Effect.provide(Workspace.layer(root)))
  return { decision, denials: yield* answers.denials, events: log.events() }
})

const [old, a, next] = ["old\n", "a\n", "new\n"].map(textHash) as [string, string, string]

const answered = (answer: UncertainAnswer) => decideAbout(() => [], willingApprover(answer))

describe("an uncertain call", () => {
  /* The files of the call: which one, its hash before the call, and after it. */
  type Files = ReadonlyArray<readonly [path: string, before: string, after: string | null]>
  const cases: ReadonlyArray<readonly [what: string, files: Files, expected: UncertainAnswer | undefined]> = [
    ["is made again when its file is as before", [["README.md", old, next]], "again"],
    ["was made when its file is as after it", [["README.md", next, old]], "done"],
    ["is made again when the text would be the same", [["README.md", old, old]], "again"],
    ["was made when its file is gone", [["gone.md", old, null]], "done"],
    [
      "goes on when one of several is as after it",
      [
        ["README.md", next, old],
        ["src/a.ts", a, next]
      ],
      "again"
    ],
    [
      "is asked about when one of several is neither",
      [
        ["README.md", next, old],
        ["src/a.ts", next, old]
      ],
      undefined
    ],
    ["is asked about when its file is neither", [["README.md", next, a]], undefined],
    ["is asked about when it writes no file", [], undefined]
  ]
  for (const [what, files, expected] of cases) {
    nodeTest(what, function* () {
      const { decision, denials, events } = yield* decideAbout((root) =>
        files.map(([path, before, after]) => ({ path: `${root}/${path}`, before, after }))
      )
      if (expected === undefined) {
        expect(decision._tag).toBe("Failure")
        expect(denials[0]).toMatchObject({ by: "nobody", tool: "write_file" })
        expect(denials[0]?.message).toContain("resume --in-doubt")
      } else {
        expect(Result.getOrUndefined(decision)).toStrictEqual(expected)
        expect([denials, events]).toStrictEqual([[], []])
      }
    })
  }

  nodeTest("is decided by the user where its files do not tell", function* () {
    for (const answer of ["again", "done"] as const) {
      const { decision, denials } = yield* answered(answer)
      expect([Result.getOrUndefined(decision), denials]).toStrictEqual([answer, []])
    }
    const { denials, events } = yield* answered("stop")
    expect(denials.map(({ by, reason }) => [by, reason])).toStrictEqual([["person", undefined]])
    expect(events.map(({ type }) => type)).toStrictEqual(["approval.requested", "approval.answered"])
  })
})
