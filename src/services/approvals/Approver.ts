/** Decides who answers an approval: nobody, a flag that the user gave in advance, or the user. */
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

/** True for a question that is asked before there is a plan, such as a question about a plugin. */
export const isStart = ({ task }: ApprovalItem): boolean => task === beforeRunTask

/**
 * True for a read of a project file that does not look like a secret. `search_files` also shows such files without a
 * question.
 */
const isProjectRead = ({ origin, personOnly = false, tool }: ApprovalItem): boolean =>
  tool === "read_file" && origin === undefined && !personOnly

/** Stops the run at a call that may or may not have happened, because nobody can be asked about it. */
export const stopAtUncertain: Effect.Effect<Answered<UncertainAnswer>> = Effect.succeed({
  answer: "stop",
  by: "nobody"
})

/** The answer to a question of the model if nobody replies. */
export const unanswered = (by: AnsweredBy): Effect.Effect<Answered<WordsAnswer>> =>
  Effect.succeed({ answer: "nothing", by })

/** An approver that denies everything, because nobody can be asked. */
export const denyAll: Approver["Service"] = {
  step: () => Effect.succeed({ answer: "decline", by: "nobody" }),
  call: () => Effect.succeed({ answer: "deny", by: "nobody" }),
  inDoubt: () => stopAtUncertain,
  canAsk: Effect.succeed(false)
}

/** Makes an approver that answers some questions itself, and passes all other questions to `inner`. */
const layerOver =
  (answers: (inner: Approver["Service"]) => Partial<Approver["Service"]>) =>
  <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R> =>
    Layer.effect(
      Approver,
      Effect.map(Approver, (approver) => Approver.of({ ...approver, ...answers(approver) }))
    ).pipe(Layer.provide(inner))

/** Answers the approvals of a run and the questions of the model. */
export class Approver extends Context.Service<
  Approver,
  {
    /** Asks about the calls of a step. `question` is the id of the question in the events of the run. */
    step(title: string, items: ReadonlyArray<ApprovalItem>, question: string): Effect.Effect<Answered<StepAnswer>>
    /** Asks about one call. Only some items can be allowed for the session or permanently. */
    call(item: ApprovalItem, question: string): Effect.Effect<Answered<CallAnswer>>
    /** Asks what to do about a call that an interrupted run may or may not have made. */
    inDoubt(item: ApprovalItem, question: string): Effect.Effect<Answered<UncertainAnswer>>
    /** Asks the user a question of the model. Absent if nobody can answer in words. */
    readonly question?: (text: string, question: string) => Effect.Effect<Answered<WordsAnswer>>
    /** True for an item that needs a question of its own, even if this approver approves whole steps at once. */
    readonly leaves?: (item: ApprovalItem) => boolean
    /** False if nobody can answer, so that every call will be denied. If absent, somebody may answer. */
    readonly canAsk?: Effect.Effect<boolean>
  }
>()("task-conductor/services/approvals/Approver") {
  /** Denies everything in this run, but reports that a user can be asked, because a later run may ask. */
  static readonly layerNotAsked = Layer.succeed(Approver)({ ...denyAll, canAsk: Effect.succeed(true) })

  static readonly layerDenyAll = Layer.succeed(Approver)(denyAll)

  /** Answers questions about uncertain calls with the choice of `--in-doubt`. */
  static readonly layerUncertain = (answer: UncertainAnswer) =>
    layerOver(() => ({ inDoubt: () => Effect.succeed({ answer, by: "rule" }) }))

  /** For `--yes-this-run`: approves all steps and reads of project files, and asks the user about everything else. */
  static readonly layerApproveSteps = layerOver((approver) => ({
    step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
    call: (item, question) =>
      isProjectRead(item) ? Effect.succeed({ answer: "once", by: "rule" }) : approver.call(item, question)
  }))

  /**
   * For `--yes`: approves everything. The user is still asked about uncertain calls and about calls that only the user
   * may allow.
   */
  static readonly layerYes = layerOver((approver) => ({
    step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
    call: (item, question) =>
      item.personOnly === true ? approver.call(item, question) : Effect.succeed({ answer: "once", by: "rule" }),
    question: () => unanswered("rule"),
    leaves: (item) => item.personOnly === true
  }))
}
