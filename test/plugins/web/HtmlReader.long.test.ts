import * as Effect from "effect/Effect"
import { assert, describe } from "@effect/vitest"
import { readHtml } from "../../../src/plugins/web/PublicWeb.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { liveTest } from "../../support/liveTest.ts"

const url = "https://a.example/"
const tooIntricate = "its HTML is nested too deeply or too large to be turned into text"

describe("readHtml", () => {
  nodeTest("refuses what is nested 10,000 times instead of overflowing the stack", function* () {
    for (const open of ["<div>", "<ul><li>", "<blockquote>", "<b>", "<table><tr><td>"]) {
      assert.strictEqual(yield* Effect.flip(readHtml(`${open.repeat(10_000)}x`, url)), tooIntricate)
    }
  })

  nodeTest("reads the first million characters of a page, and says so", function* () {
    const { text } = yield* readHtml(`<pre>${"a".repeat(1_200_000)}`, url)
    const note = "(The page has 1200005 characters of HTML; only the first 1000000 were read.)"
    assert.strictEqual(text, `\`\`\`\n${"a".repeat(999_995)}\n\`\`\`\n\n${note}`)
  })

  const formatting = Array.from({ length: 400 }, (_, index) => `<b id=${index}>`).join("")
  const hostile = `${formatting}${"<p>x".repeat(2000)}`

  liveTest("gives up when its time is over", function* () {
    assert.strictEqual(yield* Effect.flip(readHtml(hostile, url, "200 millis")), tooIntricate)
  })

  liveTest("does not hold up anything meanwhile", function* () {
    const first = yield* Effect.raceFirst(readHtml(hostile, url, "1 hour"), readHtml("<p>short", url, "1 hour"))
    assert.strictEqual(first.text, "short")
  })
})
