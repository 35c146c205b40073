import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plainTask } from "../../../../src/domain/plan/Task.ts"
import { briefing, openStages } from "../../../support/OpenStages.ts"
import { resultSaying } from "../../../support/TestRun.ts"

const files = {
  "src/limit.ts": "export const getLimit = () => 5\nexport const other = 1\nif (text.length > getMost()) cut()\n",
  "src/use.ts": 'import { getLimit } from "./limit.ts"\nprint(getLimit())\n  if (text.length > getMost()) cut()\n',
  "src/own.ts": "const getLimit = 1\nprint(getLimit)\n",
  "docs/use.md": "Call `getLimit`.\n"
}
const block = (path: string, old: string, text: string): string =>
  `${path}\n<<<<<<< OLD\n${old}\n=======\n${text}\n>>>>>>> NEW\n`
const task = plainTask("Edit 1", "edit-files", "Rename it.", "The change.")

/** What the host says is still there after each change. */
const stillPresent = Effect.fnUntraced(function* (...changes: ReadonlyArray<string>) {
  const { taskAgent, messages } = yield* openStages({ answers: [...changes, resultSaying("It is done.")], files })
  yield* taskAgent.work({ briefing, task, round: 1, step: 0, finished: [] })
  return messages
    .slice(1)
    .map((all) => /^## Still present\n\n([^]*?)\n\n## /m.exec(all.at(-1) ?? "")?.[1]?.split("\n") ?? [])
})

layer(NodeServices.layer)("after changes", (it) => {
  it.effect("the host names the places that use a name which is gone, but not those where it means another thing", () =>
    Effect.gen(function* () {
      const rename = block("src/limit.ts", "export const getLimit = () => 5", "export const readLimit = () => 5")
      const next = block("src/use.ts", "print(getLimit())", "print(readLimit())")
      expect(yield* stillPresent(rename, next)).toEqual([
        ["- `getLimit`, which your change renamed or removed: docs/use.md:1, src/use.ts:1, src/use.ts:2"],
        []
      ])
    })
  )

  it.effect("the host names lines that equal a replaced one", () =>
    Effect.gen(function* () {
      const change = block("src/limit.ts", "if (text.length > getMost()) cut()", "if (text.length >= getMost()) cut()")
      expect(yield* stillPresent(change)).toEqual([
        ["- `if (text.length > getMost()) cut()`, a line that your change replaced: src/use.ts:3"]
      ])
    })
  )

  it.effect(
    "the host says nothing when a replacement reached all places but those to leave out, or nothing was taken away",
    () =>
      Effect.gen(function* () {
        expect(yield* stillPresent('{"replace": "getLimit", "with": "readLimit"}')).toEqual([[]])
        for (const except of ["docs/use.md:1", "docs/use.md"]) {
          const replaced = JSON.stringify({ replace: "getLimit", with: "readLimit", except: [except] })
          expect(yield* stillPresent(replaced)).toEqual([[]])
        }
        expect(yield* stillPresent(block("src/limit.ts", "export const other = 1", "export const other = 2"))).toEqual([
          []
        ])
      })
  )
})
