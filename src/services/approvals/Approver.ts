/**
 * Who is asked for an approval: nobody, the flags that were given beforehand, or a person.
 */
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

/** Plugins and servers start, and given files are read, before there is a plan that could be changed. */
export const isStart = ({ task }: ApprovalItem): boolean => task === beforeRunTask

/** A file of the project that does not look like a secret: `search_files` shows its lines without a question. */
const isProjectRead = ({ origin, personOnly = false, tool }: ApprovalItem): boolean =>
  tool === "read_file" && origin === undefined && !personOnly

/** Nobody knows whether a call happened: it is not executed again and not taken as done, so the run stops. */
export const stopInDoubt: Effect.Effect<Answered<UncertainAnswer>> = Effect.succeed({ answer: "stop", by: "nobody" })

/** A question of the model to which nobody answers. */
export const unanswered = (by: AnsweredBy): Effect.Effect<Answered<WordsAnswer>> =>
  Effect.succeed({ answer: "nothing", by })

/** Nobody can be asked: everything is denied. */
export const denyAll: Approver["Service"] = {
  step: () => Effect.succeed({ answer: "decline", by: "nobody" }),
  call: () => Effect.succeed({ answer: "deny", by: "nobody" }),
  inDoubt: () => stopInDoubt,
  canAsk: Effect.succeed(false)
}

/** An approver that answers some questions by itself, and leaves the others to `inner`. */
const layerOver =
  (answers: (inner: Approver["Service"]) => Partial<Approver["Service"]>) =>
  <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R> =>
    Layer.effect(
      Approver,
      Effect.map(Approver, (approver) => Approver.of({ ...approver, ...answers(approver) }))
    ).pipe(Layer.provide(inner))

/** Who answers approvals and questions of a run. */
export class Approver extends Context.Service<
  Approver,
  {
    /**
     * Shows the concrete calls of a step: this step, all remaining steps of this round, some of the calls, or decline.
     * `question` identifies the question within the run, as its events do.
     */
    step(title: string, items: ReadonlyArray<ApprovalItem>, question: string): Effect.Effect<Answered<StepAnswer>>
    /** Shows one call: allow once, session and remember where the item offers them, deny. */
    call(item: ApprovalItem, question: string): Effect.Effect<Answered<CallAnswer>>
    /** Shows a call that was started before the run broke off and whose outcome is unknown: again, done, or stop. */
    inDoubt(item: ApprovalItem, question: string): Effect.Effect<Answered<UncertainAnswer>>
    /** Shows a question of the model; absent where nobody can answer in words. */
    readonly question?: (text: string, question: string) => Effect.Effect<Answered<WordsAnswer>>
    /** True for an item that a yes of this approver, given without seeing it, leaves to a question of its own. */
    readonly leaves?: (item: ApprovalItem) => boolean
    /** False when a question about a call will certainly be denied by nobody; absent when somebody may answer. */
    readonly canAsk?: Effect.Effect<boolean>
  }
>()("task-conductor/services/approvals/Approver") {
  /** Nobody is asked now: everything is denied. Somebody may be asked in a run. */
  static readonly layerNotAsked = Layer.succeed(Approver)({ ...denyAll, canAsk: Effect.succeed(true) })

  static readonly layerDenyAll = Layer.succeed(Approver)(denyAll)

  /** About calls in doubt this was decided beforehand (`--in-doubt`). */
  static readonly layerInDoubt = (answer: UncertainAnswer) =>
    layerOver(() => ({ inDoubt: () => Effect.succeed({ answer, by: "rule" }) }))

  /**
   * All steps were approved beforehand (`--yes-this-run`), and the reads that they rest on; everything else is still asked
   * about.
   */
  static readonly layerApproveSteps = layerOver((approver) => ({
    step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
    call: (item, question) =>
      isProjectRead(item) ? Effect.succeed({ answer: "once", by: "rule" }) : approver.call(item, question)
  }))

  /**
   * Everything was approved beforehand (`--yes`), but for what only a person may allow: that is still asked about, and so is
   * a call in doubt. Questions of the model get no answer.
   */
  static readonly layerYes = layerOver((approver) => ({
    step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
    call: (item, question) =>
      item.personOnly === true ? approver.call(item, question) : Effect.succeed({ answer: "once", by: "rule" }),
    question: () => unanswered("rule"),
    leaves: (item) => item.personOnly === true
  }))
}
