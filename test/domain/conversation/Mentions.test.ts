import { assert, it } from "@effect/vitest"
import {
  isPictureName,
  mentionOf,
  mentionsIn,
  openMention,
  pictureType,
  withoutMarks
} from "../../../src/domain/conversation/Mentions.ts"

it("finds files that are named, and neither addresses nor the end of a sentence", () => {
  const text = 'Compare @src/a.ts, (@src/b.ts#L10-L20) and @"my notes.md". Write to me@example.org about @src/a.ts!'
  assert.deepStrictEqual(mentionsIn(text), ["src/a.ts", "src/b.ts#L10-L20", "my notes.md"])
  assert.deepStrictEqual(mentionsIn("No @ here, and a@b neither."), [])
})

it("takes the sign away from what is a file, and leaves other words", () => {
  const text = 'Use @types/node in @src/a.ts and @"my notes.md".'
  assert.strictEqual(withoutMarks(text, ["src/a.ts", "my notes.md"]), "Use @types/node in src/a.ts and my notes.md.")
  assert.deepStrictEqual([mentionOf("src/a.ts"), mentionOf("my notes.md")], ["@src/a.ts", '@"my notes.md"'])
})

it("knows the mention that is being typed", () => {
  const open = ["see @sr", "@", 'see @"my n', "me@sr", "see @src/a.ts "].map(openMention)
  assert.deepStrictEqual(open, ["sr", "", '"my n', undefined, undefined])
})

it("knows a picture by its bytes", () => {
  const heads = ["\u0089PNG\r\n\u001a\n", "\u00ff\u00d8\u00ff\u00e0", "GIF89a", "RIFF....WEBPVP8 ", "<svg/>", ""]
  const types = heads.map((text) => pictureType(Buffer.from(text, "latin1")))
  assert.deepStrictEqual(types, ["image/png", "image/jpeg", "image/gif", "image/webp", undefined, undefined])
  assert.deepStrictEqual(["a/shot.PNG", "a.svg", "png"].map(isPictureName), [true, false, false])
})
