import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Issue, Reading } from "../../../src/domain/findings/Issue.ts"
import { ModelError, type ModelErrorReason } from "../../../src/domain/models/ModelAnswer.ts"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import {
  type AttemptPlan,
  Attempts,
  AttemptsExhausted,
  type Previous
} from "../../../src/services/pipeline/Attempts.ts"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { ModelSlots } from "../../../src/services/models/ModelSlots.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { type ScriptedAnswer, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { TokenCalibration } from "../../../src/services/models/TokenCalibration.ts"
import { UsageMeter } from "../../../src/services/runs/UsageMeter.ts"
import { EventLog } from "../../support/EventLog.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const settingsOf = (attempts: number) => RunSettings.layer({ limits: { ...defaultLimits, attempts } })

/** Attempts over a model that gives these answers, the last one for ever. */
const layerModel = (answers: ReadonlyArray<ScriptedAnswer | string>) =>
  Attempts.layer.pipe(
    Layer.provide(ModelCaller.layer),
    Layer.provide(ScriptedModel.layer((_, index) => answers[index] ?? answers.at(-1)!)),
    Layer.provide(ModelSlots.layer),
    Layer.provide([UsageMeter.layer, TokenCalibration.layer, Activities.layerUnsaved, Journal.layerNone]),
    Layer.provide(settingsOf(3)),
    Layer.provideMerge(EventLog.layer)
  )

/** Attempts over a caller that answers like this. */
const layerCaller = (answer: (order: Parameters<ModelCaller["Service"]["ask"]>[0]) => string | ModelErrorReason) =>
  Attempts.layer.pipe(
    Layer.provide(
      Layer.succeed(ModelCaller)({
        ask: (order) =>
          Effect.suspend(() => {
            const text = answer(order)
            return typeof text === "string"
              ? Effect.succeed({ text, thinking: "", usage: { durationMs: 1 } })
              : Effect.fail(new ModelError({ reason: text }))
          })
      })
    ),
    Layer.provide(settingsOf(5)),
    Layer.provideMerge(EventLog.layer)
  )

const wrong: Issue = { code: "wrong", where: {}, what: "It is not good.", how: "Say good." }
const shouted = { code: "shouted", where: {}, message: "Read GOOD as good." }

/** Accepts "good", mends "GOOD", has an issue with anything else. */
const readGood = (answer: string): Effect.Effect<Reading<string>> =>
  Effect.succeed(
    answer.toLowerCase() === "good"
      ? { value: Option.some("good"), issues: [], repairs: answer === "good" ? [] : [shouted] }
      : { value: Option.none(), issues: [wrong], repairs: [] }
  )

const say = Effect.fnUntraced(function* (
  layer: Layer.Layer<Attempts | EventLog>,
  more: Partial<Pick<AttemptPlan<string, never, never>, "prompt" | "readPart">> = {}
) {
  const seen: Array<Previous | undefined> = []
  const prompt = (previous: Previous | undefined): FilledPrompt => {
    seen.push(previous)
    return { system: "s", user: `try ${seen.length}` }
  }
  const plan = { stage: "iterate", round: 2, prompt, read: readGood, ...more } as const
  const [outcome, events] = yield* Effect.flatMap(Attempts, (attempts) => Effect.result(attempts.run(plan))).pipe(
    Effect.zip(Effect.map(EventLog, (log) => log.events())),
    Effect.provide(layer)
  )
  return { outcome, seen, rejected: events.filter((event) => event.type.startsWith("answer.")) }
})

const after = (...answers: ReadonlyArray<ScriptedAnswer | string>) => say(layerModel(answers))
const call = (attempt: number) => ({ stage: "iterate" as const, round: 2, attempt })
const succeeds = (attempts: number) => ({ _tag: "Success", success: { value: "good", attempts } })

nodeTest("asks again with the answer and its issues, and tells of repairs", function* () {
  const { outcome, seen, rejected } = yield* after("bad", "GOOD")
  expect(outcome).toMatchObject({ _tag: "Success", success: { value: "good", answer: "GOOD", attempts: 2 } })
  expect(seen).toEqual([undefined, { answer: "bad", issues: [wrong] }])
  expect(rejected).toEqual([
    { type: "answer.rejected", call: call(1), answer: "bad", issues: [wrong], mostAttempts: 3 },
    { type: "answer.repaired", call: call(2), repairs: [shouted] }
  ])
})

nodeTest("gives up after the maximum of attempts, and says when every answer was the same", function* () {
  const { outcome } = yield* after("bad", "worse", "worst")
  const failure = new AttemptsExhausted({ attempts: 3, repeated: false, issues: [wrong] })
  expect(outcome).toMatchObject({ _tag: "Failure", failure })
  expect(failure.message).toBe("after 3 tries.")
  const same = yield* after("bad", " bad\n")
  const message = "after 3 tries. The model gave the same answer every time."
  expect(same.outcome).toMatchObject({ _tag: "Failure", failure: { message } })
  expect(same.seen.length).toBe(3)
})

nodeTest("counts an answer that is empty, only thought or cut off as an attempt with an issue", function* () {
  const short = { text: "go", finish: "length" } as const
  const { outcome, seen } = yield* after(short, { text: " ", thinking: "Let me think." }, "good")
  expect(outcome).toMatchObject(succeeds(3))
  const codes = seen.map((previous) => previous?.issues.map(({ code }) => code))
  expect(codes).toEqual([undefined, ["answer-cut-off"], ["answer-empty"]])
  expect(seen[1]?.answer).toBe("go")
})

