/** Records the user's answers in the journal, so that a resumed run need not ask again. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  type Answered,
  AnsweredBy,
  CallAnswer,
  UncertainAnswer,
  StepAnswer,
  WordsAnswer
} from "../../domain/permissions/Answer.ts"
import { Approver, isStart } from "../approvals/Approver.ts"
import { asJson } from "./Activities.ts"
import { Journal } from "./Journal.ts"

const answeredWith = <A>(answer: Schema.Codec<A, Schema.Json>): Schema.Codec<Answered<A>, Schema.Json> =>
  Schema.Struct({
    answer,
    by: AnsweredBy,
    instead: Schema.optionalKey(Schema.String),
    text: Schema.optionalKey(Schema.String),
    always: Schema.optionalKey(Schema.Array(Schema.String))
  })

/** The schema of the answers to each kind of question. */
export const answered = {
  step: answeredWith<StepAnswer>(StepAnswer),
  call: answeredWith<CallAnswer>(CallAnswer),
  doubt: answeredWith<UncertainAnswer>(UncertainAnswer),
  question: answeredWith<WordsAnswer>(WordsAnswer)
}

const answerKey = (question: string): string => `question/${question}`

/**
 * True for an answer that a resumed run uses. After a no, it asks again, unless the user said what they want instead.
 */
const isFinal = ({ answer, by, instead }: Answered<StepAnswer | CallAnswer | WordsAnswer>): boolean =>
  by === "person" && ((answer !== "decline" && answer !== "deny" && answer !== "nothing") || instead !== undefined)

/** Passes a question to `inner`, unless a recorded answer decides it. Always asks about uncertain calls. */
export const layerRecordedAnswers = <E, R>(inner: Layer.Layer<Approver, E, R>): Layer.Layer<Approver, E, R | Journal> =>
  Layer.effect(
    Approver,
    Effect.gen(function* () {
      const approver = yield* Approver
      const journal = yield* Journal
      const words = approver.question

      /**
       * Returns the answer that the journal has for this question. If there is none, or it cannot be decoded, asks the
       * user.
       */
      const askOnce = Effect.fnUntraced(function* <A extends StepAnswer | CallAnswer | WordsAnswer>(
        question: string,
        codec: Schema.Codec<Answered<A>, Schema.Json>,
        ask: Effect.Effect<Answered<A>>
      ): Effect.fn.Return<Answered<A>> {
        const key = answerKey(question)
        const known = Option.flatMap(yield* journal.saved("answer", key), Schema.decodeUnknownOption(codec))
        if (Option.isSome(known)) return known.value
        const answer = yield* ask
        if (isFinal(answer)) yield* journal.append({ type: "answer", key, value: yield* asJson(codec, answer) })
        return answer
      })

      return Approver.of({
        ...approver,
        step: (title, items, question) => askOnce(question, answered.step, approver.step(title, items, question)),
        /**
         * The gate asks about plugins and servers before every run, so the user's answers about them are not recorded.
         */
        call: (item, question) =>
          isStart(item) && item.tool !== "read_file"
            ? approver.call(item, question)
            : askOnce(question, answered.call, approver.call(item, question)),
        ...(words && { question: (text, id) => askOnce(id, answered.question, words(text, id)) })
      })
    })
  ).pipe(Layer.provide(inner))
