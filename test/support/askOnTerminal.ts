/**
 * A program that asks one question on its terminal and prints the answer: `node askOnTerminal.ts short|long WAIT_MS`.
 * Started by test/support/PseudoTerminal.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalItem } from "../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { layerTerminal } from "../../src/services/approvals/TerminalApprover.ts"

const [length, wait = "0"] = process.argv.slice(2)
const bell = length !== "quiet"

const item: ApprovalItem = {
  task: "Research 1",
  call: { uid: "call-1", name: "read_file", arguments: { path: "\u001b[2J\u202egpj.md" } },
  tool: "read_file",
  risk: "medium",
  targets: ["/p/\u001b[2J\u202egpj.md"],
  ...(length === "long" ? { details: Array.from({ length: 40 }, (_, index) => `detail ${index + 1}`) } : {}),
  offers: { session: "read_file for every file of the project", remember: "read_file for this file" }
}

const asking = Effect.gen(function* () {
  const approver = yield* Approver
  console.log(`READY ${process.pid}`)
  yield* Effect.sleep(`${Number(wait)} millis`)
  console.log(`ANSWER ${JSON.stringify(yield* approver.call(item, "question-1"))}`)
})

await Effect.runPromise(
  asking.pipe(Effect.provide(Layer.provide(layerTerminal({ bell, isColoured: false }), NodeServices.layer)))
)
