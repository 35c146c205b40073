/**
 * The `Approver` of a worker. It waits until a client on any machine writes an answer into the database
 * (RunFollower.ts).
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { answered } from "../../kit/runs.ts"
import { isStart } from "../../kit/tools.ts"
import { type Answered, Approver } from "../../plugin-kit.ts"
import { ClusterWork, CurrentLease } from "./ClusterWork.ts"

type Codec<A> = Schema.Codec<Answered<A>, Schema.Json>

/** The pause between two reads of an answer, in milliseconds. It grows while no answer arrives. */
const pollPace = { least: 300, most: 1000 }

/** An approver that waits, without a time limit, until a client that follows the run answers. */
export const layerRemoteApprover = (runId: string): Layer.Layer<Approver, never, ClusterWork> =>
  Layer.effect(
    Approver,
    Effect.gen(function* () {
      const work = yield* ClusterWork
      const lookForAnswer = Effect.fnUntraced(function* <A>(
        question: string,
        codec: Codec<A>
      ): Effect.fn.Return<Answered<A>> {
        for (let pace = pollPace.least; ; pace = Math.min(pace * 1.1, pollPace.most)) {
          const [given] = yield* Effect.orDie(work.answers([{ runId, question }]))
          if (given !== undefined)
            return yield* Effect.orDie(Schema.decodeEffect(Schema.fromJsonString(codec))(given.answer))
          yield* Effect.sleep(Duration.millis(pace))
        }
      })
      const awaitAnswer = <A>(question: string, codec: Codec<A>) =>
        Effect.flatMap(CurrentLease, (lease) =>
          Effect.acquireUseRelease(
            Effect.sync(() => lease?.activity.questions.add(question)),
            () => lookForAnswer(question, codec),
            () => Effect.sync(() => lease?.activity.questions.delete(question))
          )
        )
      /*
       * The start of plugins and servers is denied without a question. They start before the run has events, so no
       * client could see the question.
       */
      return Approver.of({
        step: (_title, _items, question) => awaitAnswer(question, answered.step),
        call: (item, question) =>
          isStart(item) ? Effect.succeed({ answer: "deny", by: "nobody" }) : awaitAnswer(question, answered.call),
        inDoubt: (_item, question) => awaitAnswer(question, answered.doubt)
      })
    })
  )
