/**
 * Works on one task as an agent (services/agent/Agent.ts). The work begins with the model's first answer, with calls in
 * place of this answer, or with an earlier report. The changes of such a report were merged with those of other tasks.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { isFine } from "../../domain/checks/CheckOutcome.ts"
import { callSign, type TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import { inputsField, type RefinementDocument } from "../../domain/documents/RefinementFormat.ts"
import { renderWorkedTask } from "../../domain/documents/TaskRendering.ts"
import { replyText } from "../../domain/documents/TurnReply.ts"
import { instructionFor } from "../../domain/documents/TurnBudgets.ts"
import { assistantMessage, fromHost } from "../../domain/models/ConversationMessage.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { type ResultDocument, resultOfSummary, TaskFailure, type TaskPhase } from "../../domain/plan/TaskResult.ts"
import { doneOutside } from "../../domain/tools/OpenChanges.ts"
import { Agent } from "../agent/Agent.ts"
import { type Compaction, makeCompaction } from "../agent/Compaction.ts"
import type { AgentEnd, Session } from "../agent/Session.ts"
import { makeCopyWork } from "../changes/CopyWork.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { CurrentSubject, type TurnSubject } from "../providers/CallSubject.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { TooManyDenials } from "../tools/CallRecords.ts"
import { AttemptsExhausted } from "./Attempts.ts"
import { makePlaceWork } from "./PlaceWork.ts"
import { CallsDeclined, type JoinedChanges, type TaskOrder, taskFailure } from "./TaskStage.ts"
import { makeTaskWork, type TaskWork } from "./TaskWork.ts"

/** The failure of a task that has no accepted report. */
const noReport = (
  { agentWork: { assignment }, order }: TaskWork,
  { issues, retries: { unusable }, ...session }: Session,
  end: AgentEnd<unknown>,
  proposed: Partial<Pick<TaskOutcome, "checks" | "files">> = {}
) => {
  const phase = session.outcomes.length > 0 || assignment.tools.length === 0 ? "execution" : "refinement"
  const repeated = unusable.length > 1 && new Set(unusable).size === 1
  const attempts = end._tag === "Limit" ? end.turns : unusable.length
  const unable = end._tag === "Unusable" ? end.unable : undefined
  const error = new AttemptsExhausted({ attempts, repeated, issues, ...(unable === undefined ? {} : { unable }) })
  return taskFailure(order.task, phase, error, doneOutside(session), proposed)
}

/** The text for the model if a check fails although nothing clashes. */
const brokenTogether =
  "Since you began, others changed the same files. Both changes are in the files now, and together they fail a check: correct that."

const partlyDeclined = "Partly done: a further change was declined."

type TaskChanges = Effect.Success<typeof makeTaskChanges>

const outcomeOf = Effect.fnUntraced(function* (
  changes: Pick<TaskChanges, "proposed">,
  opened: TaskWork,
  result: ResultDocument
) {
  const { joined } = opened.order
  const session = yield* Ref.get(opened.session)
  const { inputs, task } = yield* Ref.get(opened.fields)
  const priorCalls = doneOutside(session)
  const seen = joined === undefined ? yield* opened.seen : (joined.outcome.seen ?? [])
  const items = opened.items && (yield* opened.items)
  const word = joined && `joined-${(joined.outcome.joined?.times ?? 0) + 1}`
  return {
    task,
    ...inputsField(inputs),
    ...(Arr.isReadonlyArrayNonEmpty(priorCalls) ? { priorCalls } : {}),
    ...(Arr.isReadonlyArrayNonEmpty(seen) ? { seen } : {}),
    ...(session.isUnfounded ? { unfounded: true } : {}),
    ...changes.proposed(opened.agentWork.assignment.copy, session, word),
    ...(items === undefined ? {} : { items }),
    result
  } satisfies TaskOutcome
})

