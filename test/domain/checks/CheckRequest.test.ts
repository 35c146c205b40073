import { describe, expect, it } from "@effect/vitest"
import { asksForChange, asksToPass } from "../../../src/domain/checks/CheckRequest.ts"

const failing = { command: "node check.js", failures: ["exit code 1"] }
const named = { command: "npm test", failures: ["limits > keepsTheRate", "adds"] }

describe("what a request asks of checks", () => {
  it.each([
    "Fix the failing tests.",
    "If the tests fail, fix them.",
    "fix all 3 failing unit tests",
    "Make the tests pass again.",
    "Change the parser so that `npm test` passes.",
    "The check must succeed.",
    "Get CI green.",
    "Implement it until it passes the tests",
    "`node check.js` should exit with 0",
    "The code compiles without errors and the type check is clean."
  ])("is that they pass: %s", (request) => {
    expect(asksToPass(request, failing)).toBe(true)
  })

  it.each([
    "Set rateLimit to 200",
    "Fix the parser so that empty input gives an empty list, and add a test.",
    "Add a test that fails without the fix.",
    "Make a test for parse().",
    "Improve the error messages of the build script.",
    "Say whether all unit tests pass with the change",
    "Report if the build succeeds.",
    "Explain how the checks work."
  ])("is nothing of the kind: %s", (request) => {
    expect(asksToPass(request, failing)).toBe(false)
  })

  it("is that a test passes which it names", () => {
    expect(asksToPass("Look at keepsTheRate in the tests of the limits", named)).toBe(true)
    expect(asksToPass("This adds a field", named)).toBe(false)
  })
})

it.each([
  ["Set rateLimit to 200", true],
  ["Can you rename the class?", true],
  ["Why does the login fail? Fix it.", true],
  ["Mach die Tests grün", true],
  ["What does this project do?", false],
  ["Where is the rate limit defined", false],
  ["List all places that open files.", false],
  ["How do I set the limit? Describe it in one sentence.", false]
])("a prompt asks for a change: %s %s", (prompt, isChange) => {
  expect(asksForChange(prompt)).toBe(isChange)
})
