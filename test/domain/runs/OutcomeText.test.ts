/**
 * What did and did not happen stands first, whatever the model says.
 */
import { assert, it } from "@effect/vitest"
import { runFacts } from "../../../src/domain/checks/Facts.ts"
import { outcomeText } from "../../../src/domain/runs/OutcomeText.ts"

const file = { path: "a.txt", kind: "changed" as const, insertions: 1, deletions: 0 }
const notDone = [{ task: "Edit", why: 'The user declined "Step 1".' }]

it("says how a run ended that is not done, and that no file was changed", () => {
  const message = 'You declined "Step 1".\nMore of it.'
  assert.strictEqual(
    outcomeText({ status: "declined", message, results: [], facts: runFacts([], [], { notDone }) }),
    'Not done (declined): You declined "Step 1". No file was changed.\n\n- not done: "Edit": The user declined "Step 1".'
  )
  const facts = runFacts([file], [], { notDone })
  const some = outcomeText({ status: "not_permitted", message: "", results: [], facts })
  assert.match(some, /^Not done \(not permitted\)\.\n\n1 file changed, 1 insertion\(\+\):\n/)
  assert.notInclude(some, "No file was changed")
  assert.strictEqual(
    outcomeText({ status: "unavailable", message: "No server.", results: [] }),
    "Not done (unavailable): No server."
  )
})

it("says what was declined for something else, also of a run that is done", () => {
  const declined = [{ declined: "Step 2", instead: "Leave\nit." }]
  assert.strictEqual(
    outcomeText({ status: "done", message: "", results: [], facts: runFacts([], [], { declined }) }),
    'No file was changed.\n\n- declined: "Step 2"; instead: Leave it.'
  )
  assert.strictEqual(outcomeText({ status: "done", message: "", results: [] }), "")
})