const subjectOf = (
  { agentWork, order: { finished, task }, session }: TaskWork,
  { tools }: Pick<ToolRegistry["Service"], "tools">
): TurnSubject => ({
  stage: "task",
  request: task.whatIsNeeded,
  tools: tools.filter(({ name }) => agentWork.assignment.tools.includes(name)),
  results: finished.filter(({ task: { slug } }) => task.producerSlugs.includes(slug)),
  outcomes: () => Ref.getUnsafe(session).outcomes
})

/**
 * Makes the calls that replace the model's first answer. The returned session contains the program's reply to these
 * calls.
 */
const afterCalls = Effect.fnUntraced(function* (
  agent: Agent["Service"],
  compaction: Compaction,
  { agentWork, begun, fields, order }: TaskWork,
  { calls, inputs }: RefinementDocument
) {
  const { assignment, prompt, saveSession } = agentWork
  yield* Ref.update(fields, ({ task }) => ({ task, inputs: inputs ?? [] }))
  const { files, outcomes } = yield* agent
    .runCalls(agentWork, calls)
    .pipe(Effect.catchTag("TooManyDenials", (error) => Effect.fail(taskFailure(order.task, "execution", error))))
  const messages = [...begun.messages, assistantMessage(renderWorkedTask({ inputs: inputs ?? [], calls }))]
  const reply = replyText({
    turn: 0,
    results: { outcomes },
    issues: [],
    instruction: instructionFor(prompt, assignment.mostTurns),
    budget: compaction.replyBudget(agentWork, messages)
  })
  const session: Session = { ...begun, files, outcomes, messages: [...messages, fromHost(reply)] }
  yield* saveSession(session)
  return session
})

/** Makes a function that runs the turns of a task from a given session on. It returns the outcome of the task. */
const makeTurns = Effect.gen(function* () {
  const agent = yield* Agent
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const { limits } = yield* RunSettings

  return Effect.fnUntraced(function* (opened: TaskWork, begun: Session) {
    const { agentWork, order } = opened
    const latest = Ref.get(opened.session)
    const failWith = (phase: TaskPhase, error: ModelError | TooManyDenials) =>
      Effect.flatMap(latest, (session) => Effect.fail(taskFailure(order.task, phase, error, doneOutside(session))))
    const end = yield* agent.run(agentWork, begun).pipe(
      Effect.provideService(CurrentSubject, subjectOf(opened, registry)),
      Effect.catchTags({
        ModelError: (error) =>
          Effect.flatMap(latest, ({ outcomes }) => failWith(outcomes.length > 0 ? "execution" : "refinement", error)),
        TooManyDenials: (error) => failWith("execution", error),
        CallsDeclined: (declined) =>
          Effect.flatMap(latest, ({ files }) =>
            files.length === 0 ? Effect.fail(declined) : Effect.succeed({ _tag: "Declined" as const, by: declined.by })
          )
      })
    )
    const session = yield* latest
    if (end._tag === "Accepted") return yield* outcomeOf(changes, opened, end.value)
    if (end._tag === "Declined") {
      const partly = yield* outcomeOf(changes, opened, resultOfSummary(partlyDeclined))
      return { ...partly, declined: end.by }
    }
    if (end._tag === "Repeated") {
      const reason = `the same call was made ${limits.identicalCalls} times (limits.identicalCalls) and gave nothing new: ${callSign(end.call)}.`
      return yield* new TaskFailure({ task: order.task.name, phase: "execution", reason, skipped: false })
    }
    const { checks, turn } = session
    return yield* noReport(opened, session, end, changes.proposed(agentWork.assignment.copy, { checks, turn }))
  })
})

export class TaskAgent extends Context.Service<
  TaskAgent,
  {
    /**
     * Works on a task until its report. If the order has `joined`, continues after an earlier report. `firstAnswer`
     * replaces the model's first answer. Fails with a `TaskFailure`, or with who declined the calls.
     */
    work(order: TaskOrder, firstAnswer?: RefinementDocument): Effect.Effect<TaskOutcome, TaskFailure | CallsDeclined>
    /** Asks the model for its first answer to a task, without running its calls. `work` accepts it as `firstAnswer`. */
    firstAnswer(order: TaskOrder): Effect.Effect<RefinementDocument, TaskFailure>
  }
