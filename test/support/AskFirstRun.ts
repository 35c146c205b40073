/** A run with `--ask-first` whose model edits files, and what was asked about. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "./KeptRun.ts"
import { scriptedApprover } from "./ScriptedApprover.ts"
import { stageName } from "./stageName.ts"
import { answerIn, planOf, refinementWith, resultSaying } from "./TestRun.ts"

export const text = "one\ntwo\nthree\n"

export const edit = (old: string, now: string, path = "a.txt") =>
  refinementWith([{ name: "edit_file", arguments: { path, old_text: old, new_text: now } }])

/** A model whose task gives these answers, whatever comes of them. */
export const model =
  (...turns: ReadonlyArray<string>) =>
  (prompt: FilledPrompt): string => {
    const turn = prompt.user.split(/^## Now$/m).length - 2
    const said = turns[turn] ?? resultSaying("Edited.")
    const creation = planOf([[{ name: "Edit", skill: "edit-files" }]])
    return answerIn(stageName(prompt), { creation, refinement: said, execution: said })
  }

export const makeRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: "Change it." })
  yield* fs.writeFileString(`${run.project}/a.txt`, text)
  yield* fs.writeFileString(`${run.project}/b.txt`, text)
  yield* fs.writeFileString(`${run.project}/check.sh`, `${notBroken}\n`)
  const read = (name: string) => Effect.orElseSucceed(fs.readFileString(`${run.project}/${name}`), () => "none")
  return { ...run, fs, read }
})

/** A command of a shell that fails when the change that breaks was made. */
export const notBroken = "case $(cat a.txt) in *broken*) echo broken; false ;; esac"

export const settings = { askFirst: true, checks: ["sh check.sh"] }

/** The diffs of the changes that were asked about, without their heads; questions about checks have none. */
export const changesIn = (asked: ReturnType<typeof scriptedApprover>["asked"]) =>
  asked.flatMap((items) => {
    const diffs = items.flatMap(({ diff }) => (diff === undefined ? [] : [diff]))
    return diffs.length === 0 ? [] : [diffs.map((diff) => diff.split("\n").filter((line) => /^[-+]\w/.test(line)))]
  })

export const breaking = model(edit("two", "broken"), edit("broken", "2"))
