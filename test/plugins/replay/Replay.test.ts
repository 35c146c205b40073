import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import type { RunStatus } from "../../../src/domain/runs/RunReport.ts"
import { definePlugin, tool } from "../../../src/plugin-kit.ts"
import type { Session } from "../../support/KeptRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { lookAndWrite, modelOf, stageOf, start, taskOf, willing } from "../../support/ReplayedRun.ts"
import { answering, plays, writers } from "../../support/ReplayPlays.ts"

/** A plugin whose tool is called with another name of its parameter, and once with a wrong argument. */
const wordPlugin = definePlugin({
  name: "words",
  tools: Effect.succeed({
    word_count: tool({
      description: "Counts the words of a text. Use it to count.",
      parameters: Schema.Struct({
        text: Schema.String.annotate({ description: "The text." }),
        least: Schema.optionalKey(Schema.Int.annotate({ description: "Default: 0." }))
      }),
      aliases: { content: "text" },
      risk: "medium",
      effect: "once",
      example: { text: "one two" },
      execute: ({ least = 0, text }) => Effect.succeed(Math.max(least, text.split(" ").length))
    })
  })
})

const counter = modelOf([[{ name: "Count 1", skill: "free" }]], {
  "Count 1": [{ name: "word_count", arguments: { content: "one two three" } }]
})

/** What happens inside a call is taken from the journal instead of told again. */
const isInside = (event: RunEvent): boolean =>
  ["model.started", "model.failed", "tool.started"].includes(event.type) || ("scope" in event && event.scope !== "step")

/** The events without times and costs. */
const lasting = (events: ReadonlyArray<RunEvent>): ReadonlyArray<unknown> =>
  JSON.parse(
    JSON.stringify(events, (key, value: unknown) => (key === "metadata" || key === "usage" ? undefined : value))
  ) as ReadonlyArray<unknown>

const taskOfEvent = (event: RunEvent): string => {
  if ("task" in event && event.task !== undefined) return event.task
  if ("id" in event) return event.id.task
  return "call" in event ? (event.call.task ?? "the run") : "the run"
}

/** Each task with all that was told of it, in order; the run itself likewise. */
const byTask = (events: ReadonlyArray<RunEvent>) =>
  Object.fromEntries(
    [...new Set(events.map(taskOfEvent))]
      .toSorted()
      .map((task) => [task, lasting(events.filter((event) => taskOfEvent(event) === task))])
  )

describe("the events of a replay", () => {
  for (const [what, approver] of [
    ["done", willing],
    ["declined", answering(["decline"], ["once"])]
  ] as const) {
    liveTest(`are those of the run, one after another, when it was ${what}`, function* () {
      const run = yield* start()
      const { report } = yield* run.session({ answer: lookAndWrite, approver })
      expect(report?.status).toBe(what)
      const { before, now } = yield* run.toldTwice
      expect(byTask(now)).toEqual(byTask(before.filter((event) => !isInside(event))))
      expect(now.length).toBeGreaterThan(20)
    })
  }
})

const failing = (prompt: FilledPrompt): boolean => stageOf(prompt) === "execution" && taskOf(prompt) === "Look 1"

/** As the other, but what `Look 1` found is said in a form that nobody can read. */
const mumbling =
  (answer: (prompt: FilledPrompt) => string): Session["answer"] =>
  (prompt) =>
    failing(prompt) ? "Mumble." : answer(prompt)

const afterFailure = modelOf(
  [[{ name: "Look 1" }, { name: "Look 2" }], [{ name: "Look 3", references: "[a](#look-1-results)" }]],
  {},
  [[[{ name: "Look 4", references: "[b](#look-2-results)" }]]]
)
const threeRounds = modelOf([[{ name: "Look 1" }]], {}, [[[{ name: "Look 2" }]], [[{ name: "Look 3" }]]])
const rounds = (count: number) => ({ limits: { ...defaultLimits, rounds: count } })

const cases: ReadonlyArray<[what: string, status: RunStatus, ...sessions: ReadonlyArray<Session>]> = [
  ["it read and wrote and was done", "done", { answer: lookAndWrite, approver: willing }],
  ["the code of a plugin is missing", "done", { answer: counter, approver: willing, plugins: [wordPlugin] }],
  [
    "a rule denied a change of a file",
    "not_permitted",
    { answer: writers(1), approver: willing, rules: [{ verdict: "deny", tool: "write_file" }] }
  ],
  ["a task failed and another round did without it", "done", { answer: mumbling(afterFailure) }],
  [
    "the rounds were used up, and when a larger limit let it go on",
    "done",
    { answer: threeRounds, settings: rounds(1) },
    { answer: threeRounds, settings: rounds(5) }
  ]
]

describe("the replay of a run", () => {
  for (const [what, status, ...sessions] of cases) {
    plays(`is the same when ${what}`, { status, sessions: () => sessions })
  }

  plays("is the same when it could change nothing", {
    status: "not_permitted",
    order: { readOnly: true },
    sessions: () => [{ answer: writers(1), approver: willing, readOnly: true }]
  })
})
