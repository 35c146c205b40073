/**
 * A run of one task that changes files of a real folder, with a scripted model: what the folder holds before and after, and how the
 * run ended.
 */
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { RunConditions } from "../../src/app/RunContext.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { makeFolder } from "./Project.ts"
import { layerAllowAll } from "./ScriptedApprover.ts"
import { layerScript } from "./ScriptedRun.ts"
import { EventLog } from "./EventLog.ts"
import { type FolderSnapshot, takeSnapshot } from "./FolderSnapshot.ts"
import { layerTestRun, planOf, type TestRunOptions } from "./TestRun.ts"

/** A file by its content, a link by where it leads, or an empty folder. */
export type Entry =
  | string
  | Uint8Array
  | { readonly link: string }
  | { readonly mode: number; readonly text: string }
  | null

export type Entries = Readonly<Record<string, Entry>>

/** Puts entries into a folder; null makes an empty folder. */
export const putEntries = (folder: string, entries: Entries): void => {
  for (const [name, entry] of Object.entries(entries)) {
    const path = join(folder, name)
    mkdirSync(entry === null ? path : dirname(path), { recursive: true })
    if (entry === null) continue
    if (typeof entry === "string" || entry instanceof Uint8Array) writeFileSync(path, entry)
    else if ("link" in entry) symlinkSync(entry.link, path)
    else {
      writeFileSync(path, entry.text)
      chmodSync(path, entry.mode)
    }
  }
}

export interface FileWork extends Omit<TestRunOptions, "at" | "files" | "journal"> {
  readonly entries: Entries
  /** The last answer is given again. */
  readonly answers: ReadonlyArray<string>
  readonly skill?: string
}

/** Folders of a run, which its scope removes. */
export const makePlaces = Effect.gen(function* () {
  const [project, home, journal] = [yield* makeFolder, yield* makeFolder, yield* makeFolder]
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(journal, { recursive: true, force: true })))
  return { project, home, journal }
})

/** Works in `project`, where the entries already are. */
export const workIn = (
  { home, project }: { readonly home: string; readonly project: string },
  { answers, entries: _entries, skill = "edit-files", ...options }: FileWork,
  journal?: RunConditions["journal"]
) =>
  Effect.gen(function* () {
    let asked = 0
    const answer = () => answers[Math.min(asked++, answers.length - 1)] ?? ""
    const script = { refine: answer, execute: answer, iterate: () => planOf([]), conclude: () => "That is all." }
    const before = takeSnapshot(project)
    const run = Effect.gen(function* () {
      const report = yield* (yield* Pipeline).run({ runId: "run-1", prompt: "Change the files.", skill })
      return { report, events: (yield* EventLog).events() }
    })
    const { events, report } = yield* run.pipe(
      Effect.provide(
        layerTestRun({
          approver: layerAllowAll,
          ...options,
          at: { home, project },
          ...(journal === undefined ? {} : { journal })
        })
      ),
      Effect.provide(layerScript(script))
    )
    return { asked, before, after: takeSnapshot(project), events, report }
  })

/** The same in a new folder. */
export const changeFiles = (work: FileWork) =>
  Effect.gen(function* () {
    const { home, project } = yield* makePlaces
    putEntries(project, work.entries)
    return { project, ...(yield* workIn({ home, project }, work)) }
  })

/** What is there besides folders, without modes: text, bytes in latin1, or `-> target`. */
export const contentsIn = (snapshot: FolderSnapshot): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(snapshot).flatMap(([path, what]) => {
      if (what.startsWith("folder")) return []
      return [[path, what.startsWith("link ") ? `-> ${what.slice(5)}` : what.replace(/^file \d+ /, "")]]
    })
  )
