/**
 * What a run changed is shown as a patch, undone and made again, byte for byte, also after a kill.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import { describe, expect } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { changesOfRun, patchOf, type UndoRequest, undoRun } from "../../src/services/history/RunChanges.ts"
import { layerRuns } from "../../src/app/savedRuns.ts"
import { changedPaths, takeSnapshot } from "../support/FolderSnapshot.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { needs } from "../support/needs.ts"
import { liveTest } from "../support/liveTest.ts"
import { willingApprover } from "../support/ScriptedApprover.ts"
import { stageName } from "../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"

const windows = Buffer.from("\uFEFFone\r\ntwo\r\nthree", "utf8")
const plain = Buffer.from("first\nsecond\n")

const block = (path: string, old: string, now: string) => `${path}\n<<<<<<< OLD\n${old}\n=======\n${now}\n>>>>>>> NEW\n`

const turnOf = ({ user }: FilledPrompt): number => user.split(/^## Now$/m).length - 2

const answer = (prompt: FilledPrompt): string => {
  if (stageName(prompt) === "creation") return planOf([[{ name: "Edit", skill: "edit-files" }]])
  return turnOf(prompt) > 0
    ? resultSaying("Edited.")
    : [block("a.txt", "two", "2"), block("run.sh", "second", "third"), block("made/deep/c.txt", "", "new")].join("\n")
}

/** A run whose model answers like this, and what its changes come to afterwards. */
const makeRun = Effect.fnUntraced(function* (answer: (prompt: FilledPrompt) => string) {
  const run = yield* makeKeptRun({ prompt: "Change it." })
  const home = ConfigProvider.fromUnknown({ HOME: run.home })
  const apart = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Effect.provide(layerRuns), Effect.provideService(ConfigProvider.ConfigProvider, home))
  return {
    ...run,
    session: run.session({ answer, approver: willingApprover(), settings: { checks: false } }),
    diff: apart(changesOfRun(run.place.runId)),
    undo: (request: UndoRequest = {}) => apart(undoRun(run.place.runId, request))
  }
})

/** A run that edits two files and makes another one. */
const makeEdits = Effect.gen(function* () {
  const run = yield* makeRun(answer)
  const at = (name: string) => join(run.project, name)
  writeFileSync(at("a.txt"), windows)
  writeFileSync(at("run.sh"), plain)
  chmodSync(at("run.sh"), 0o755)
  const before = takeSnapshot(run.project)
  return { ...run, at, expectBefore: () => expect(changedPaths(before, takeSnapshot(run.project))).toEqual([]) }
})

/** The answers of a model whose task changes the project by this command. */
const running = (script: string) => (prompt: FilledPrompt) => {
  if (stageName(prompt) === "creation") return planOf([[{ name: "Change", skill: "free" }]])
  return turnOf(prompt) > 0
    ? resultSaying("Changed.")
    : refinementWith([{ name: "run_command", arguments: { argv: ["sh", "-c", script] } }])
}

/** Files that are easily broken: line ends, marks, names, contents. */
const oddFiles: Readonly<Record<string, string | Buffer>> = {
  "crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "mark.txt": windows,
  "open.txt": "first\n\nlast",
  "empty.txt": "",
  "gone.txt": "gone\n\n",
  "gone open.txt": "gone",
  "with blank.txt": "a\nb\n",
  'with "quotes".txt': "a\nb\n",
  "\u00e4\u6587.txt": "a\nb\n",
  "run.sh": "echo\n",
  "keep/gone.txt": "x\n",
  "back\\slash.txt": "a\n"
}

const oddScript = String.raw`
sed -i 's/two/2/' crlf.txt mark.txt
printf 'first\n\nlast\n\n' > open.txt
echo full > empty.txt
rm gone.txt 'gone open.txt' keep/gone.txt
for f in 'with blank.txt' 'with "quotes".txt' 'ä文.txt'; do echo c >> "$f"; done
echo b >> 'back\slash.txt'
chmod +x run.sh
printf '' > new-empty.txt
printf new > 'new "odd" name.txt'
mkdir tools; echo tool > tools/tool; chmod +x tools/tool
ln -s ../run.sh tools/link
`

