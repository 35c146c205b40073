/**
 * The loop of all stages: ask the model, read its answer, and ask again with the issues. An unreadable answer
 * (UnusableAnswer.ts) also counts as an attempt with issues. If the model repeats a rejected answer, the sampling of
 * the next attempt changes. The loop ends in one of three ways:
 * - An answer is accepted.
 * - The maximum of attempts is reached.
 * - Several answers in a row were useless.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { limitsOf } from "../../domain/configuration/Limits.ts"
import type { AnswerShape } from "../../domain/documents/AnswerWatch.ts"
import { type PlainAnswer, plainAnswer, unusableAnswer } from "../../domain/documents/UnusableAnswer.ts"
import { holdsNothing, mostUselessAnswers, unableText } from "../../domain/documents/UselessAnswers.ts"
import { type AnswerReading, Issue, type Reading } from "../../domain/findings/Issue.ts"
import { issuesAsShown } from "../../domain/findings/IssueText.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import { stageModel } from "../../domain/models/Generation.ts"
import { charactersOf, type FilledPrompt } from "../../domain/models/PromptSize.ts"
import type { ModelCallId, Stage } from "../../domain/runs/ActivityKey.ts"
import { type Tuning, firstTuning } from "../models/CallPlan.ts"
import { ModelCaller } from "../models/ModelCaller.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"

export interface Previous {
  readonly answer: string
  readonly issues: ReadonlyArray<Issue>
}

export interface AttemptPlan<A, E, R> {
  readonly stage: Stage
  /** The round that asks; 0 before the first round. */
  readonly round: number
  readonly prompt: (previous: Previous | undefined) => FilledPrompt
  readonly read: (answer: string) => Effect.Effect<AnswerReading<A>, E, R>
  /** Checks the complete part of a cut-off answer. This check does not read the project. */
  readonly readPart?: (part: string) => ReadonlyArray<Issue>
  /** The JSON schema of the answer; see `ModelRequest`. */
  readonly format?: object
  /**
   * The grammar of the expected document. The server enforces it only after an answer had another form, or after two
   * answers were rejected.
   */
  readonly grammar?: () => string
  /** The expected document; see `ModelRequest`. */
  readonly shape?: AnswerShape
  /** Reads an answer to compare it with a second answer. Used if the settings ask for two parallel answers. */
  readonly compare?: (answer: string) => Effect.Effect<Reading<A>, E, R>
}

interface Accepted<A> {
  readonly value: A
  readonly answer: string
  readonly attempts: number
}

/** Says that no attempt was accepted. `repeated` is true if all answers were equal. */
export class AttemptsExhausted extends Schema.TaggedError<AttemptsExhausted>()("AttemptsExhausted", {
  attempts: Schema.Int,
  repeated: Schema.Boolean,
  issues: Schema.Array(Issue),
  /** What the model failed to do, after several useless answers in a row. */
  unable: Schema.optionalKey(Schema.String)
}) {
  /**
   * The end of a sentence, for example `after 5 tries.` A further sentence says whether all answers were equal or
   * useless.
   */
  override get message(): string {
    const tries = `after ${this.attempts} tries.`
    const same = this.repeated ? ["The model gave the same answer every time."] : []
    return [tries, ...same, ...(this.unable === undefined ? [] : [this.unable])].join(" ")
  }
}

type Question = Effect.Effect<{ readonly call: ModelCallId; readonly answer: PlainAnswer }, ModelError>

type Comparison<A, E, R> = NonNullable<AttemptPlan<A, E, R>["compare"]>

/**
 * The rank of an answer: its validity, its number of repairs or issues, and its length. Lower is better, and the first
 * number counts most.
 */
const rankOf = Effect.fnUntraced(function* <A, E, R>(answer: PlainAnswer, compare: Comparison<A, E, R>) {
  const { text } = answer
  if (answer.issues.length > 0) return [2, 0, text.length]
  const { issues, repairs, value } = yield* compare(text)
  const isValid = issues.length === 0 && Option.isSome(value)
  return [isValid ? 0 : 1, isValid ? repairs.length : issues.length, text.length]
})

/** Returns the better of two parallel answers. If the second call fails, returns the first answer. */
const betterOf = Effect.fnUntraced(function* <A, E, R>(
  first: Question,
  second: Question,
  compare: Comparison<A, E, R>
) {
  const [preferred, alternative] = yield* Effect.all([first, Effect.option(second)], { concurrency: 2 })
  if (Option.isNone(alternative)) return { ...preferred, answers: 1 }
  const rank = yield* rankOf(preferred.answer, compare)
  const otherRank = yield* rankOf(alternative.value.answer, compare)
  const at = rank.findIndex((value, index) => value !== otherRank[index])
  const best = at >= 0 && (otherRank[at] ?? 0) < (rank[at] ?? 0) ? alternative.value : preferred
  return { ...best, answers: 2 }
})

/**
 * A shorter prompt to try if `sent` was too long: first the whole prompt, fitted to the size that the server reported,
 * then the prompt without the previous answer. Undefined if neither is shorter.
 */
const shorterPrompt = (
  { prompt }: Pick<AttemptPlan<unknown, unknown, unknown>, "prompt">,
  previous: Previous | undefined,
  sent: FilledPrompt
): FilledPrompt | undefined =>
  [previous, ...(previous === undefined ? [] : [{ ...previous, answer: "" }])]
    .map((before) => prompt(before))
    .find((other) => charactersOf(other) < charactersOf(sent))