nodeTest("tells what was whole in an answer that was cut off, and what is wrong there", function* () {
  const late: Issue = { ...wrong, where: { line: 3 } }
  const short = { text: "# A\n\nbad\n\n## B\n\nand", finish: "length" } as const
  const readPart = (part: string) => (part === "# A\n\nbad" ? [late, wrong] : [])
  const { seen } = yield* say(layerModel([short, "good"]), { readPart })
  const what = "The answer ran into the length limit and broke off. It was whole up to the line `## B`."
  expect(seen[1]?.issues).toEqual([{ code: "answer-cut-off", where: {}, what, how: "Answer shorter." }, late])
})

const looping = (sentence: string) => `# Start\n\n${`${sentence} `.repeat(100)}`

nodeTest("shows a stopped answer by its beginning only, says why, and counts it as an attempt", function* () {
  const sentence = "I will read the file main.ts again."
  const { outcome, seen } = yield* after(looping(sentence), "good")
  expect(outcome).toMatchObject(succeeds(2))
  const what = `The answer was stopped: it repeated "${sentence}" 21 times.`
  expect(seen[1]?.issues).toMatchObject([{ code: "answer-loop", what }])
  expect(seen[1]?.answer).toMatch(/^# Start\n\n\[The answer was stopped; \d+ characters are left out\.\]$/)
})

nodeTest("goes on after two answers that were stopped for different loops", function* () {
  const thoughts = ["Wait, let me look at this again.", "Maybe I should begin with another file."]
  const { outcome } = yield* after(...thoughts.map((one) => ({ text: "", thinking: looping(one) })), "good")
  expect(outcome).toMatchObject(succeeds(3))
})

/** A prompt that shows the answer before. */
const withAnswer = (previous: Previous | undefined) => ({ system: "s", user: `try ${previous?.answer ?? ""}` })

nodeTest("asks without the answer before when it leaves no room", function* () {
  const prompts: Array<string> = []
  const layer = layerCaller(({ prompt: { user } }) => {
    prompts.push(user)
    if (user.length > 6) return { _tag: "ContextOverflow", estimated: 9000, window: 8192 }
    return prompts.length > 1 ? "good" : "bad"
  })
  const { outcome } = yield* say(layer, { prompt: withAnswer })
  expect(outcome).toMatchObject(succeeds(2))
  expect(prompts).toEqual(["try ", "try bad", "try "])
})

/** With a grammar: which calls are held to it, with these answers. */
const bounds = Effect.fnUntraced(function* (
  read: AttemptPlan<string, never, never>["read"],
  ...answers: ReadonlyArray<string>
) {
  const held: Array<boolean> = []
  const layer = layerCaller(({ bound }) => answers[held.push(bound?.grammar !== undefined) - 1] ?? "good")
  const plan = { stage: "plan", round: 0, prompt: withAnswer, read, grammar: () => "root" } as const
  yield* Effect.provide(
    Effect.flatMap(Attempts, (attempts) => attempts.run(plan)),
    layer
  )
  return held
})

nodeTest("holds the server to the grammar after one answer that was no document, or two that had issues", function* () {
  expect(yield* bounds(readGood, "bad", "worse")).toEqual([false, true, true])
  const readWithIssues: typeof readGood = (answer) =>
    Effect.map(readGood(answer), (reading) => ({ ...reading, value: Option.some(answer) }))
  expect(yield* bounds(readWithIssues, "bad", "worse", "worst")).toEqual([false, false, true, true])
})

const cut = (tokens: number) => ({ _tag: "ThinkingCutOff", tokens }) as const

/** How each attempt was tuned: by how many repetitions, and by how many thoughts that were cut. */
const tuned = Effect.fnUntraced(function* (...outcomes: ReadonlyArray<string | ModelErrorReason>) {
  const tunings: Array<string> = []
  const layer = layerCaller(
    ({ tuning }) => outcomes[tunings.push(`${tuning?.repeats} ${tuning?.thinkingCuts}`) - 1] ?? "good"
  )
  return { ...(yield* say(layer)), tunings }
})

nodeTest("samples differently after each answer that repeats a rejected one, also an older one", function* () {
  const { outcome, tunings } = yield* tuned("bad", "worse", " bad", "worse", "good")
  expect(outcome._tag).toBe("Success")
  expect(tunings).toEqual(["0 0", "0 0", "0 0", "1 0", "2 0"])
})

nodeTest("tells a model that it was cut off while it thought, and asks without thoughts from then on", function* () {
  const { seen, tunings } = yield* tuned(cut(4000), "bad", { _tag: "ThinkingOnly", thinking: "Hm." }, cut(8000))
  expect(tunings).toEqual(["0 0", "0 1", "0 1", "0 2", "0 3"])
  const what = "The thinking ran into the length limit, so there was no answer."
  expect(seen[1]).toMatchObject({ answer: "", issues: [{ code: "answer-empty", what }] })
  /* That is no repetition. */
  const { outcome } = yield* tuned(...[1, 2, 3, 4, 5].map(() => cut(1)))
  expect(outcome).toMatchObject({ failure: { attempts: 3, repeated: false } })
})
