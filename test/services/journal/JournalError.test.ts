import { describe, expect, it } from "@effect/vitest"
import { JournalError } from "../../../src/services/journal/JournalError.ts"

const says = (code: string, safe: number): string =>
  new JournalError({ path: "/s/journal.jsonl", reason: { _tag: "WriteFailed", code, safe } }).message

describe("a journal that cannot be written", () => {
  it.each([
    ["ENOSPC", "The disk is full. Make room, then resume the run."],
    ["EDQUOT", "Your share of the disk is used up. Make room, then resume the run."],
    ["EFBIG", "Raise the limit (ulimit -f), then resume the run."],
    ["EROFS", "The file system is read-only."],
    ["EACCES", "You may not write there."],
    ["ENOENT", "The folder cannot be made there. Set XDG_STATE_HOME to a folder of yours, then resume the run."],
    ["EIO", "The disk is failing. Save what you have, then resume the run."],
    ["EBADF", "Look at the folder and the disk, then resume the run."]
  ])("says what stands in the way and what to do: %s", (code, remedy) => {
    expect(says(code, 2)).toContain(`cannot be written: the system says ${code}. 2 records are safe`)
    expect(says(code, 2)).toContain(remedy)
  })

  it("speaks of starting a run of which nothing was written", () => {
    expect(says("ENOSPC", 0)).toMatch(/The disk is full\. Make room, then start the run\.$/)
  })
})
