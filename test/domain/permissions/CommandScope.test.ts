import { assert, describe, it } from "@effect/vitest"
import {
  type CommandPlace,
  placePrefix,
  exactPattern,
  matchesAllow,
  matchesDeny,
  type Target
} from "../../../src/domain/permissions/TargetPattern.ts"

const target = (canonical: string, place: CommandPlace): Target => ({
  kind: place.sandboxed ? "other" : "start",
  canonical,
  place
})
const here: CommandPlace = { folder: ".", sandboxed: true }
const below: CommandPlace = { folder: "packages/a", sandboxed: true }
const bare: CommandPlace = { folder: ".", sandboxed: false }
const both: CommandPlace = { folder: "packages/a", sandboxed: false }

/** Which of the four places a pattern covers. */
const covered = (pattern: string | undefined, command = "npm test"): string =>
  [here, below, bare, both].map((place) => (matchesAllow(pattern, target(command, place)) ? "y" : "-")).join("")

/** In which of the four places a pattern denies. */
const denied = (pattern: string): string =>
  [here, below, bare, both].map((place) => (matchesDeny(pattern, target("npm test x", place)) ? "y" : "-")).join("")

describe("a rule for commands", () => {
  const cases: ReadonlyArray<readonly [string | undefined, string]> = [
    [undefined, "yy--"],
    ["npm test", "y---"],
    ["npm *", "y---"],
    ["**", "y---"],
    ["(packages/a) npm test", "-y--"],
    ["(packages/*) npm test", "-y--"],
    ["(**) npm **", "yy--"],
    ["(packages/b) npm test", "----"],
    ["(packages) npm test", "----"],
    ["(no sandbox) npm test", "y-y-"],
    ["(no sandbox) **", "y-y-"],
    ["(packages/a, no sandbox) npm test", "-y-y"],
    ["(**, no sandbox) **", "yyyy"],
    ["(., no sandbox) npm test", "y-y-"],
    ["(./packages/a/) npm test", "-y--"],
    ["**) npm test", "----"],
    ["(*", "----"],
    ["(no sandbox)npm test", "----"]
  ]
  for (const [pattern, expected] of cases) {
    it(`covers only the places that it names: ${pattern ?? "without a pattern"}`, () =>
      assert.strictEqual(covered(pattern), expected))
  }

  it("is not covered by a command whose words look like a place", () => {
    assert.isFalse(matchesAllow("(no sandbox) npm test", target('"(no" "sandbox)" npm test', bare)))
    assert.isFalse(matchesAllow("npm test", target("npm test", { folder: "no sandbox", sandboxed: false })))
    assert.isFalse(matchesAllow("(no sandbox) x", target("x", { folder: "no sandbox", sandboxed: true })))
  })

  it("that denies holds in every place, unless it names a folder, and then for what is in it too", () => {
    assert.deepStrictEqual(
      ["npm test", "(packages) npm test", "(Packages/A) NPM test", "(no sandbox) npm test", "(x) npm test"].map(denied),
      ["yyyy", "-y-y", "-y-y", "yyyy", "----"]
    )
  })

  it("can be written for every place, and then covers exactly this one", () => {
    for (const folder of [".", "a", "a b", "a*", "(x)", "no sandbox", "x, no sandbox", 'q"', "ä"]) {
      for (const sandboxed of [true, false]) {
        const place = { folder, sandboxed }
        const pattern = `${placePrefix(place, exactPattern)}make`
        /* Parentheses in the name of a folder cannot be written, so that such a command always asks. */
        assert.strictEqual(matchesAllow(pattern, target("make", place)), !/[()]/.test(folder), pattern)
        assert.isFalse(matchesAllow(pattern, target("make", { folder: "other", sandboxed: false })), pattern)
      }
    }
  })

  it("takes commands that begin like a URL and are none", () => {
    for (const command of ["https://a:999999", "http://%", "https://[::1", "http://"]) {
      assert.strictEqual(matchesAllow(command, target(command, here)), true, command)
      assert.strictEqual(matchesAllow("*", target(`npm ${command}`, here)), false, command)
    }
  })
})
