import { assert, it } from "@effect/vitest"
import { plainLine } from "../../../src/domain/text/TerminalText.ts"

it.each([
  ["plain\ttext ä 😀", "plain\ttext ä 😀"],
  ["\u001b[1;31mred\u001b[0m", "red"],
  ["\u009b31mred", "red"],
  ["\u001b]0;title\u0007text", "text"],
  ["\u001b]8;;https://a.example\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["1/2\r2/2\u001b[K\r", "2/2"],
  ["a\bb\u0000c\u007f", "bc"],
  ["\u001b]never ended", "never ended"],
  ["\r", ""]
])("%j is %j", (line, text) => assert.strictEqual(plainLine(line), text))
