/**
 * Answers the questions that the rules do not decide: about a step, about one call, and about a call in doubt. The
 * answer comes from a person at a terminal, or from nobody.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { callQuestion, chooseQuestion, doubtQuestion, stepQuestion } from "../../domain/permissions/ApprovalText.ts"
import { type ApprovalItem, beforeRunTask } from "../../domain/permissions/ApprovalItem.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { type Answers, askLine, askText, canAsk } from "./TerminalQuestion.ts"

/** Single calls of a step: the numbers of the items that may run, counted from 1. The others are denied. */
const Chosen = Schema.Struct({ chosen: Schema.Array(Schema.Int) })
type Chosen = typeof Chosen.Type

export const StepAnswer = Schema.Union([Schema.Literals(["step", "remaining", "decline"]), Chosen])
export type StepAnswer = typeof StepAnswer.Type
export const CallAnswer = Schema.Literals(["once", "session", "remember", "deny"])
export type CallAnswer = typeof CallAnswer.Type
/** The answer about a call in doubt: execute it again, take it as done, or stop the run. */
export const DoubtAnswer = Schema.Literals(["again", "done", "stop"])
export type DoubtAnswer = typeof DoubtAnswer.Type

/** Who gave an answer; `nobody` when there was no way to ask. */
export const AnsweredBy = Schema.Literals(["person", "rule", "nobody"])
export type AnsweredBy = typeof AnsweredBy.Type

/** An answer with the one who gave it. */
export interface Answered<A> {
  readonly answer: A
  readonly by: AnsweredBy
  /** With `decline` or `deny`: what the person wants instead, in their words. It goes into the next round. */
  readonly instead?: string
}

/** An answer of the terminal; `hasQuit` when input ended or was stopped instead of an answer. */
interface Asked<A> {
  readonly answer: A
  readonly by: AnsweredBy
  readonly hasQuit: boolean
}

const wishQuestion = "What should be done instead? (Enter for nothing)"

/** Plugins and servers start, and given files are read, before there is a plan that could be changed. */
export const isStart = ({ task }: ApprovalItem): boolean => task === beforeRunTask

/** In a conversation the next message says what to do instead. */
const hasNextRound = (item: ApprovalItem): boolean => !isStart(item) && item.task !== askTask

/** Answers by number; the last one stands for Enter. */
const numbered = <A>(byNumber: ReadonlyArray<readonly [string, A]>, fallback: readonly [string, A]): Answers<A> => {
  const all = new Map([...byNumber, fallback])
  return {
    read: (line) => all.get(line),
    fallback: { shown: fallback[0], answer: fallback[1] },
    help: `Answer with one of: ${[...all.keys()].toSorted().join(", ")}.`
  }
}

const stepAnswers = (items: ReadonlyArray<ApprovalItem>): Answers<Exclude<StepAnswer, Chosen> | "choose"> =>
  numbered(
    [
      ["1", "step"],
      ["2", "remaining"],
      ...(items.some(({ call }) => call !== undefined) ? ([["4", "choose"]] as const) : [])
    ],
    ["3", "decline"]
  )

const callAnswers = ({ offers = {} }: ApprovalItem): Answers<CallAnswer> =>
  numbered(
    [
      ["1", "once"],
      ...(offers.session === undefined ? [] : ([["2", "session"]] as const)),
      ...(offers.remember === undefined ? [] : ([["3", "remember"]] as const))
    ],
    ["4", "deny"]
  )

const doubtAnswers: Answers<DoubtAnswer> = numbered(
  [
    ["1", "again"],
    ["2", "done"]
  ],
  ["3", "stop"]
)

/** Numbers of items with a call, such as `1,3`. */
const chosenAnswers = (items: ReadonlyArray<ApprovalItem>): Answers<StepAnswer> => {
  const possible = items.flatMap(({ call }, index) => (call === undefined ? [] : [index + 1]))
  return {
    read: (line) => {
      const numbers = line.split(/[\s,]+/).map((word) => (/^\d+$/.test(word) ? Number(word) : 0))
      return numbers.every((one) => possible.includes(one)) ? { chosen: [...new Set(numbers)] } : undefined
    },
    fallback: { shown: "none", answer: "decline" },
    help: `Answer with numbers of calls, such as ${possible.slice(0, 2).join(",")}. There are: ${possible.join(", ")}.`
  }
}

