import { describe, expect, it } from "vitest"
import { fileTouches } from "../../../src/domain/journal/FileTouch.ts"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"

const intent = (key: string, task: string, paths: ReadonlyArray<string>): JournalRecord => ({
  type: "intent",
  key,
  call: { uid: "call-1", name: "any_tool", arguments: {} },
  task,
  effect: "idempotent",
  targets: [],
  files: paths.map((path) => ({ path, before: null, after: `hash of ${path}` }))
})
const outcome = (key: string, success: boolean): JournalRecord => ({ type: "outcome", key, value: { success } })
const settled = (key: string): JournalRecord => ({ type: "settled", key, value: {} })
const shown = (task: string, href: string): JournalRecord => ({
  type: "event",
  event: { type: "references.read", task, references: [{ href, title: "", characters: 1, tokens: 1, hash: "h" }] }
})

const unsure = (path: string) => ({ _tag: "Unsure", path })

describe("what a journal tells of files", () => {
  it("is no text for a file that was removed, and for a link", () => {
    const files = [
      { path: "/p/gone.txt", before: "hash", after: null },
      { path: "/p/link", before: null, after: "hash", kind: "link" },
      { path: "/p/run.sh", before: "hash", after: "hash", kind: "executable" }
    ]
    const writing = { ...intent("write", "Write 1", []), files } as JournalRecord
    expect(fileTouches([writing, outcome("write", true)])).toEqual([
      ...files.map(({ path }) => unsure(path)),
      unsure("/p/gone.txt"),
      unsure("/p/link"),
      { _tag: "Written", task: "Write 1", path: "/p/run.sh", hash: "hash" }
    ])
  })

  it("is what finished tasks were shown and what was written, in order", () => {
    const looked = [shown("Look 1", "a.md"), shown("Look 2", "b.md")]
    const written = [intent("write", "Write 1", ["/p/a.txt", "/p/b.txt"]), outcome("write", true)]
    const ends = ["plan", "round-1/refined/look-2", "round-1/task/look-1"].map(settled)
    expect(fileTouches([...looked, ...written, outcome("plan/attempt-1", true), ...ends])).toEqual([
      { _tag: "Shown", task: "Look 1", href: "a.md", hash: "h" },
      unsure("/p/a.txt"),
      unsure("/p/b.txt"),
      { _tag: "Written", task: "Write 1", path: "/p/a.txt", hash: "hash of /p/a.txt" },
      { _tag: "Written", task: "Write 1", path: "/p/b.txt", hash: "hash of /p/b.txt" }
    ])
  })

  it("is nothing sure where a write failed or never ended, and behind a call that may write anywhere", () => {
    const failed = [intent("failed", "Write 1", ["/p/a.txt"]), outcome("failed", false)]
    const command = [intent("command", "Build 1", []), outcome("command", true)]
    const records = [...failed, intent("open", "Write 2", ["/p/b.txt"]), ...command]
    expect(fileTouches(records)).toEqual([unsure("/p/a.txt"), unsure("/p/b.txt"), { _tag: "Unsure" }])
  })
})
