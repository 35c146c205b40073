import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Issue, Reading } from "../../../src/domain/findings/Issue.ts"
import { ModelError, type ModelErrorReason } from "../../../src/domain/models/ModelAnswer.ts"
import type { Tuning } from "../../../src/services/models/CallPlan.ts"
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

const settings = RunSettings.layer({ limits: { ...defaultLimits, attempts: 3 } })

/** Attempts over a model that gives these answers, the last one for ever. */
const over = (...answers: ReadonlyArray<ScriptedAnswer | string>) =>
  Attempts.layer.pipe(
    Layer.provide(ModelCaller.layer),
    Layer.provide(ScriptedModel.layer((_, index) => answers[index] ?? answers.at(-1)!)),
    Layer.provide(ModelSlots.layer),
    Layer.provide([UsageMeter.layer, TokenCalibration.layer, Activities.layerUnsaved, Journal.layerNone]),
    Layer.provide(settings),
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
  more: Partial<Pick<AttemptPlan<string, never, never>, "prompt" | "readPart">> = {},
  read: (answer: string) => Effect.Effect<Reading<string>> = readGood
) {
  const attempts = yield* Attempts
  const log = yield* EventLog
  const seen: Array<Previous | undefined> = []
  const outcome = yield* Effect.result(
    attempts.run({
      stage: "iterate",
      round: 2,
      prompt: (previous): FilledPrompt => {
        seen.push(previous)
        return { system: "s", user: `try ${seen.length}` }
      },
      read,
      ...more
    })
  )
  return { outcome, seen, rejected: log.events().filter((event) => event.type.startsWith("answer.")) }
})

const call = (attempt: number) => ({ stage: "iterate" as const, round: 2, attempt })

it.effect("takes the first answer that has no issue", () =>
  Effect.gen(function* () {
    const { outcome, seen, rejected } = yield* say()
    expect(outcome).toMatchObject({ _tag: "Success", success: { value: "good", answer: "good", attempts: 1 } })
    expect(seen).toEqual([undefined])
    expect(rejected).toEqual([])
  }).pipe(Effect.provide(over("good")))
)

it.effect("asks again with the answer and its issues, and tells of repairs", () =>
  Effect.gen(function* () {
    const { outcome, seen, rejected } = yield* say()
    expect(outcome).toMatchObject({ _tag: "Success", success: { value: "good", answer: "GOOD", attempts: 2 } })
    expect(seen).toEqual([undefined, { answer: "bad", issues: [wrong] }])
    expect(rejected).toEqual([
      { type: "answer.rejected", call: call(1), answer: "bad", issues: [wrong], mostAttempts: 3 },
      { type: "answer.repaired", call: call(2), repairs: [shouted] }
    ])
  }).pipe(Effect.provide(over("bad", "GOOD")))
)

it.effect("gives up after the maximum of attempts with the last issues", () =>
  Effect.gen(function* () {
    const { outcome } = yield* say()
    expect(outcome).toMatchObject({
      _tag: "Failure",
      failure: new AttemptsExhausted({ attempts: 3, repeated: false, issues: [wrong] })
    })
    expect(outcome._tag === "Failure" && outcome.failure.message).toBe("after 3 tries.")
  }).pipe(Effect.provide(over("bad", "worse", "worst")))
)

it.effect("says when every answer was the same", () =>
  Effect.gen(function* () {
    const { outcome, seen } = yield* say()
    expect(outcome._tag === "Failure" && outcome.failure.message).toBe(
      "after 3 tries. The model gave the same answer every time."
    )
    expect(seen.length).toBe(3)
  }).pipe(Effect.provide(over("bad", " bad\n")))
)

it.effect("counts an answer that is empty, only thought or cut off as an attempt with an issue", () =>
  Effect.gen(function* () {
    const { outcome, seen } = yield* say()
    expect(outcome).toMatchObject({ _tag: "Success", success: { attempts: 3 } })
    expect(seen.map((previous) => previous?.issues.map((issue) => issue.code))).toEqual([
      undefined,
      ["answer-cut-off"],
      ["answer-empty"]
    ])
    expect(seen[1]?.answer).toBe("go")
  }).pipe(Effect.provide(over({ text: "go", finish: "length" }, { text: " ", thinking: "Let me think." }, "good")))
)

