/**
 * A program that asks one question on its terminal and prints the answer: `node askOnTerminal.ts short|long|step|doubt WAIT_MS`.
 * Started by test/support/PseudoTerminal.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ApprovalItem } from "../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { layerTerminal } from "../../src/cli/approval/TerminalApprover.ts"

const [length, wait = "0"] = process.argv.slice(2)
const bell = length !== "quiet"

const item: ApprovalItem = {
  task: "Research 1",
  call: { uid: "call-1", name: "read_file", arguments: { path: "\u001b[2J\u202egpj.md" } },
  tool: "read_file",
  risk: "medium",
  targets: ["/p/\u001b[2J\u202egpj.md"],
  ...(length === "long" ? { details: Array.from({ length: 40 }, (_, index) => `detail ${index + 1}`) } : {}),
  offers: {
    session: "read_file for every file of the project",
    remember: "read_file for this file",
    always: ["read_file:docs/**"]
  }
}

/** Three calls of a step, of which a yes may cover what repairs them. */
const writing = (name: string): ApprovalItem => {
  return { ...item, tool: "write_file", targets: [`/p/${name}`], offers: { repairs: `later changes of ${name}` } }
}
const items = ["a", "b", "c"].map(writing)

const asking = Effect.gen(function* () {
  const approver = yield* Approver
  console.log(`READY ${process.pid}`)
  yield* Effect.sleep(`${Number(wait)} millis`)
  const answer =
    length === "step"
      ? approver.step("Task section 1", items, "question-1")
      : length === "doubt"
        ? approver.inDoubt(item, "question-1")
        : approver.call(item, "question-1")
  console.log(`ANSWER ${JSON.stringify(yield* answer)}`)
})

await Effect.runPromise(
  asking.pipe(Effect.provide(Layer.provide(layerTerminal({ bell, isColoured: false }), NodeServices.layer)))
)
