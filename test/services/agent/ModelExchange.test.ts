/** What is sent to the model, when a prompt is made shorter, and what is read out of its answer. */
import { plainAnswer } from "../../../src/domain/documents/UnusableAnswer.ts"
import { noRetries } from "../../../src/domain/documents/Retries.ts"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { TurnAnswer } from "../../../src/domain/documents/TurnAnswer.ts"
import { nothingAsked } from "../../../src/domain/documents/TurnFormat.ts"
import { makeIssue } from "../../../src/domain/findings/Issue.ts"
import { fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import { type ModelAnswer, ModelError, type ModelErrorReason } from "../../../src/domain/models/ModelAnswer.ts"
import { makeModelExchange } from "../../../src/services/agent/ModelExchange.ts"
import { newSession, type AgentWork, type Session } from "../../../src/services/agent/Session.ts"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { agentPrompt, workOf } from "../../support/AgentWork.ts"
import { openStages, type OpenStages } from "../../support/OpenStages.ts"
import { nodeTest } from "../../support/nodeTest.ts"

type Request = Parameters<ModelCaller["Service"]["ask"]>[0]

const saying = (text: string): ModelAnswer => ({ text, thinking: "", usage: { durationMs: 1 } })
const refusal = (reason: ModelErrorReason) => new ModelError({ reason })
const tooLong = refusal({ _tag: "ContextOverflow", estimated: 9000, window: 8000, isRefused: true })

/** An exchange with a model that gives these answers, with the requests that reached it. */
const open = Effect.fnUntraced(function* (
  answers: ReadonlyArray<ModelAnswer | ModelError> = [],
  settings: OpenStages["settings"] = {},
  files: OpenStages["files"] = {}
) {
  const { compaction, within } = yield* openStages({ settings, files })
  const requests: Array<Request> = []
  const caller = ModelCaller.of({
    ask: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        const answer = answers[requests.length - 1] ?? saying("It is 5.")
        return answer instanceof ModelError ? Effect.fail(answer) : Effect.succeed(answer)
      })
  })
  const exchange = yield* within(Effect.provideService(makeModelExchange(compaction), ModelCaller, caller))
  return { ...exchange, requests }
})

const begun: Session = { ...newSession([fromHost("Begin.")]), turn: 3 }
const after = (...unusable: ReadonlyArray<string>): Session => ({ ...begun, retries: { ...noRetries, unusable } })
const tools = ["read_file", "edit_file"]

describe("the model", () => {
  nodeTest("is asked under the name of the turn, and the session is known before", function* () {
    const saved: Array<Session> = []
    const work = workOf({}, { saveSession: (session) => Effect.sync(() => void saved.push(session)) })
    const { askModel, requests } = yield* open()
    const { answer, session } = yield* askModel(work, () => begun)
    assert.deepStrictEqual([answer.text, answer.issues, session, saved], ["It is 5.", [], begun, [begun]])
    const [request] = requests
    assert.deepStrictEqual(request?.id, { stage: "task", round: 1, task: "Look", attempt: 3 })
    assert.deepStrictEqual([request?.bound, request !== undefined && "listen" in request], [{}, false])
    const heard = { listen: () => () => undefined }
    yield* askModel(workOf({}, heard), () => begun)
    assert.strictEqual(requests[1]?.listen, heard.listen)
  })

  nodeTest("is held to a form only after an answer that could not be used", function* () {
    const offered: Array<ReadonlyArray<string>> = []
    const prompt = {
      ...agentPrompt,
      grammar: (all: ReadonlyArray<{ readonly name: string }>) =>
        Effect.sync(() => {
          offered.push(all.map(({ name }) => name))
          return "root ::= x"
        })
    }
    const { askModel, requests } = yield* open()
    const work = { ...workOf({ tools }), prompt }
    const boundAfter = function* (session: Session, given: AgentWork<string> = work) {
      yield* askModel(given, () => session)
      const bound = requests.at(-1)?.bound ?? {}
      return [bound.grammar, bound.format !== undefined]
    }
    const call = "read_file({"
    const written = '{"name": "read_file", "arguments": {"path": '
    assert.deepStrictEqual(yield* boundAfter(begun), [undefined, false])
    assert.deepStrictEqual(yield* boundAfter(after("Hm.")), ["root ::= x", false])
    assert.deepStrictEqual(yield* boundAfter(after(call, written)), ["root ::= x", true])
    assert.deepStrictEqual(yield* boundAfter(after(written, "Hm.")), ["root ::= x", false])
    assert.deepStrictEqual(offered, [["read_file"], ["read_file"], ["read_file"]])
    const changing = { ...work, assignment: { ...work.assignment, tools: ["edit_file"] } }
    assert.deepStrictEqual(yield* boundAfter(after(written), changing), ["root ::= x", false])
    assert.deepStrictEqual(yield* boundAfter(after(written), workOf({ tools })), [undefined, true])
  })

  nodeTest("is not held to a form where it is offered its tools through the interface", function* () {
    const { askModel, requests } = yield* open([], { toolCalls: "native" })
    yield* askModel(workOf({ tools }), () => after('{"name": "read_file", "arguments": {'))
    assert.deepStrictEqual(requests[0]?.bound, {})
  })

  nodeTest("is sent a prompt once more that is refused as too long, when it became shorter", function* () {
    const long = { ...begun, messages: [fromHost("Begin, and look at all of it.")] }
    const prepared = [long, begun]
    const { askModel, requests } = yield* open([tooLong])
    const { session } = yield* askModel(workOf(), () => prepared.shift() ?? begun)
    assert.deepStrictEqual([session, requests.length], [begun, 2])
    const same = yield* open([tooLong])
    assert.strictEqual(yield* Effect.flip(same.askModel(workOf(), () => begun)), tooLong)
    assert.strictEqual(same.requests.length, 1)
  })

  nodeTest("gave an answer with issues when it failed and can answer differently before the work ends", function* () {
    const cut = refusal({ _tag: "CutOff", partial: "It is" })
    const { askModel } = yield* open([cut, cut, cut, refusal({ _tag: "Refused", detail: "No." })])
    const { answer } = yield* askModel(workOf(), () => begun)
    assert.deepStrictEqual(
      answer.issues.map(({ code }) => code),
      ["answer-cut-off"]
    )
    const goesOn = yield* askModel(workOf({}, { isFinal: () => false }), () => begun)
    assert.strictEqual(goesOn.answer.text, "It is")
    assert.strictEqual(yield* Effect.flip(askModel(workOf({}, { isFinal: () => true }), () => begun)), cut)
    assert.strictEqual((yield* Effect.flip(askModel(workOf(), () => begun))).reason._tag, "Refused")
  })
})