>()("task-conductor/services/pipeline/TaskAgent") {
  static readonly layer = Layer.effect(
    TaskAgent,
    Effect.gen(function* () {
      const agent = yield* Agent
      const changes = yield* makeTaskChanges
      const compaction = yield* makeCompaction
      const { check } = yield* makeCopyWork
      const events = yield* RunEvents
      const open = yield* makeTaskWork
      const openPlaces = yield* makePlaceWork
      const registry = yield* ToolRegistry
      const runTurns = yield* makeTurns

      /**
       * Continues after a report whose changes were merged with other changes: checks the merged files, and takes
       * further turns if something clashes or fails.
       */
      const continueJoined = Effect.fnUntraced(function* (
        opened: TaskWork,
        { clash, own: mergedFiles, outcome, ...joined }: JoinedChanges
      ) {
        const { agentWork, fields } = opened
        const { assignment, prompt, saveSession } = agentWork
        const { copy, id } = assignment
        const { inputs = [], priorCalls = [], result, turns: turn = 0 } = outcome
        yield* Ref.set(fields, { task: outcome.task, inputs })
        for (const file of mergedFiles) copy.propose(file)
        const checked = check({ ...assignment, round: id.round }, turn)
        const checks = joined.checks ? yield* Effect.provideService(checked, CurrentCopy, copy) : []
        const begun: Session = { ...opened.begun, outcomes: priorCalls, checks, isCompacted: true, turn }
        yield* saveSession(begun)
        const failedBefore = new Set(outcome.checks?.flatMap((check) => (isFine(check) ? [] : [check.command])))
        const isOpen = checks.some((check) => !isFine(check) && !failedBefore.has(check.command))
        if (clash === "" && !isOpen && result !== undefined) return yield* outcomeOf(changes, opened, result)
        const instruction = `${clash === "" ? brokenTogether : clash}\n\n${prompt.continuation(priorCalls)}`
        return yield* runTurns(opened, {
          ...begun,
          messages: compaction.compactedMessages(agentWork, begun, instruction)
        })
      })

      const started = ({ round, task }: TaskOrder) =>
        events.publish({ type: "stage.started", stage: "task", round, task: task.name })

      const work = Effect.fnUntraced(function* (order: TaskOrder, firstAnswer?: RefinementDocument) {
        yield* started(order)
        const opened =
          order.places === undefined
            ? yield* open(order, order.isItem === true ? "item" : "task")
            : yield* openPlaces(order, order.places)
        if (order.joined !== undefined) return yield* continueJoined(opened, order.joined)
        if (firstAnswer === undefined) return yield* runTurns(opened, opened.begun)
        return yield* runTurns(opened, yield* afterCalls(agent, compaction, opened, firstAnswer))
      })

      const firstAnswer = Effect.fnUntraced(function* (order: TaskOrder) {
        yield* started(order)
        const opened = yield* open(order, "calls")
        const end = yield* agent.run(opened.agentWork, opened.begun).pipe(
          Effect.provideService(CurrentSubject, subjectOf(opened, registry)),
          Effect.catchTag("CallsDeclined", () => Effect.die("Calls that are not made cannot be declined.")),
          Effect.mapError((error) =>
            error._tag === "TaskFailure" ? error : taskFailure(order.task, "refinement", error)
          )
        )
        // This stage makes no changes, so the failure must not list failed changes.
        if (end._tag !== "Calls")
          return yield* noReport(opened, { ...(yield* Ref.get(opened.session)), outcomes: [] }, { _tag: "Unusable" })
        const { inputs, task } = yield* Ref.get(opened.fields)
        return { task, ...inputsField(inputs), calls: end.calls } satisfies RefinementDocument
      })

      return TaskAgent.of({ work, firstAnswer })
    })
  )
}