/** What the files and links of a project hold, without their modes. */
const contents = (folder: string) =>
  Object.entries(takeSnapshot(folder))
    .filter(([name, entry]) => !name.startsWith(".task-conductor") && !entry.startsWith("folder"))
    .map(([name, entry]) => [name, entry.replace(/^file \d+ /, "")])

describe("the changes of a run", () => {
  liveTest(
    "hold what its commands did on a working copy: removed and new files, modes, links, odd names and line ends",
    function* () {
      const run = yield* makeRun(running(oddScript))
      const copy = join(run.home, "copy")
      for (const folder of [run.project, copy]) {
        mkdirSync(join(folder, "keep"), { recursive: true })
        for (const [name, content] of Object.entries(oddFiles)) writeFileSync(join(folder, name), content)
      }
      chmodSync(join(run.project, "gone.txt"), 0o640)
      const before = takeSnapshot(run.project)
      const { report } = yield* run.session
      expect(report?.status).toBe("done")
      const after = takeSnapshot(run.project)
      expect(after["tools/link"]).toBe("link ../run.sh")
      expect(after["run.sh"]).toMatch(/^file 755 /)
      expect(after["tools/tool"]).toMatch(/^file 755 /)
      expect(after["gone.txt"]).toBeUndefined()
      const { changes } = yield* run.diff
      const patch = `${patchOf(changes)}\n`
      const git = (...words: ReadonlyArray<string>) =>
        execFileSync("git", [...words], { cwd: copy, input: patch, encoding: "utf8", stdio: "pipe" })
      const original = contents(copy)
      expect(git("apply", "--numstat", "-z", "-").split("\0").slice(0, -1).toSorted()).toEqual(
        changes.map(({ deletions, insertions, path }) => `${insertions}\t${deletions}\t${path}`).toSorted()
      )
      git("apply", "-")
      expect(contents(copy)).toEqual(contents(run.project))
      expect(statSync(join(copy, "run.sh")).mode & 0o100).toBe(0o100)
      git("apply", "-R", "-")
      expect(contents(copy)).toEqual(original)
      yield* run.undo()
      expect(changedPaths(before, takeSnapshot(run.project))).toEqual([])
      yield* run.undo({ redo: true })
      expect(changedPaths(after, takeSnapshot(run.project))).toEqual([])
      expect((yield* run.undo({ paths: ["tools/link", "gone.txt"] })).paths).toEqual(["gone.txt", "tools/link"])
      expect(existsSync(join(run.project, "tools/tool"))).toBe(true)
      yield* run.undo()
      expect(changedPaths(before, takeSnapshot(run.project))).toEqual([])
    },
    needs("bwrap")
  )

  liveTest("are undone after a kill at any record, whatever was written by then", function* () {
    const run = yield* makeEdits
    yield* run.session
    const count = (yield* run.records).filter(({ type }) => type === "intent").length
    expect(count).toBe(3)
    yield* run.undo()
    run.expectBefore()
    for (let records = (yield* run.records).length - 1; records > 0; records -= 1) {
      yield* run.cut(records)
      const left = yield* run.records
      const begun = left.filter(({ type }) => type === "intent").length
      if (begun === 0) continue
      const names = (yield* run.diff).changes.map(({ path }) => path)
      for (const written of [names.slice(0, begun - 1), names]) {
        if (written.length > 0) yield* run.undo({ redo: true, paths: written })
        yield* run.undo()
        run.expectBefore()
      }
    }
  })

  liveTest("of a journal that is not the user's own are not undone", function* () {
    const run = yield* makeEdits
    yield* run.session
    writeFileSync(join(run.home, ".local/state/task-conductor/journal.key"), "x".repeat(64))
    const failure = yield* Effect.flip(run.undo())
    expect(failure.message).toContain("is not proven to be yours")
    expect(existsSync(run.at("made/deep/c.txt"))).toBe(true)
  })
})
