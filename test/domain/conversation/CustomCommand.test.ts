import { assert, it } from "@effect/vitest"
import { commandName, expandCommand, readCustomCommand } from "../../../src/domain/conversation/CustomCommand.ts"

it("reads a file with and without a description", () => {
  assert.deepStrictEqual(
    readCustomCommand("where", "---\ndescription: Finds a word\n---\n\nWhere is $ARGUMENTS?\n", true),
    { name: "where", description: "Finds a word", text: "Where is $ARGUMENTS?", isOwn: true }
  )
  assert.deepStrictEqual(readCustomCommand("a", "Do it.\n---\nNow.", false).text, "Do it.\n---\nNow.")
  const names = ["review.md", "a b.md", "../x.md", "x.txt"].map(commandName)
  assert.deepStrictEqual(names, ["review", undefined, undefined, undefined])
})

it("puts what was typed into its place, or behind the text, exactly as it was typed", () => {
  const commands = [
    readCustomCommand("where", "Where is $ARGUMENTS, and why $ARGUMENTS?", true),
    readCustomCommand("review", "Review the change.", false)
  ]
  const expand = (line: string) => expandCommand(line, commands)
  assert.strictEqual(expand("/where $& $1"), "Where is $& $1, and why $& $1?")
  assert.strictEqual(expand("/review\nonly src"), "Review the change.\n\nonly src")
  assert.strictEqual(expand("/review"), "Review the change.")
  for (const line of ["/reviews", "review", "/etc/hosts says", "see /review"]) assert.strictEqual(expand(line), line)
})
