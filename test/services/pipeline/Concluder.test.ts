import * as Effect from "effect/Effect"
import { expect } from "@effect/vitest"
import { neededTokens, scaleOfText } from "../../../src/domain/models/PromptSize.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import { makeConcluder, type ConclusionOrder } from "../../../src/services/pipeline/Concluder.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { finished } from "../../support/sampleTasks.ts"

const order: ConclusionOrder = {
  briefing,
  round: 2,
  goals: "The place is known.",
  finished: [finished("Search 1", "It is in [a.ts](src/a.ts).")],
  failures: [],
  missing: [],
  notRun: []
}

/** What comes of an order when the model gives these answers, with the prompts that it got. */
const conclude = Effect.fnUntraced(function* (given: Partial<ConclusionOrder>, ...answers: ReadonlyArray<string>) {
  const { log, prompts, within } = yield* openStages({
    answer: (index) => answers[index] ?? "",
    files: { "src/a.ts": "export const a = 1\nexport const b = 2\n" },
    settings: { contextWindow: 4096 }
  })
  const concluded = Effect.flatMap(makeConcluder, (concluder) => concluder.conclude({ ...order, ...given }))
  const outcome = yield* Effect.result(within(concluded))
  return { outcome, prompts, events: log.events() }
})

nodeTest("answers with the text of the model and its links", function* () {
  const { events, outcome } = yield* conclude({}, "\nIt is in [a.ts](src/a.ts).\n\n")
  expect(outcome).toMatchObject({ _tag: "Success", success: { text: "It is in [a.ts](src/a.ts)." } })
  expect(events.flatMap((event) => (event.type === "model.started" ? [event.call] : []))).toEqual([
    { stage: "conclude", round: 2, attempt: 1 }
  ])
})

nodeTest("shows each failure on one line", function* () {
  const reason = "no result\n  after 2 tries."
  const failure = new TaskFailure({ task: finished("Search 2", "").name, phase: "execution", reason, skipped: false })
  const { prompts } = yield* conclude({ failures: [failure] }, "It is there.")
  expect(prompts[0]?.user).toContain(
    '## Tasks that failed\n\n- Task execution: "Search 2": no result after 2 tries.\n\n## Now'
  )
})

nodeTest("asks again, and says why, after an empty answer", function* () {
  const { outcome, prompts } = yield* conclude({}, " ", "It is there.")
  expect(outcome).toMatchObject({ _tag: "Success", success: { text: "It is there." } })
  expect(prompts[1]?.user).toContain("## Issues with your previous answer\n\n1. The answer was empty.")
})

nodeTest("asks again after the document of another stage", function* () {
  const list = "## Original prompt\n\nx\n\n## Goals / summary\n\nIt is done.\n\n## Tasks\n"
  const { events, outcome } = yield* conclude({}, list, "It is there.")
  expect(outcome).toMatchObject({ _tag: "Success", success: { text: "It is there." } })
  const rejected = events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
  expect(rejected).toMatchObject([{ code: "answer-shape" }])
})

nodeTest("holds links against the project and the results, and asks again for wrong ones", function* () {
  const wrong = "It is in [b.ts](src/b.ts), see [Search 9](#search-9-results) and [docs](https://example.com/docs)."
  const right = "It is in [a.ts](src/a.ts#L2), see [Search 1](#search-1-results)."
  const { events, outcome, prompts } = yield* conclude({}, wrong, right)
  expect(outcome).toMatchObject({ _tag: "Success", success: { text: right, evidence: { checked: 2, wrong: 0 } } })
  expect(prompts[1]?.user).toContain(`## Your previous answer\n\n\`\`\`markdown\n${wrong}\n\`\`\``)
  expect(prompts[1]?.user).toContain('There is no file "src/b.ts". One of these may be meant: src/a.ts.')
  expect(
    events.flatMap((event) => (event.type === "answer.rejected" ? event.issues.map(({ code }) => code) : []))
  ).toEqual(["evidence-file", "evidence-result", "evidence-page"])
})

nodeTest("marks wrong links in an answer that the model insists on", function* () {
  const { events, outcome } = yield* conclude({}, ...Array(5).fill("See [b.ts](src/b.ts) and [a.ts](src/a.ts#L7)."))
  expect(outcome).toMatchObject({
    _tag: "Success",
    success: {
      text: "See [b.ts](src/b.ts) (not found) and [a.ts](src/a.ts#L7) (no such line).",
      evidence: { checked: 2, wrong: 2 }
    }
  })
  expect(
    events.flatMap((event) => (event.type === "answer.repaired" ? event.repairs.map(({ code }) => code) : []))
  ).toEqual(["evidence-marked", "evidence-marked"])
})

const tasks = (kind: string) => Array.from({ length: 1500 }, (_, index) => `${kind} ${index + 1}`)

nodeTest("fits the window however many tasks have ended, and however", function* () {
  const failures = tasks("Broken").map(
    (task) => new TaskFailure({ task, phase: "execution", reason: "it broke.", skipped: false })
  )
  const notRun = tasks("Left").map((task) => ({ task, why: "The maximum of rounds was reached before it." }))
  const results = tasks("Done").map((name) => finished(name, "It is in [a.ts](src/a.ts)."))
  const cases = [{ finished: results }, { finished: results, failures, notRun }, { failures }, { notRun }]
  for (const given of cases) {
    const { outcome, prompts } = yield* conclude(given, "It is there.")
    expect(outcome).toMatchObject({ _tag: "Success" })
    const [{ system, user } = { system: "", user: "" }] = prompts
    const needed = neededTokens({ system, user }, scaleOfText(`${system}${user}`))
    expect([needed + 1024 <= 4096, needed + 1024 > 3900]).toEqual([true, true])
    for (const [name, list] of Object.entries({ Done: given.finished, Broken: given.failures, Left: given.notRun }))
      if (list !== undefined) expect(user, name).toMatch(new RegExp(`- "?${name} 1"?$`, "m"))
  }
})
