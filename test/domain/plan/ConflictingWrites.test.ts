import { expect, it } from "@effect/vitest"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import { conflictingWriteNote, conflictingWrites } from "../../../src/domain/plan/ConflictingWrites.ts"

const write = (path: string): CanonicalAccess => ({ _tag: "WriteFile", path, inside: true, content: "x" })
const read = (path: string): CanonicalAccess => ({ _tag: "ReadFile", path, inside: true })

it("finds every file that more than one task would write", () => {
  expect(
    conflictingWrites([
      { task: "Edit 1", accesses: [write("/p/a"), write("/p/b"), read("/p/c")] },
      { task: "Edit 2", accesses: [write("/p/b"), write("/p/c")] },
      { task: "Edit 3", accesses: [write("/p/b"), write("/p/a")] }
    ])
  ).toEqual([
    { path: "/p/a", tasks: ["Edit 1", "Edit 3"] },
    { path: "/p/b", tasks: ["Edit 1", "Edit 2", "Edit 3"] }
  ])
})

it("lets one task write a file twice, and others read it", () => {
  const once = { task: "Edit 1", accesses: [write("/p/a"), write("/p/a")] }
  expect(conflictingWrites([once, { task: "Read 1", accesses: [read("/p/a")] }])).toEqual([])
})

it("conflictingWriteNote names the tasks, the file and what will happen", () => {
  expect(conflictingWriteNote("Task section 1", { path: "/p/a", tasks: ["Edit 1", "Edit 2"] })).toEqual({
    code: "writers-of-one-file",
    where: { section: "Task section 1" },
    message: '"Edit 1" and "Edit 2" run side by side and write /p/a; their changes are put together.'
  })
})
