/**
 * What the commands of single stages do once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import { execute, iterate, promptOfStage, refine, type StageOrder, type StagePlace } from "../../app/stages.ts"
import { checkDocument, reportOfRefinement } from "../../domain/checking/CheckReport.ts"
import { renderFixedRefinement } from "../../domain/checking/FixedDocument.ts"
import { renderTaskList } from "../../domain/documents/TaskRendering.ts"
import { userPartMarker } from "../../domain/models/PromptTemplate.ts"
import { TaskFailure } from "../../domain/plan/TaskResult.ts"
import { exitCodeOf } from "../../domain/runs/RunReport.ts"
import * as Option from "effect/Option"
import { CommandFailure, exitCodes, asUsage } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { type CommandPorts, startPorts } from "../terminal/ports.ts"

/** The order of a stage with what is printed of it. */
export interface StageRequest<Order extends StageOrder> {
  readonly order: Order
  readonly place: StagePlace
  readonly json: boolean
  readonly printPrompt: boolean
}

type Stage<Name extends StageOrder["stage"]> = StageRequest<Extract<StageOrder, { readonly stage: Name }>>

const unavailable = new Set(["Unreachable", "ModelMissing", "Refused", "Busy"])

/** A task that failed ends its stage as it would end a run. */
const endOf = ({ cause, message }: TaskFailure): CommandFailure => {
  const isUnavailable = cause?._tag === "ModelFailed" && unavailable.has(cause.reason)
  const status = isUnavailable ? "unavailable" : cause?._tag === "Denied" ? "not_permitted" : "failed"
  return new CommandFailure({ exitCode: exitCodeOf(status), text: message })
}

const asEnd = <E>(error: E) => (error instanceof TaskFailure ? endOf(error) : asUsage(error))

/** Prints the document, or everything about it as one object. */
const print = Effect.fnUntraced(function* (markdown: string, json: boolean, more: object) {
  const { answer, result } = yield* Output
  yield* json ? result(JSON.stringify({ markdown, ...more })) : answer(markdown.trimEnd())
})

const printPrompt = Effect.fnUntraced(function* (
  { json, order, place }: StageRequest<StageOrder>,
  ports: CommandPorts
) {
  const { result } = yield* Output
  const prompt = yield* Effect.mapError(promptOfStage(order, place, yield* startPorts(ports)), asEnd)
  yield* result(json ? JSON.stringify(prompt) : `${prompt.system}\n\n${userPartMarker}\n\n${prompt.user}`)
})

/** Prints the refinement of a task. */
export const printRefinement = Effect.fn("printRefinement")(function* (request: Stage<"refine">, ports: CommandPorts) {
  if (request.printPrompt) return yield* printPrompt(request, ports)
  const { json, order, place } = request
  const refinement = yield* Effect.mapError(refine(order, place, yield* startPorts(ports)), asEnd)
  const [markdown = ""] = renderFixedRefinement(refinement)
  yield* print(markdown, json, reportOfRefinement({ value: Option.some(refinement), issues: [], repairs: [] }))
})

/** Prints the tasks that are still to do. */
export const printIteration = Effect.fn("printIteration")(function* (request: Stage<"iterate">, ports: CommandPorts) {
  if (request.printPrompt) return yield* printPrompt(request, ports)
  const { json, order, place } = request
  const { finished, isRevised, list } = yield* Effect.mapError(iterate(order, place, yield* startPorts(ports)), asEnd)
  // The reason was reported while it worked.
  if (!isRevised) return yield* new CommandFailure({ exitCode: exitCodes.noValidPlan, text: "" })
  const markdown = renderTaskList(list, { prompt: order.prompt })
  yield* print(markdown, json, checkDocument("task-list", markdown, { finished }))
})

/** Prints the result of a refinement that was carried out; also when something of it was denied. */
export const printExecution = Effect.fn("printExecution")(function* (request: Stage<"execute">, ports: CommandPorts) {
  if (request.printPrompt) return yield* printPrompt(request, ports)
  const { json, order, place } = request
  const executed = yield* Effect.mapError(execute(order, place, yield* startPorts(ports)), asEnd)
  const { failures, outcome, result } = executed
  const { message, status } = outcome
  if (result !== undefined || json) {
    const calls = result?.calls ?? []
    yield* print(result?.result.document ?? "", json, { status, message, calls })
  }
  const [failure] = failures
  if (failure !== undefined) return yield* endOf(failure)
  if (status !== "done") return yield* new CommandFailure({ exitCode: exitCodeOf(status), text: message })
})