it.effect("tells what was whole in an answer that was cut off, and what is wrong there", () =>
  Effect.gen(function* () {
    const late: Issue = { ...wrong, where: { line: 3 } }
    const { seen } = yield* say({ readPart: (part) => (part === "# A\n\nbad" ? [late, wrong] : []) })
    expect(seen[1]?.issues).toEqual([
      {
        code: "answer-cut-off",
        where: {},
        what: "The answer ran into the length limit and broke off. It was whole up to the line `## B`.",
        how: "Answer shorter."
      },
      late
    ])
  }).pipe(Effect.provide(over({ text: "# A\n\nbad\n\n## B\n\nand", finish: "length" }, "good")))
)

const looping = (sentence: string) => `# Start\n\n${`${sentence} `.repeat(100)}`

it.effect("shows a stopped answer by its beginning only, says why it was stopped, and counts it as an attempt", () =>
  Effect.gen(function* () {
    const { outcome, rejected, seen } = yield* say()
    expect(outcome).toMatchObject({ _tag: "Success", success: { attempts: 2 } })
    const sentence = "I will read the file main.ts again."
    expect(seen[1]?.issues).toEqual([
      {
        code: "answer-loop",
        where: {},
        what: `The answer was stopped: it repeated "${sentence}" 21 times.`,
        how: "Write the document, write everything once, and stop."
      }
    ])
    const answer = seen[1]?.answer ?? ""
    expect(answer).toMatch(/^# Start\n\n\[The answer was stopped; \d+ characters are left out\.\]$/)
    expect(rejected).toEqual([
      { type: "answer.rejected", call: call(1), answer: looping(sentence), issues: seen[1]?.issues, mostAttempts: 3 }
    ])
  }).pipe(Effect.provide(over(looping("I will read the file main.ts again."), "good")))
)

it.effect("goes on after two answers that were stopped for different loops", () =>
  Effect.gen(function* () {
    const { outcome } = yield* say()
    expect(outcome).toMatchObject({ _tag: "Success", success: { attempts: 3 } })
  }).pipe(
    Effect.provide(
      over(
        { text: "", thinking: looping("Wait, let me look at this again.") },
        { text: "", thinking: looping("Maybe I should begin with another file.") },
        "good"
      )
    )
  )
)

/** Attempts over a caller with these outcomes; gives how each attempt was tuned. */
const tuned = (...outcomes: ReadonlyArray<string | ModelErrorReason>) =>
  Effect.gen(function* () {
    const tunings: Array<Tuning | undefined> = []
    const caller = Layer.succeed(ModelCaller)(
      ModelCaller.of({
        ask: ({ tuning }) =>
          Effect.suspend(() => {
            const said = outcomes[tunings.push(tuning) - 1] ?? "good"
            return typeof said === "string"
              ? Effect.succeed({ text: said, thinking: "", usage: { durationMs: 1 } })
              : Effect.fail(new ModelError({ reason: said }))
          })
      })
    )
    const layer = Attempts.layer.pipe(
      Layer.provide(caller),
      Layer.provide(RunSettings.layer({ limits: { ...defaultLimits, attempts: 5 } })),
      Layer.provideMerge(EventLog.layer)
    )
    const { outcome, seen } = yield* Effect.provide(say(), layer)
    return { outcome, seen, tunings: tunings.map((tuning) => [tuning?.repeats, tuning?.thinkingCuts]) }
  })

/** A prompt that shows the answer before. */
const withAnswer = (previous: Previous | undefined): FilledPrompt => ({
  system: "s",
  user: `try ${previous?.answer ?? ""}`
})

it.effect("asks without the answer before when it leaves no room", () =>
  Effect.gen(function* () {
    const prompts: Array<string> = []
    const caller = Layer.succeed(ModelCaller)(
      ModelCaller.of({
        ask: ({ prompt: { user } }) =>
          Effect.suspend(() => {
            prompts.push(user)
            return user.length > 6
              ? Effect.fail(new ModelError({ reason: { _tag: "ContextOverflow", estimated: 9000, window: 8192 } }))
              : Effect.succeed({ text: prompts.length > 1 ? "good" : "bad", thinking: "", usage: { durationMs: 1 } })
          })
      })
    )
    const layer = Attempts.layer.pipe(Layer.provide([caller, settings]), Layer.provideMerge(EventLog.layer))
    const { outcome } = yield* Effect.provide(say({ prompt: withAnswer }), layer)
    expect(outcome).toMatchObject({ _tag: "Success", success: { value: "good", attempts: 2 } })
    expect(prompts).toEqual(["try ", "try bad", "try "])
  })
)

/** With a grammar: which calls are held to it, with these answers. */
const bounds = (read: AttemptPlan<string, never, never>["read"], ...answers: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const held: Array<boolean> = []
    const caller = Layer.succeed(ModelCaller)(
      ModelCaller.of({
        ask: ({ bound }) =>
          Effect.sync(() => ({
            text: answers[held.push(bound?.grammar !== undefined) - 1] ?? "good",
            thinking: "",
            usage: { durationMs: 1 }
          }))
      })
    )
    const layer = Attempts.layer.pipe(
      Layer.provide(caller),
      Layer.provide(RunSettings.layer({ limits: { ...defaultLimits, attempts: 5 } })),
      Layer.provideMerge(EventLog.layer)
    )
    const plan = {
      stage: "plan",
      round: 0,
      prompt: () => ({ system: "", user: "" }),
      read,
      grammar: () => "root"
    } as const
    yield* Effect.provide(
      Effect.flatMap(Attempts, (attempts) => attempts.run(plan)),
      layer
    )
    return held
  })