/** Nobody knows whether a call happened: it is not executed again and not taken as done, so the run stops. */
export const stopInDoubt: Effect.Effect<Answered<DoubtAnswer>> = Effect.succeed({ answer: "stop", by: "nobody" })

/** The answers when nobody is asked. */
const denyAll = {
  step: () => Effect.succeed<Answered<StepAnswer>>({ answer: "decline", by: "nobody" }),
  call: () => Effect.succeed<Answered<CallAnswer>>({ answer: "deny", by: "nobody" }),
  inDoubt: () => stopInDoubt
}

export class Approver extends Context.Service<
  Approver,
  {
    /**
     * Shows the concrete calls of a step: this step, all remaining steps of this run, some of the calls, or decline.
     * `question` identifies the question within the run, as its events do.
     */
    step(title: string, items: ReadonlyArray<ApprovalItem>, question: string): Effect.Effect<Answered<StepAnswer>>
    /** Shows one call: allow once, session and remember where the item offers them, deny. */
    call(item: ApprovalItem, question: string): Effect.Effect<Answered<CallAnswer>>
    /** Shows a call that was started before the run broke off and whose outcome is unknown: again, done, or stop. */
    inDoubt(item: ApprovalItem, question: string): Effect.Effect<Answered<DoubtAnswer>>
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

  /** Everything is allowed beforehand; nobody answers about a call in doubt. */
  static readonly layerAllowAll: Layer.Layer<Approver> = Layer.succeed(Approver)(
    Approver.of({
      step: () => Effect.succeed({ answer: "remaining", by: "rule" }),
      call: () => Effect.succeed({ answer: "once", by: "rule" }),
      inDoubt: () => stopInDoubt
    })
  )

  /** All steps were approved beforehand (`--yes-this-run`); everything else is still asked about. */
  static readonly layerApproveSteps = <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R> =>
    Layer.effect(
      Approver,
      Effect.map(Approver, (approver) =>
        Approver.of({ ...approver, step: () => Effect.succeed({ answer: "remaining", by: "rule" }) })
      )
    ).pipe(Layer.provide(inner))

  /** Asks on the terminal; without one everything is denied by nobody. Enter and end of input deny, or stop. */
  static readonly layerTerminal = Layer.effect(
    Approver,
    Effect.gen(function* () {
      const provide = Effect.provideContext(yield* Effect.context<Stdio.Stdio | Terminal.Terminal>())
      const ask = Effect.fnUntraced(function* <A>(question: string, possible: Answers<A>, prompt: string) {
        const line = (yield* canAsk) ? yield* askLine(question, possible, prompt) : undefined
        const nobody: Asked<A> = { answer: possible.fallback.answer, by: "nobody", hasQuit: false }
        return line === undefined ? nobody : { ...line, by: "person" as const }
      }, provide)

      /** After a no of a person who is still there: what to do instead. */
      const withWish = Effect.fnUntraced(function* <A>({ answer, by, hasQuit }: Asked<A>, no: A) {
        const isNo = answer === no && by === "person" && !hasQuit
        const instead = isNo ? yield* provide(askText(wishQuestion)) : ""
        return { answer, by, ...(instead === "" ? {} : { instead }) } satisfies Answered<A>
      })
      return Approver.of({
        step: Effect.fn("Approver.step")(function* (title, items) {
          const { answer, ...rest } = yield* ask(stepQuestion(title, items), stepAnswers(items), "Answer")
          const asked: Asked<StepAnswer> =
            answer === "choose" ? yield* ask(chooseQuestion, chosenAnswers(items), "Calls") : { answer, ...rest }
          return yield* withWish(asked, "decline")
        }),
        call: Effect.fn("Approver.call")(function* (item) {
          const { hasQuit, ...answered } = yield* ask(callQuestion(item), callAnswers(item), "Answer")
          return hasNextRound(item) ? yield* withWish({ ...answered, hasQuit }, "deny") : answered
        }),
        inDoubt: Effect.fn("Approver.inDoubt")((item) =>
          Effect.map(ask(doubtQuestion(item), doubtAnswers, "Answer"), ({ answer, by }) => ({ answer, by }))
        ),
        canAsk: provide(canAsk)
      })
    })
  )
}
