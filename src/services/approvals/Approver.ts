/**
 * Who is asked for an approval: nobody, rules, or a person.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ApprovalItem, beforeRunTask } from "../../domain/permissions/ApprovalItem.ts"
import { decide } from "../../domain/permissions/Decision.ts"
import type {
  Answered,
  AnsweredBy,
  CallAnswer,
  DoubtAnswer,
  StepAnswer,
  WordsAnswer
} from "../../domain/permissions/Answer.ts"
import type { Rule } from "../../domain/permissions/Permission.ts"
import type { Target } from "../../domain/permissions/TargetPattern.ts"

/** Plugins and servers start, and given files are read, before there is a plan that could be changed. */
export const isStart = ({ task }: ApprovalItem): boolean => task === beforeRunTask

/** A file of the project that does not look like a secret: `search_files` shows its lines without a question. */
const isProjectRead = ({ origin, personOnly = false, tool }: ApprovalItem): boolean =>
  tool === "read_file" && origin === undefined && !personOnly

/** Nobody knows whether a call happened: it is not executed again and not taken as done, so the run stops. */
export const stopInDoubt: Effect.Effect<Answered<DoubtAnswer>> = Effect.succeed({ answer: "stop", by: "nobody" })

/** A question of the model to which nobody answers. */
export const unanswered = (by: AnsweredBy): Effect.Effect<Answered<WordsAnswer>> =>
  Effect.succeed({ answer: "nothing", by })

/** The answers when nobody is asked. */
const denyAll = {
  step: () => Effect.succeed<Answered<StepAnswer>>({ answer: "decline", by: "nobody" }),
  call: () => Effect.succeed<Answered<CallAnswer>>({ answer: "deny", by: "nobody" }),
  inDoubt: () => stopInDoubt
}

/** An approver that answers some questions by itself, and leaves the others to `inner`. */
const layerOver =
  (answers: (inner: Approver["Service"]) => Partial<Approver["Service"]>) =>
  <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R> =>
    Layer.effect(
      Approver,
      Effect.map(Approver, (approver) => Approver.of({ ...approver, ...answers(approver) }))
    ).pipe(Layer.provide(inner))

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
    inDoubt(item: ApprovalItem, question: string): Effect.Effect<Answered<DoubtAnswer>>
    /** Shows a question of the model; absent where nobody can answer in words. */
    readonly question?: (text: string, question: string) => Effect.Effect<Answered<WordsAnswer>>
    /** True for an item that a yes of this approver, given without seeing it, leaves to a question of its own. */
    readonly leaves?: (item: ApprovalItem) => boolean
    /** False when a question about a call will certainly be denied by nobody; absent when somebody may answer. */
    readonly canAsk?: Effect.Effect<boolean>
  }
>()("task-conductor/services/approvals/Approver") {
  /** Nobody is asked now: everything is denied. Who could be asked in a run is not known. */
  static readonly layerNotAsked: Layer.Layer<Approver> = Layer.succeed(Approver)(Approver.of(denyAll))

  /** Nobody can be asked: everything is denied. */
  static readonly layerDenyAll: Layer.Layer<Approver> = Layer.succeed(Approver)(
    Approver.of({ ...denyAll, canAsk: Effect.succeed(false) })
  )

  /** About calls in doubt this was decided beforehand (`--in-doubt`). */
  static readonly layerInDoubt = (answer: DoubtAnswer) =>
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

const targetOf = (canonical: string, root: string): Target => {
  if (!canonical.startsWith("/")) return { kind: "other", canonical }
  return canonical.startsWith(`${root}/`)
    ? { kind: "file", canonical, relative: canonical.slice(root.length + 1) }
    : { kind: "file", canonical }
}

const isAllowed = ({ call, risk, targets, tool }: ApprovalItem, rules: ReadonlyArray<Rule>, root: string) => {
  if (call === undefined) return true
  const request = { tool, risk, targets: targets.map((target) => targetOf(target, root)) }
  return decide(rules, request).verdict === "allow"
}

/**
 * Answers by these rules only, without a person; `root` is the real path of the project. A step is approved with those of its
 * calls that the rules allow. A single call is denied, since the gate asks only about calls that no rule allows.
 */
export const layerRuleApprover = (rules: ReadonlyArray<Rule>, root: string): Layer.Layer<Approver> =>
  Layer.succeed(Approver)(
    Approver.of({
      step: (_, items) => {
        const chosen = items.flatMap((item, index) => (isAllowed(item, rules, root) ? [index + 1] : []))
        return Effect.succeed({ answer: { chosen }, by: "rule" })
      },
      call: () => Effect.succeed({ answer: "deny", by: "nobody" }),
      inDoubt: () => stopInDoubt
    })
  )
