import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { unfetchable } from "../../../src/domain/commands/NetworkAddress.ts"
import { allow, inTask, openGate, prepared } from "../../support/OpenGate.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { questionOfAccess, questionOfCall } from "../../../src/services/permissions/GateQuestion.ts"
import { approveCalls } from "../../../src/services/permissions/Gate.ts"

const url = "http://127.0.0.1:9/"
const call = prepared("fetch_url", "medium", [{ _tag: "FetchUrl", url }], { url })
const options = () => ({
  rules: [allow("fetch_url")],
  unfetchable: (given: string) => unfetchable(given, { allowed: [], denied: [] })
})
const says =
  "Permission denied: fetch_url on http://127.0.0.1:9/ is not on the public internet, which no answer can allow; to permit it, list 127.0.0.1:9 under fetchAllow in your user configuration."

layer(NodeServices.layer)("A URL that can never be fetched", (it) => {
  it.effect("is denied to a call, to a reference and in a step, and nobody is asked", () =>
    Effect.gen(function* () {
      const person = scriptedApprover({})
      const { gate, log } = yield* openGate({ approver: person.layer, options })
      assert.strictEqual((yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), call)))).message, says)
      const reference = gate.authorize(questionOfAccess(inTask("T"), { _tag: "FetchUrl", url }))
      assert.strictEqual((yield* Effect.flip(reference)).message, says)
      yield* approveCalls(gate, {
        planKey: "round-1",
        title: "S",
        tasks: [{ task: "T", gatedBy: "risk", calls: [call] }]
      })
      assert.deepStrictEqual([person.asked, log.events()], [[], []])
    })
  )

  it.effect("is not suggested to be allowed when nobody can be asked", () =>
    Effect.gen(function* () {
      const { gate } = yield* openGate({ options })
      const { message } = yield* Effect.flip(gate.authorize(questionOfCall(inTask("T"), call)))
      assert.notInclude(message, "--allow")
    })
  )
})
