import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { splitCommand } from "../../../src/domain/commands/CommandSplit.ts"
import { rulesOfChecks } from "../../../src/domain/configuration/CheckLine.ts"
import { parseRule } from "../../../src/domain/permissions/Permission.ts"
import { matchesAllow } from "../../../src/domain/permissions/TargetPattern.ts"

it.each([
  ["npm test", ["npm", "test"]],
  ["  npm   test  ", ["npm", "test"]],
  [`go test -run 'Test A' ./...`, ["go", "test", "-run", "Test A", "./..."]],
  [`grep "a \\"b\\" $HOME" x`, ["grep", 'a "b" $HOME', "x"]],
  [String.raw`a\ b '' "\\"`, ["a b", "", "\\"]],
  ["--x=a'b c'd", ["--x=ab cd"]]
])("a command in one line has these words: %s", (text, words) => {
  expect(splitCommand(text)).toEqual(words)
})

it.each([
  ["a && b", 'has "&"'],
  ["a | b", 'has "|"'],
  ["a > b", 'has ">"'],
  ["echo $HOME", 'has "$"'],
  ["CI=1 npm test", "begins with a variable"],
  ["npm 'test", "has a ' without its end"],
  ["", "is empty"],
  ["''", "is empty"]
])("a command in one line is refused where only a shell understands it: %s", (text, why) => {
  expect(splitCommand(text)).toContain(why)
})

describe("the rules of the checks that a person names", () => {
  const [text = ""] = rulesOfChecks(["npm run 'a*b'"])
  const rule = Result.getOrThrow(parseRule("allow", text))
  const covers = (canonical: string, folder: string, sandboxed: boolean) =>
    matchesAllow(rule.pattern, { kind: sandboxed ? "other" : "start", canonical, place: { folder, sandboxed } })

  it("allow exactly this command in the project, with and without a sandbox", () => {
    expect(rule.tool).toBe("run_command")
    const covered = [covers('npm run "a*b"', ".", true), covers('npm run "a*b"', ".", false)]
    const others = [covers('npm run "axb"', ".", true), covers('npm run "a*b" more', ".", true)]
    expect([...covered, ...others]).toEqual([true, true, false, false])
    expect(covers('npm run "a*b"', "packages/a", true)).toBe(false)
    expect(rulesOfChecks(false)).toEqual([])
  })
})