/** Asks once. If the prompt is too long, asks again with a shorter one. */
const questionsOf = <A, E, R>(
  caller: ModelCaller["Service"],
  plan: AttemptPlan<A, E, R>,
  previous: Previous | undefined,
  isBound: boolean
) => {
  const { format, shape } = plan
  const bound = isBound ? { grammar: plan.grammar?.() } : {}
  const firstPrompt = plan.prompt(previous)
  return (id: ModelCallId, tuning: Tuning): Question => {
    const askWith = (prompt: FilledPrompt): ReturnType<typeof caller.ask> =>
      caller.ask({ id, step: 0, tuning, format, bound, shape, prompt }).pipe(
        Effect.catchIf(
          ({ isTooLong }) => isTooLong,
          (error) => {
            const shorter = shorterPrompt(plan, previous, prompt)
            return shorter === undefined ? Effect.fail(error) : askWith(shorter)
          }
        )
      )
    return askWith(firstPrompt).pipe(
      Effect.map(({ text }): PlainAnswer => plainAnswer(text)),
      Effect.catchTag("ModelError", (error) =>
        Effect.fromOption(unusableAnswer(error, plan)).pipe(Effect.mapError(() => error))
      ),
      Effect.map((answer) => ({ call: id, answer }))
    )
  }
}

/**
 * Identifies an answer: answers with the same sign count as equal. The sign contains the issues, because incomplete
 * answers may differ only in their issues. It does not contain thoughts.
 */
const signOf = ({ hasOnlyThought = false, issues, text }: PlainAnswer, attempt: number): string =>
  [text.trim(), ...issues.map(({ what }) => what), ...(hasOnlyThought ? [attempt] : [])].join("\n")

export class Attempts extends Context.Service<Attempts>()("task-conductor/services/pipeline/Attempts", {
  make: Effect.gen(function* () {
    const caller = yield* ModelCaller
    const events = yield* RunEvents
    const settings = yield* RunSettings

    const run = Effect.fnUntraced(function* <A, E, R>(
      plan: AttemptPlan<A, E, R>
    ): Effect.fn.Return<Accepted<A>, AttemptsExhausted | ModelError | E, R> {
      const { compare, round, stage } = plan
      const mostAttempts = limitsOf(settings.limits, stage).attempts
      const signs = new Set<string>()
      let previous: Previous | undefined
      let isBound = false
      let useless = 0
      let tuning: Tuning = firstTuning
      let fallback:
        | (NonNullable<AnswerReading<A>["fallback"]> & { readonly call: ModelCallId; readonly answer: string })
        | undefined
      yield* events.publish({ type: "stage.started", stage, round })
      for (let attempt = 1; ; attempt += 1) {
        const ask = questionsOf(caller, plan, previous, isBound)
        const first = ask({ stage, round, attempt }, tuning)
        /* With the same settings, the two parallel answers might be equal. */
        const second = ask({ stage, round, attempt, choice: 2 }, { ...tuning, repeats: tuning.repeats + 1 })
        const { answer, answers, call } = yield* compare === undefined || (settings.plans ?? 1) === 1
          ? Effect.map(first, (only) => ({ ...only, answers: 1 }))
          : betterOf(first, second, compare)
        const { hasOnlyThought = false, shownText, text } = answer
        const reading: AnswerReading<A> =
          answer.issues.length > 0
            ? { value: Option.none(), issues: answer.issues, repairs: [] }
            : yield* plan.read(text)
        const { issues, repairs, value } = reading
        if (issues.length === 0 && Option.isSome(value)) {
          if (repairs.length > 0) yield* events.publish({ type: "answer.repaired", call, repairs })
          return { value: value.value, answer: text, attempts: attempt }
        }
        yield* events.publish({ type: "answer.rejected", call, answer: text, issues, mostAttempts })
        const sign = signOf(answer, attempt)
        const isRepeated = signs.has(sign)
        signs.add(sign)
        useless = reading.hasUse !== true && (isRepeated || holdsNothing(issues)) ? useless + answers : 0
        const isUnable = useless >= mostUselessAnswers
        if (reading.fallback !== undefined) fallback = { ...reading.fallback, call, answer: text }
        // If wrong links are the only fault, a first answer is rejected. A later answer is accepted, and its wrong
        // links are marked.
        if (attempt >= mostAttempts || isUnable || (reading.fallback !== undefined && attempt > 1)) {
          if (fallback === undefined) {
            const repeated = attempt > 1 && signs.size === 1
            const unable = isUnable ? unableText(stageModel(settings, stage) ?? settings.model, stage) : undefined
            return yield* new AttemptsExhausted({ attempts: attempt, repeated, issues, ...(unable && { unable }) })
          }
          yield* events.publish({ type: "answer.repaired", call: fallback.call, repairs: fallback.repairs })
          return { value: fallback.value, answer: fallback.answer, attempts: attempt }
        }
        previous = { answer: shownText, issues: issuesAsShown(issues, text, shownText) }
        isBound ||= attempt > 1 || Option.isNone(value)
        tuning = {
          repeats: tuning.repeats + (isRepeated ? 1 : 0),
          thinkingCuts: tuning.thinkingCuts + (hasOnlyThought ? 1 : 0)
        }
      }
    })

    return {
      /**
       * Emits `answer.rejected` and `answer.repaired`. If no attempt is accepted, fails with the error of the last
       * attempt.
       */
      run
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
