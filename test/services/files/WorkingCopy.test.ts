import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { changesSince, CurrentCopy, makeWorkingCopy, proposeAgain } from "../../../src/services/files/WorkingCopy.ts"
import { isFileAt, Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const lines = "one\ntwo\nthree\n"

describe("a working copy", () => {
  it("keeps the first base, and forgets a file that is as it was", () => {
    const copy = makeWorkingCopy()
    copy.propose({ path: "/p/a", base: "1", text: "2" })
    copy.propose({ path: "/p/a", base: "2", text: "3" })
    expect(copy.files()).toEqual([{ path: "/p/a", base: "1", text: "3" }])
    copy.propose({ path: "/p/a", base: "3", text: "1" })
    expect(copy.files()).toEqual([])
  })

  nodeTest("is what the fiber of its task sees of the project, and nobody else", function* () {
    const root = yield* makeProject({ "a.txt": lines, "gone.txt": "x" })
    const workspace = yield* Effect.provide(Workspace, Workspace.layer(root))
    const of = (name: string) => `${workspace.root}/${name}`
    const seen = Effect.gen(function* () {
      return {
        a: yield* workspace.readText(of("a.txt"), 1000),
        line: yield* workspace.readText(of("a.txt"), 1000, { from: 2, to: 2 }),
        isGone: (yield* Effect.result(workspace.readText(of("gone.txt"), 1000)))._tag === "Failure",
        isNew: yield* isFileAt(workspace, of("new/b.txt")),
        tree: yield* workspace.tree
      }
    })
    const copy = makeWorkingCopy([
      { path: of("a.txt"), base: lines, text: "one\nTWO\nthree\n" },
      { path: of("new/b.txt"), base: null, text: "new" },
      { path: of("gone.txt"), base: "x", text: null }
    ])
    const task = Effect.flatMap(Effect.forkChild(seen), (fiber) => Fiber.join(fiber))
    expect([yield* Effect.provideService(task, CurrentCopy, copy), yield* seen]).toEqual([
      { a: "one\nTWO\nthree\n", line: "TWO", isGone: true, isNew: true, tree: ["a.txt", "new/b.txt"] },
      { a: lines, line: "two", isGone: false, isNew: false, tree: ["a.txt", "gone.txt"] }
    ])
  })
})

const base = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join("\n")

/** Texts of one file, one after the other; null removes it, and the base takes all back. */
const texts = [
  base.replace("line 5\n", "five\nand more\n"),
  base.replace("line 5\n", "five\n"),
  null,
  `first\n${base}`,
  base,
  `${base}\nlast`
]

describe("what a call changes in a working copy", () => {
  it("is told by its lines, and comes to the same when it is made again", () => {
    const [copy, again] = [makeWorkingCopy(), makeWorkingCopy()]
    for (const text of texts) {
      const before = copy.files()
      copy.propose({ path: "/p/a", base, text })
      const changes = changesSince(copy, before)
      proposeAgain(again, changes)
      expect(again.files()).toEqual(copy.files())
      /* The text that a change begins with is told once. */
      const isFirst = before.length === 0
      const isWhole = before[0]?.text === null
      expect(JSON.stringify(changes).length).toBeLessThan(isFirst || isWhole ? base.length * 1.3 : 300)
    }
  })

  it("is told whole for a new file", () => {
    const copy = makeWorkingCopy()
    copy.propose({ path: "/p/b", base: null, text: "new\n" })
    expect(changesSince(copy, [])).toEqual([{ path: "/p/b", base: null, text: "new\n" }])
  })
})

describe("a working copy that begins with the changes of others", () => {
  it("tells its own changes from theirs", () => {
    const copy = makeWorkingCopy([{ path: "/p/a", base: "one", text: "two" }])
    expect([copy.files().length, copy.own()]).toEqual([1, []])
    copy.propose({ path: "/p/a", base: "two", text: "three" })
    expect(copy.own()).toEqual([{ path: "/p/a", base: "two", text: "three" }])
    copy.propose({ path: "/p/a", base: "two", text: "one" })
    expect([copy.files(), copy.own()]).toEqual([[], [{ path: "/p/a", base: "two", text: "one" }]])
  })
})
