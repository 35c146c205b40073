import { assert, it } from "@effect/vitest"
import { outcomeOf } from "../../../src/domain/checks/CheckOutcome.ts"
import { isTested, isUnchanged, mayStay, takenBack } from "../../../src/domain/documents/CandidateReport.ts"
import { parsedAnswer } from "../../../src/domain/documents/TurnAnswer.ts"
import { nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"

const check = (exitCode: number) =>
  outcomeOf({ argv: ["npm", "test"], kind: "tests" }, { exitCode, output: "", seconds: 1 })
const passed = [check(0)]
const broken = [check(1)]
const source = { path: "src/slug.ts", base: "a\n", text: "b\n" }
const test = { path: "test/slug.test.ts", base: null, text: "t\n" }
const candidate = { value: "Done.", files: [source], checks: passed, version: 3 }
const nameOf = (path: string) => path
const silent = (text: string) =>
  parsedAnswer({ text, shownText: text, issues: [], thinking: "", askedCalls: [] }, nothingAsked, false)

it("stays as it is when the answer asks for nothing and is no report", () => {
  const same = { files: [source], version: 3 }
  const isSame = (answer: string, state = same) => isUnchanged(candidate, state, silent(answer))
  assert.isTrue(isSame("No such line."))
  assert.isFalse(isSame("## Result summary\n\nDone."))
  assert.isFalse(isSame("<<<<<<< OLD"))
  assert.isFalse(isSame("No such line.", { ...same, version: 4 }))
})

it("is tested when only tests were changed and the checks pass", () => {
  const withTest = { files: [source, test], version: 4 }
  assert.isTrue(isTested(candidate, withTest, passed, nameOf))
  assert.isFalse(isTested(candidate, withTest, broken, nameOf))
  assert.isFalse(isTested(candidate, withTest, [], nameOf))
  const changed = { files: [{ ...source, text: "c\n" }, test], version: 4 }
  assert.isFalse(isTested(candidate, changed, passed, nameOf))
})

it("has what fails taken back, and what passes may stay", () => {
  const later = { files: [{ ...source, text: "c\n" }], version: 4 }
  assert.isTrue(mayStay(candidate, later, passed))
  assert.isFalse(mayStay(candidate, later, broken))
  assert.isTrue(mayStay(candidate, { ...later, version: 3 }, broken))
  assert.deepStrictEqual(takenBack(candidate, later), [{ path: "src/slug.ts", base: "c\n", text: "b\n" }])
})
