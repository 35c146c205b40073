/** Who answers an approval: nobody, a flag given beforehand, or the user. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ApprovalItem, beforeRunTask } from "../../domain/permissions/ApprovalItem.ts"
import type {
  Answered,
  AnsweredBy,
  CallAnswer,
  UncertainAnswer,
  StepAnswer,
  WordsAnswer
} from "../../domain/permissions/Answer.ts"

/**
 * True for questions before a run, about plugins, servers and given files. There is no plan yet that the user could
 * change.
 */
export const isStart = ({ task }: ApprovalItem): boolean => task === beforeRunTask

/**
 * True for reading a project file that does not look like a secret. `search_files` shows its lines without a question
 * anyway.
 */
const isProjectRead = ({ origin, personOnly = false, tool }: ApprovalItem): boolean =>
  tool === "read_file" && origin === undefined && !personOnly

/** Nobody knows whether the call happened. It is neither repeated nor treated as done, so the run stops. */
export const stopAtUncertain: Effect.Effect<Answered<UncertainAnswer>> = Effect.succeed({
  answer: "stop",
  by: "nobody"
})

/** The answer to a question of the model if nobody answers. */
export const unanswered = (by: AnsweredBy): Effect.Effect<Answered<WordsAnswer>> =>
  Effect.succeed({ answer: "nothing", by })

/** Denies everything, because nobody can be asked. */
export const denyAll: Approver["Service"] = {
  step: () => Effect.succeed({ answer: "decline", by: "nobody" }),
  call: () => Effect.succeed({ answer: "deny", by: "nobody" }),
  inDoubt: () => stopAtUncertain,
  canAsk: Effect.succeed(false)
}

/** An approver that answers some questions itself and passes the others to `inner`. */
const layerOver =
  (answers: (inner: Approver["Service"]) => Partial<Approver["Service"]>) =>
  <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R> =>
    Layer.effect(
      Approver,
      Effect.map(Approver, (approver) => Approver.of({ ...approver, ...answers(approver) }))
    ).pipe(Layer.provide(inner))

/** Answers approvals and questions of a run. */
export class Approver extends Context.Service<
  Approver,
  {
    /**
     * Shows the calls of a step. The answer allows this step, all remaining steps of this round, or some calls, or
     * declines. `question` identifies the question within the run, as in its events.
     */
    step(title: string, items: ReadonlyArray<ApprovalItem>, question: string): Effect.Effect<Answered<StepAnswer>>
    /**
     * Shows one call. The answer allows it once, for the session or permanently if the item offers that, or denies it.
     */
    call(item: ApprovalItem, question: string): Effect.Effect<Answered<CallAnswer>>
    /**
     * Shows a call that began before the run was interrupted, with unknown outcome. The answer is again, done, or stop.
     */
    inDoubt(item: ApprovalItem, question: string): Effect.Effect<Answered<UncertainAnswer>>
    /** Shows a question of the model. Absent if nobody can answer in words. */
    readonly question?: (text: string, question: string) => Effect.Effect<Answered<WordsAnswer>>
    /** True for an item that needs its own question even if this approver approves the step unseen. */
    readonly leaves?: (item: ApprovalItem) => boolean
    /** False if nobody can answer and every call will be denied. Absent if somebody may answer. */
    readonly canAsk?: Effect.Effect<boolean>
  }
>()("task-conductor/services/approvals/Approver") {
  /** Denies everything for now, although a later run may ask the user. */
  static readonly layerNotAsked = Layer.succeed(Approver)({ ...denyAll, canAsk: Effect.succeed(true) })

  static readonly layerDenyAll = Layer.succeed(Approver)(denyAll)

  /** Answers questions about uncertain calls with the choice of `--in-doubt`. */
  static readonly layerUncertain = (answer: UncertainAnswer) =>
    layerOver(() => ({ inDoubt: () => Effect.succeed({ answer, by: "rule" }) }))

  /**
   * Approves all steps and the reads for them, because of `--yes-this-run`. The user is still asked about everything
   * else.
   */
  static readonly layerApproveSteps = layerOver((approver) => ({
    step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
    call: (item, question) =>
      isProjectRead(item) ? Effect.succeed({ answer: "once", by: "rule" }) : approver.call(item, question)
  }))

  /**
   * Approves everything because of `--yes`, except what only the user may allow. The user is still asked about that and
   * about uncertain calls. Questions of the model get no answer.
   */
  static readonly layerYes = layerOver((approver) => ({
    step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
    call: (item, question) =>
      item.personOnly === true ? approver.call(item, question) : Effect.succeed({ answer: "once", by: "rule" }),
    question: () => unanswered("rule"),
    leaves: (item) => item.personOnly === true
  }))
}
