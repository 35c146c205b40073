/** A run with a task for each item. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "./KeptRun.ts"
import { stageName } from "./stageName.ts"
import { answerIn, planOf, refinementWith, resultSaying } from "./TestRun.ts"

export const itemOf = (prompt: FilledPrompt): string => /the only one to work on: (\S+)/.exec(prompt.user)?.[1] ?? ""

export const files = ["a.txt", "b.txt", "c.txt", "d.txt"]

export const plan = planOf([
  [{ name: "Mark", skill: "edit-files", each: "file in `notes/*.txt`", needed: "Mark the file." }]
])

export const edit = (path: string) =>
  refinementWith([{ name: "edit_file", arguments: { path, old_text: "plain", new_text: "marked" } }])

export interface Marks {
  /** What the first answer about an item is, where it is no edit. */
  readonly first?: Readonly<Record<string, string>>
  /** The answers to the questions what is left. */
  readonly left?: string
}

/** A model that marks each file. */
export const marker =
  ({ first = {}, left = planOf([]) }: Marks = {}) =>
  (prompt: FilledPrompt): string => {
    const item = itemOf(prompt)
    return answerIn(stageName(prompt), {
      creation: plan,
      refinement: first[item] ?? edit(item),
      execution: resultSaying(`Marked ${item}.`),
      iteration: left
    })
  }

export const makeRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: "Mark all notes." })
  yield* fs.makeDirectory(`${run.project}/notes`)
  for (const file of files) yield* fs.writeFileString(`${run.project}/notes/${file}`, `plain ${file}\n`)
  const texts = Effect.forEach(files, (file) => fs.readFileString(`${run.project}/notes/${file}`))
  return { ...run, texts, fs }
})

export const statesOf = (
  report:
    | { readonly results: ReadonlyArray<{ readonly items?: ReadonlyArray<{ readonly state: string }> }> }
    | undefined
) => report?.results[0]?.items?.map(({ state }) => state)
