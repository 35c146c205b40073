/**
 * The gate and the tools of a replay, with the recorded decisions. No code of a tool runs, not even to prepare a call.
 * Rules decide about plugins and servers, and nobody is asked.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type JournalRecord, publishedEvents, type RecordedTool, RunEvents } from "../../kit/runs.ts"
import { canonicalJson } from "../../kit/text.ts"
import {
  Gate,
  type GateQuestion,
  jsonSchemaParameters,
  type OpenQuestion,
  type PermissionDenied,
  userQuestionId,
  RunAnswers,
  SavedDenial,
  type ToolCall,
  ToolRegistry
} from "../../kit/tools.ts"
import {
  type Answered,
  type AnyAnswer,
  definePlugin,
  type EventOf,
  type Plugin,
  type Risk,
  type RunEvent,
  tool,
  ToolFailure
} from "../../plugin-kit.ts"
import * as Result from "effect/Result"

/** An answered question about a step or the calls of a turn. */
interface Decided {
  readonly planKey: string
  readonly title: string
  readonly events: Array<RunEvent>
}

/**
 * The questions about steps and turns, in order. If a flag answered a question, the journal contains only the answer.
 */
const decidedSteps = (events: ReadonlyArray<RunEvent>): ReadonlyArray<Decided> => {
  const decisions: Array<Decided & { readonly hash: string }> = []
  let planKey = ""
  let title = ""
  for (const event of events) {
    if (event.type === "round.started" || event.type === "step.started") planKey = `round-${event.round}`
    if (event.type === "step.started") title = event.title
    if ((event.type !== "approval.requested" && event.type !== "approval.answered") || event.scope !== "step") continue
    const { hash } = event
    const open = event.type === "approval.answered" ? decisions.findLast((one) => one.hash === hash) : undefined
    if (open?.events.length === 1) open.events.push(event)
    else
      decisions.push({
        planKey,
        title: event.type === "approval.requested" ? event.title : title,
        hash,
        events: [event]
      })
  }
  return decisions
}

/** The risk of each call that was started or asked about. */
const risksOf = (events: ReadonlyArray<RunEvent>): ReadonlyMap<string, Risk> => {
  const risks = new Map<string, Risk>()
  for (const event of events) {
    if (event.type === "tool.started") risks.set(canonicalJson({ ...event.call }), event.risk)
    if (event.type !== "approval.requested") continue
    for (const { call, risk } of event.items) if (call !== undefined) risks.set(canonicalJson({ ...call }), risk)
  }
  return risks
}

const decodeDenied = Schema.decodeUnknownSync(Schema.toCodecJson(SavedDenial))
const isDenied = Schema.is(Schema.TaggedStruct("Denied", {}))
const hasDenials = Schema.is(Schema.Struct({ denials: Schema.Array(Schema.Json) }))

/** The denied calls and references. */
const denialsOf = (own: ReadonlyArray<JournalRecord>): ReadonlyArray<PermissionDenied> =>
  own.flatMap((record) => {
    if (record.type === "failure") return isDenied(record.error) ? [decodeDenied(record.error)] : []
    return record.type === "seen" && hasDenials(record.value)
      ? record.value.denials.map((one) => decodeDenied(one))
      : []
  })

/**
 * Replaces the gate and the tools. `events` come from the whole journal, `ownRecords` only from the session. If a
 * question has no recorded answer, the replay waits for `endless`, which never completes.
 */
