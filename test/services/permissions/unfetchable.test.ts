import { assert } from "@effect/vitest"
import { unfetchable } from "../../../src/domain/commands/NetworkAddress.ts"
import { allow, openGate, prepared } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const url = "http://127.0.0.1:9/"
const call = prepared("fetch_url", "medium", [{ _tag: "FetchUrl", url }], { url })
const options = () => ({
  rules: [allow("fetch_url")],
  unfetchable: (given: string) => unfetchable(given, { allowed: [], denied: [] })
})
const says =
  "Permission denied: fetch_url on http://127.0.0.1:9/ is not on the public internet, which no answer can allow; to permit it, list 127.0.0.1:9 under fetchAllow in your user configuration."

nodeTest("a URL that can never be fetched is denied without a question to calls, references and steps", function* () {
  const person = scriptedApprover({})
  const { denial, gate, log } = yield* openGate({ approver: person.layer, options })
  assert.strictEqual((yield* denial(call)).message, says)
  assert.strictEqual((yield* denial({ _tag: "FetchUrl", url })).message, says)
  const tasks = [{ task: "T", gatedBy: "risk" as const, calls: [call] }]
  yield* approveCalls(gate, { planKey: "round-1", title: "S", tasks })
  assert.deepStrictEqual([person.asked, log.events()], [[], []])
})
