import { assert, describe, it } from "@effect/vitest"
import { followableAnswer } from "../../../src/domain/runs/RunOutcome.ts"
import { finished } from "../../support/sampleTasks.ts"

const sources =
  "[a](a.ts#L1), [a again](a.ts), [b](<b c.ts>), [p](https://example.com/p), [d](d.ts), [x](x.ts) (not found)"
const results = [finished("Search 1", sources), finished('Talk "2"', "No."), finished("Gone", "[x](x.ts) (not found)")]

const follow = (answer: string) => followableAnswer(answer, results, "run-1")

describe("links to results in an answer", () => {
  it("become the first files and pages that the result rests on", () => {
    assert.strictEqual(
      follow("See [Search 1](#search-1-results), as [it](#search-1-results) says."),
      "See Search 1 ([a](a.ts#L1), [b](<b c.ts>), [p](https://example.com/p)), as it says."
    )
  })

  it("become the command that shows a result without sources", () => {
    assert.strictEqual(
      follow("See [the talk](#talk-2-results) and [Gone](#gone)."),
      'See the talk (`task-conductor show run-1 --task "Talk \\"2\\""`) and Gone (`task-conductor show run-1 --task "Gone"`).'
    )
  })

  it("leaves every other link and every text without links alone", () => {
    for (const answer of ["", "See [a](a.ts#L1) and [x](#other-results).", "`[Search 1](#search-1-results)`"]) {
      assert.strictEqual(follow(answer), answer)
    }
  })
})
