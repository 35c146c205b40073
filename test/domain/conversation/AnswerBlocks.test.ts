import { assert, describe, it } from "@effect/vitest"
import { answerBlocks } from "../../../src/domain/conversation/AnswerBlocks.ts"

const document =
  "# Title\n\nOne line\ngoes on.\n\n- first\n  more\n- second\n\n```js\nconst a = 1\n\n- no item\n```\n1. one\n2. two\n\n~~~~\n```\n~~~~\nend"

describe("blocks of an answer", () => {
  it("end with a blank line, a heading, a fence, or before the next item", () => {
    assert.deepStrictEqual(answerBlocks(document), {
      finished: [
        "# Title\n",
        "\n",
        "One line\ngoes on.\n\n",
        "- first\n  more\n",
        "- second\n\n",
        "```js\nconst a = 1\n\n- no item\n```\n",
        "1. one\n",
        "2. two\n\n",
        "~~~~\n```\n~~~~\n"
      ],
      rest: "end"
    })
  })

  it("are the same however the text arrives, and nothing is lost", () => {
    const whole = answerBlocks(document)
    for (const size of [1, 2, 3, 5, 7, 20]) {
      const finished: Array<string> = []
      let rest = ""
      for (let at = 0; at < document.length; at += size) {
        const next = answerBlocks(rest + document.slice(at, at + size))
        finished.push(...next.finished)
        rest = next.rest
      }
      assert.deepStrictEqual({ finished, rest }, whole)
      assert.strictEqual(finished.join("") + rest, document)
    }
  })
})
