/**
 * From which texts of a run a link may be followed, and which words a URL may not hold.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lstat } from "node:fs/promises"
import { CurrentCopy, makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { type ReadSource, ReadTexts } from "../../../src/services/permissions/ReadTexts.ts"
import { RunAnswers } from "../../../src/services/permissions/RunAnswers.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const link = "https://docs.example/search?q=bluefin"
const text = `codename bluefin, see ${link}`

/** What is carried by the link and by another URL with a word of the text, after the model was shown it. */
const carried = Effect.fnUntraced(function* (source: ReadSource, before: ReadonlyArray<ReadSource>, since: number) {
  const layers = Layer.provideMerge(ReadTexts.layer(since), RunAnswers.layer())
  return yield* Effect.provide(
    Effect.gen(function* () {
      const readTexts = yield* ReadTexts
      for (const other of before) yield* readTexts.noteRead("nothing", other)
      yield* readTexts.noteRead(text, source)
      return [readTexts.carriedBy(link), readTexts.carriedBy("https://other.example/?q=codename")]
    }),
    layers
  )
})

describe("ReadTexts", () => {
  const word = "codename"
  const cases: ReadonlyArray<
    readonly [
      what: string,
      source: ReadSource,
      before: ReadonlyArray<ReadSource>,
      expected: ReadonlyArray<string | undefined>
    ]
  > = [
    ["a page", "page", [], [undefined, undefined]],
    ["a page, also after a command", "page", ["command"], [undefined, undefined]],
    ["a tool that is not of this project", "outside", ["command"], [undefined, word]],
    ["a search in the project before any command", "project", [], [undefined, word]],
    ["a search in the project after a command", "project", ["command"], ["bluefin", word]],
    ["a command", "command", [], ["bluefin", word]]
  ]
  for (const [what, source, before, expected] of cases) {
    nodeTest(`after ${what}`, function* () {
      assert.deepStrictEqual(yield* carried(source, before, Date.now()), expected)
    })
  }

  nodeTest("follows the links of a file that is as it was when the run began, to the millisecond", function* () {
    const root = yield* makeProject({ "a.md": text })
    const file = `${root}/a.md`
    const { ctimeMs } = yield* Effect.promise(() => lstat(file))
    const bluefin = (since: number) => Effect.map(carried({ file }, [], since), ([found]) => found)
    assert.isUndefined(yield* bluefin(ctimeMs))
    assert.strictEqual(yield* bluefin(ctimeMs - 1), "bluefin")
    const copy = makeWorkingCopy([{ path: file, base: "", text }])
    assert.strictEqual(yield* Effect.provideService(bluefin(ctimeMs), CurrentCopy, copy), "bluefin")
  })
})