it.effect("holds the server to the grammar after one answer that was no document, or two that had issues", () =>
  Effect.gen(function* () {
    expect(yield* bounds(readGood, "bad", "worse")).toEqual([false, true, true])
    const readWithIssues: typeof readGood = (answer) =>
      Effect.map(readGood(answer), (reading) => ({ ...reading, value: Option.some(answer) }))
    expect(yield* bounds(readWithIssues, "bad", "worse", "worst")).toEqual([false, false, true, true])
  })
)

it.effect("samples differently after each answer that repeats a rejected one, also an older one", () =>
  Effect.gen(function* () {
    const { outcome, tunings } = yield* tuned("bad", "worse", " bad", "worse", "good")
    expect(outcome._tag).toBe("Success")
    expect(tunings).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
      [1, 0],
      [2, 0]
    ])
  })
)

it.effect(
  "says to a model that was cut off while it thought what happened, and asks without thoughts from then on",
  () =>
    Effect.gen(function* () {
      const { seen, tunings } = yield* tuned(
        { _tag: "ThinkingCutOff", tokens: 4000 },
        "bad",
        { _tag: "ThinkingOnly", thinking: "Hm." },
        { _tag: "ThinkingCutOff", tokens: 8000 }
      )
      expect(tunings).toEqual([
        [0, 0],
        [0, 1],
        [0, 1],
        [0, 2],
        [0, 3]
      ])
      expect(seen[1]).toEqual({
        answer: "",
        issues: [
          {
            code: "answer-empty",
            where: {},
            what: "The thinking ran into the length limit, so there was no answer.",
            how: "Write the document at once, without thinking first."
          }
        ]
      })
    })
)

it.effect("does not call it repetition when a model only thinks every time", () =>
  Effect.gen(function* () {
    const { outcome } = yield* tuned(
      ...Array.from({ length: 5 }, () => ({ _tag: "ThinkingCutOff", tokens: 1 }) as const)
    )
    expect(outcome).toMatchObject({ failure: { attempts: 3, repeated: false } })
  })
)