const answerOf = (text: string, more: Partial<TurnAnswer> = {}): TurnAnswer => ({
  ...plainAnswer(text),
  thinking: "",
  askedCalls: [],
  ...more
})

describe("an answer", () => {
  const asked = [{ id: "1", name: "read_file", arguments: { path: "a.ts" } }]

  /** The text that the work was given to read, if it was. */
  const reading = Effect.fnUntraced(function* (answer: TurnAnswer, settings: OpenStages["settings"] = {}) {
    const texts: Array<string> = []
    const { readAnswer } = yield* open([], settings)
    const work = workOf(
      { tools },
      {
        read: (text) =>
          Effect.sync(() => {
            texts.push(text)
            return { ...nothingAsked, report: text }
          })
      }
    )
    return { texts, parsed: yield* readAnswer(work, answer) }
  })

  nodeTest("is read by its work, but not where it has issues already, or only calls of the interface", function* () {
    const { parsed, texts } = yield* reading(answerOf("It is 5."))
    assert.deepStrictEqual([texts, parsed.content.report], [["It is 5."], "It is 5."])
    const issue = makeIssue("answer-empty", {}, { what: "The answer was empty." })
    const broken = yield* reading(answerOf("It is", { issues: [issue] }))
    assert.deepStrictEqual([broken.texts, broken.parsed.content.issues], [[], [issue]])
    const calls = yield* reading(answerOf(" ", { askedCalls: asked }), { toolCalls: "native" })
    assert.deepStrictEqual([calls.texts, calls.parsed.native.length], [[], 1])
    const both = yield* reading(answerOf("I look.", { askedCalls: asked }), { toolCalls: "native" })
    assert.deepStrictEqual([both.texts, both.parsed.native.length], [["I look."], 1])
    assert.deepStrictEqual((yield* reading(answerOf(""))).texts, [""])
    assert.deepStrictEqual((yield* reading(answerOf("", { askedCalls: asked }))).parsed.native, [])
  })

  nodeTest("is read with the files of the project that it names, where the work may change files", function* () {
    const { readAnswer } = yield* open([], {}, { "src/limit.ts": "export const limit = 5\n" })
    const pathsWith = function* (names: ReadonlyArray<string>) {
      const known: Array<number> = []
      const read = (_: string, paths: ReadonlyMap<string, unknown>) =>
        Effect.sync(() => {
          known.push(paths.size)
          return nothingAsked
        })
      const change = "src/limit.ts\n<<<<<<< OLD\nexport const limit = 5\n=======\nexport const limit = 6\n>>>>>>> NEW\n"
      yield* readAnswer(workOf({ tools: names }, { read }), answerOf(change))
      return known
    }
    assert.deepStrictEqual(yield* pathsWith(["read_file"]), [0])
    assert.deepStrictEqual(yield* pathsWith(["read_file", "edit_file"]), [1])
  })
})
