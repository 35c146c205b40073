import { assert, it } from "@effect/vitest"
import { stepText } from "../../../src/domain/plan/TaskName.ts"

it.each([
  ["Task section 2", "Step 2"],
  ["Task section 12: read the limits", "Step 12: read the limits"],
  ["Task section 2b", "Task section 2b"],
  ["Read\u001b[2J", "Read\\u{1b}[2J"]
])("calls %j a step", (title, expected) => {
  assert.strictEqual(stepText(title), expected)
})
