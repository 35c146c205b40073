/**
 * A question of the model to the user: an answer joins the prompt and the run goes on, in this session, in a resumed one and in a
 * replay; without one it stays a rejected answer.
 */
import { describe, expect } from "@effect/vitest"
import * as Layer from "effect/Layer"
import { type AnswerQuestion, layerCallback } from "../../src/app/callbackApprover.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { makeKeptRun, type Session } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedRun, stageOf } from "../support/ScriptedRun.ts"
import { planOf, resultSaying } from "../support/TestRun.ts"

const question = "Which port do you mean: that of the server or that of the database?"
const words = "That of the server."
const told = `You asked: ${question}\nMy answer: ${words}`
const same = { isWhole: true, differences: [] }
const plan = planOf([[{ name: "Talk 1", skill: "talk" }]])

/** A model that asks in the stage and goes on when its prompt, or a reply, holds the answer. */
const asking = (stage: "plan" | "refine") => {
  const seen: Array<string> = []
  const answer: Session["answer"] = (prompt) => {
    const here = stageOf(prompt)
    const isTask = here === "refine" || here === "execute"
    if (here === "plan" || isTask) seen.push(prompt.user)
    if ((here === stage || (isTask && stage === "refine")) && !prompt.user.includes(words)) return question
    return here === "plan" ? plan : isTask ? resultSaying("It is 8042.") : planOf([])
  }
  return { answer, seen }
}

const person = (asked: Array<string>, answer: AnswerQuestion = () => words): Layer.Layer<Approver> =>
  layerCallback({
    answer: (text) => {
      asked.push(text)
      return answer(text)
    }
  })

describe("a question of the model", () => {
  for (const [stage, place] of [
    ["plan", "plan"],
    ["refine", "report"]
  ] as const) {
    nodeTest(`in the place of a ${place} is answered once, also in a resumed run`, function* () {
      const run = yield* makeKeptRun({ prompt: "What is the port?" })
      const { answer, seen } = asking(stage)
      const asked: Array<string> = []
      const { events, report } = yield* run.session({ answer, approver: person(asked) })
      expect([report?.status, asked]).toEqual(["done", [question]])
      expect(seen.at(-1)).toContain(stage === "plan" ? told : words)
      expect(events.filter((event) => "scope" in event)).toMatchObject([
        { type: "approval.requested", scope: "question", title: question, items: [] },
        { scope: "question", answer: "said", by: "person", text: words }
      ])
      expect(yield* run.replay()).toMatchObject(same)

      // Killed right after the answer was kept.
      yield* run.cut((yield* run.records).findIndex(({ type }) => type === "answer") + 1)
      const again: Array<string> = []
      const resumed = yield* run.session({ answer, approver: person(again) })
      expect([resumed.report?.status, again]).toEqual(["done", []])
      expect(yield* run.replay()).toMatchObject(same)
    })
  }

  nodeTest("ends the planning when nobody answers, and the report says what the model asks", function* () {
    const run = yield* makeKeptRun({ prompt: "What is the port?" })
    const { report } = yield* run.session({ answer: asking("plan").answer })
    expect(report).toMatchObject({ status: "no_valid_plan" })
    expect(report?.message).toContain(`The model asks: "${question}" Answer it in the prompt.`)
    expect(yield* run.replay()).toMatchObject(same)
  })

  nodeTest("gets no answer from --yes, and none from a person who says nothing", function* () {
    const silent = layerCallback({ answer: () => "  " })
    for (const [approver, by] of [
      [Approver.layerYes(person([])), "rule"],
      [silent, "person"]
    ] as const) {
      const plans = (_: string, count: number) => (count === 1 ? question : plan)
      const { events, report } = yield* scriptedRun({ plan: plans, refine: () => resultSaying("It.") }, { approver })
      expect(report.status).toBe("done")
      expect(events).toContainEqual(expect.objectContaining({ scope: "question", answer: "nothing", by }))
      expect(events).toContainEqual(
        expect.objectContaining({ type: "message", text: expect.stringContaining("planned without an answer") })
      )
    }
  })

  nodeTest("in a task that nobody answers is told to the model as one", function* () {
    let reply = ""
    const execute = (prompt: string, count: number) => {
      reply = prompt
      return count === 1 ? question : resultSaying("It is assumed to be that of the server.")
    }
    const { report } = yield* scriptedRun({ plan: () => plan, execute })
    expect(report.status).toBe("done")
    expect(reply).toContain(
      "The answer is a question, and no report. Nobody answers now: decide by what the prompt says"
    )
  })

  nodeTest("in the list of what is left is answered too", function* () {
    const asked: Array<string> = []
    let seen = ""
    const iterate = (prompt: string) => {
      seen = prompt
      return prompt.includes(words) ? planOf([]) : question
    }
    const two = planOf([[{ name: "Talk 1", skill: "talk" }], [{ name: "Talk 2", skill: "talk" }]])
    const script = { plan: () => two, refine: () => resultSaying("It."), iterate }
    const { report } = yield* scriptedRun(script, { approver: person(asked) })
    expect([report.status, asked]).toEqual(["done", [question]])
    expect(seen).toContain(told)
  })
})
