import { describe, expect, it } from "@effect/vitest"
import { falseClaim } from "../../../src/domain/checks/CheckClaims.ts"
import {
  type CheckOutcome,
  type CheckCommand,
  notChecked,
  notRun,
  outcomeOf
} from "../../../src/domain/checks/CheckOutcome.ts"

const tests: CheckCommand = { argv: ["npm", "test"], kind: "given" }
const types: CheckCommand = { argv: ["npx", "tsc"], kind: "types" }
const end = (exitCode: number, output = "") => ({ exitCode, output, seconds: 1 })

const failing = outcomeOf(tests, end(1, "not ok 1 - limit\n"))
const still = outcomeOf(tests, end(1, "It is bad.\n"), { before: end(1, "It is bad.\n") })
const passing = outcomeOf(tests, end(0, "Tests  3 passed (3)\n"))
const typesPass = outcomeOf(types, end(0))
const without = notChecked(tests, { cause: "no tests", reason: "It found no test to run." })
const denied = notRun(tests, "Permission denied.")

const claims = [
  "The check passed.",
  "All tests pass.",
  "I ran the tests and they all pass.",
  "✅ Tests",
  "The tests now pass; they failed before.",
  "`npm test` exits with 0.",
  "I verified the change with the tests.",
  "The change passes all existing tests.",
  "The test suite is green."
]

const fair = [
  "The limit is 150.",
  "The tests do not pass.",
  "The tests should pass now.",
  "The tests passed before the change.",
  "If the tests pass, merge it.",
  "3 tests pass, 1 fails.",
  "I could not make the tests pass.",
  "The limit is passed to the check."
]

describe("a report that says a check passed", () => {
  it.each(claims)("is wrong where it fails, still fails, or proves nothing: %s", (claim) => {
    for (const check of [failing, still, without, denied]) {
      expect(falseClaim(`The limit is set. ${claim}`, [check])?.claim).toBe(claim)
    }
    expect(falseClaim(claim, [passing])).toBe(undefined)
    expect(falseClaim(claim, [])).toBe(undefined)
  })

  it.each(fair)("is another one than: %s", (text) => {
    expect(falseClaim(text, [failing])).toBe(undefined)
  })

  it.each<readonly [string, ReadonlyArray<CheckOutcome>, string | undefined]>([
    ["The type check passes.", [typesPass, failing], undefined],
    ["The tests pass.", [typesPass, failing], "`npm test` fails: limit"],
    ["All checks pass.", [typesPass, failing], "`npm test` fails: limit"],
    ["`npx tsc` passes.", [typesPass, failing], undefined],
    ["`npm test` passes.", [typesPass, still], "`npm test` still fails"],
    ["The check passed.", [without], "`npm test` proves nothing"],
    ["The check passed.", [denied], "`npm test` was not run"]
  ])("is held against the checks that it means: %s", (claim, checks, fact) => {
    expect(falseClaim(claim, checks)?.fact).toBe(fact)
  })

  it("may be true of a command of its own, where the host could not check", () => {
    expect(falseClaim("The tests pass.", [without], true)).toBe(undefined)
    expect(falseClaim("The tests pass.", [failing], true)?.fact).toBe("`npm test` fails: limit")
  })
})
