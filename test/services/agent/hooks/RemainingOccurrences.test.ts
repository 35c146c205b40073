import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ProposedFile } from "../../../../src/domain/files/ProposedFile.ts"
import { plainTask } from "../../../../src/domain/plan/Task.ts"
import { makeRemainingOccurrences } from "../../../../src/services/agent/hooks/RemainingOccurrences.ts"
import { turnOf } from "../../../support/AgentWork.ts"
import { nodeTest } from "../../../support/nodeTest.ts"
import { briefing, openStages } from "../../../support/OpenStages.ts"
import { resultSaying } from "../../../support/TestRun.ts"

const files = {
  "src/limit.ts": "export const getLimit = () => 5\nif (text.length > getMost()) cut()\n",
  "src/use.ts": 'import { getLimit } from "./limit.ts"\nprint(getLimit())\n  if (text.length > getMost()) cut()\n',
  "src/own.ts": "const getLimit = 1\nprint(getLimit)\n",
  "docs/use.md": "Call `getLimit`.\n"
}
const base = files["src/limit.ts"]
const limit = (text: string): ProposedFile => ({ path: "src/limit.ts", base, text })
const renamed = limit(base.replace("getLimit", "readLimit"))

/** What the program says after this change, where the answer leaves out these places itself. */
const remaining = Effect.fnUntraced(function* (changed: ProposedFile, ...except: ReadonlyArray<string>) {
  const { within } = yield* openStages({ files: { ...files, [changed.path]: changed.text ?? "" } })
  const { afterChanges } = yield* within(makeRemainingOccurrences)
  const replacement = { _tag: "Replace", pattern: "getLimit", with: "readLimit", except, line: 1 } as const
  const turn = turnOf({ content: { changes: except.length === 0 ? [] : [replacement] } })
  return yield* afterChanges?.(turn, [changed]) ?? Effect.succeed([])
})

const blockOf = (path: string, old: string, text: string) =>
  `${path}\n<<<<<<< OLD\n${old}\n=======\n${text}\n>>>>>>> NEW\n`

describe("remaining occurrences", () => {
  nodeTest("are uses of a name that is gone, and lines that equal a replaced one", function* () {
    const gone = "- `getLimit`, which your change renamed or removed:"
    expect(yield* remaining(renamed)).toEqual([`${gone} docs/use.md:1, src/use.ts:1, src/use.ts:2`])
    expect(yield* remaining(renamed, "docs/use.md")).toEqual([`${gone} src/use.ts:1, src/use.ts:2`])
    expect(yield* remaining(limit(base.replace(" > ", " >= ")))).toEqual([
      "- `if (text.length > getMost()) cut()`, a line that your change replaced: src/use.ts:3"
    ])
    expect(yield* remaining(limit(`${base}more()\n`))).toEqual([])
  })

  nodeTest("are told to the model after each change", function* () {
    const rename = blockOf("src/limit.ts", "export const getLimit = () => 5", "export const readLimit = () => 5")
    const next = blockOf("src/use.ts", "print(getLimit())", "print(readLimit())")
    const { taskAgent, messages } = yield* openStages({ answers: [rename, next, resultSaying("It is done.")], files })
    const task = plainTask("Edit 1", "edit-files", "Rename it.", "The change.")
    yield* taskAgent.work({ briefing, task, round: 1, step: 0, finished: [] })
    const told = messages.slice(1).map((all) => /^## Still present\n\n([^]*?)\n\n## /m.exec(all.at(-1) ?? "")?.[1])
    expect(told).toEqual([
      "- `getLimit`, which your change renamed or removed: docs/use.md:1, src/use.ts:1, src/use.ts:2",
      undefined
    ])
  })
})