export const layerReplayDecisions = (
  events: ReadonlyArray<RunEvent>,
  ownRecords: ReadonlyArray<JournalRecord>,
  endless: Effect.Effect<never>
): Layer.Layer<Gate | RunAnswers | ToolRegistry, never, Gate | RunAnswers | RunEvents | ToolRegistry> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const gate = yield* Gate
      const registry = yield* ToolRegistry
      const { publish } = yield* RunEvents
      const open = [...decidedSteps(publishedEvents(ownRecords))]
      /** The model's questions, each followed by its answer. The model asks one at a time. */
      const questions = publishedEvents(ownRecords).filter(
        (event): event is EventOf<"approval.answered" | "approval.requested"> =>
          (event.type === "approval.requested" || event.type === "approval.answered") && event.scope === "question"
      )
      const risks = risksOf(events)

      /** The decision about a step. If the journal has no events about its approval, the step needed no approval. */
      const askCallList = Effect.fnUntraced(function* (step: {
        readonly planKey: string
        readonly title: string
      }): Effect.fn.Return<Answered<AnyAnswer>> {
        const index = open.findIndex(({ planKey, title }) => planKey === step.planKey && title === step.title)
        const [decided] = index === -1 ? [] : open.splice(index, 1)
        if (decided === undefined) return { answer: "step", by: "rule" }
        yield* Effect.forEach(decided.events, publish, { discard: true })
        const answer = decided.events.find(
          (event): event is EventOf<"approval.answered"> => event.type === "approval.answered"
        )
        // If no answer is recorded, the session ended while the question was open.
        if (answer === undefined) return yield* endless
        return { answer: answer.answer === "decline" ? "decline" : "step", by: answer.by }
      })

      const askWords = Effect.fnUntraced(function* (
        place: string,
        text: string
      ): Effect.fn.Return<Answered<AnyAnswer>> {
        const hash = userQuestionId(place, text)
        const index = questions.findIndex((event) => event.hash === hash)
        const [requested, answer] = index === -1 ? [] : questions.splice(index, 2)
        if (requested !== undefined) yield* publish(requested)
        if (answer?.type !== "approval.answered" || answer.hash !== hash) return yield* endless
        yield* publish(answer)
        return { answer: answer.text === undefined ? "nothing" : "said", by: answer.by, text: answer.text }
      })

      const prepare = (call: ToolCall) => {
        const info = registry.find(call.name)
        const risk = risks.get(canonicalJson({ ...call }))
        return info === undefined || risk === undefined
          ? Effect.fail(new ToolFailure({ type: "not_found", message: `The call ${call.uid} is not in the journal.` }))
          : Effect.succeed({ call, info, risk, accesses: [] })
      }
      const decode = (call: ToolCall) => Effect.map(prepare(call), (known) => ({ resolve: Effect.succeed(known) }))
      const denials = Effect.succeed(denialsOf(ownRecords))
      const ask = (question: OpenQuestion) => {
        if (question.scope === "step") return askCallList(question)
        return question.scope === "question" ? askWords(question.place, question.text) : gate.ask(question)
      }
      /* A replay makes no new decisions: every call needs a recorded one, whatever today's rules say. */
      const decide = (question: GateQuestion) =>
        question.prepared === undefined
          ? gate.decide(question)
          : Effect.succeed({ _tag: "Ask" as const, question, rules: [] })
      return Context.make(Gate, { ...gate, ask, decide }).pipe(
        Context.add(RunAnswers, { ...(yield* RunAnswers), denials }),
        Context.add(ToolRegistry, { ...registry, decode, prepare, inspect: () => Effect.undefined })
      )
    })
  )

/** A plugin for each recorded tool. If a tool is invalid, only this tool is dropped. */
export const recordedPlugins = (tools: ReadonlyArray<RecordedTool>): ReadonlyArray<Plugin> =>
  tools.flatMap(({ aliases, description, effect, example, name, origin, parameters, risk }) =>
    Result.match(jsonSchemaParameters(parameters), {
      onFailure: () => [],
      onSuccess: (codec) => [
        definePlugin({
          name: origin,
          tools: Effect.succeed({
            [name]: tool({
              description,
              parameters: codec,
              risk,
              effect,
              example,
              aliases,
              execute: () => Effect.die("A replay runs no tools.")
            })
          })
        })
      ]
    })
  )
