/** Answers about a project for which nothing was looked at. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AskReport, exitCodeOf } from "../../../src/domain/runs/RunReport.ts"
import { Asker, type AskOrder } from "../../../src/services/conversation/Asker.ts"
import { type ScriptedAnswer, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../../support/EventLog.ts"
import { layerTestAsk, refinementWith } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const files = {
  "src/limits.js": "export const rateLimit = 60\n",
  "README.md": "# Parcel\n\nA small server.\n"
}

const talk = "A rate limit is usually defined by the server. It says how many requests a client may send in a minute."
const linked = "It is in [src/limits.js](src/limits.js#L1)."
const looking = refinementWith([{ name: "read_file", arguments: { path: "src/limits.js" } }])

/** Sends messages to a model that gives these answers, the last one again and again. */
const asking = (
  messages: ReadonlyArray<string>,
  answers: ReadonlyArray<string | ScriptedAnswer>,
  order: Partial<AskOrder> = {}
) =>
  Effect.suspend(() => {
    let calls = 0
    const reports: Array<AskReport> = []
    const model = ScriptedModel.layer((_prompt, index) => {
      calls += 1
      return answers[Math.min(index, answers.length - 1)] ?? ""
    })
    return Effect.gen(function* () {
      const asker = yield* Asker
      const report = yield* asker.hold({ runId: "r", prompt: messages[0] ?? "", ...order }, ({ send }) =>
        Effect.forEach(messages, (text) => Effect.map(send(text), (one) => void reports.push(one)), { discard: true })
      )
      const codes = (yield* EventLog)
        .events()
        .flatMap((event) => (event.type === "answer.rejected" ? event.issues.map(({ code }) => code) : []))
      return { calls, codes, report, reports }
    }).pipe(
      Effect.provide(
        layerTestAsk({ files, rules: [{ verdict: "allow", tool: "read_file" }] }).pipe(Layer.provide(model))
      )
    )
  })

describe("an answer about the project that looked at nothing", () => {
  nodeTest("is sent back once and then marked", function* () {
    /* The words of the first one say that it is about the project, those of the second one occur in its files. */
    for (const question of ["What does this project do?", "How high is the rate limit?"]) {
      const { calls, codes, report, reports } = yield* asking([question], [talk, `${talk} So it is.`])
      expect([calls, codes]).toEqual([2, ["report-unfounded"]])
      expect([reports[0]?.status, report.status, exitCodeOf(report.status)]).toEqual(["unfounded", "unfounded", 6])
      expect(reports[0]?.answer).toContain("A rate limit is usually")
      expect([reports[0]?.facts?.unfounded, report.facts?.unfounded]).toEqual([[""], [""]])
      expect(report.message).toContain("No file was looked at")
    }
  })

  nodeTest("is done when the model looks after it was sent back, or links what it says", function* () {
    const looked = yield* asking(["Where is the rate limit defined?"], [talk, looking, linked])
    expect([looked.calls, looked.report.status, looked.report.facts]).toEqual([3, "done", undefined])
    const named = yield* asking(["Where is the rate limit defined?"], [linked])
    expect([named.calls, named.report.status]).toEqual([1, "done"])
  })

  nodeTest("is marked also after an answer that could not be used, and when it says the same again", function* () {
    const after = yield* asking(["Where is the rate limit defined?"], ["", talk, `${talk} So it is.`])
    expect([after.calls, after.report.status]).toEqual([3, "unfounded"])
    const same = yield* asking(["Where is the rate limit defined?"], [talk])
    expect([same.calls, same.report.status]).toEqual([2, "unfounded"])
  })

  nodeTest("is marked for the second message of a conversation in which nothing was looked at", function* () {
    const { reports } = yield* asking(["hello", "Where is the rate limit defined?"], ["Hello!", talk, talk])
    expect(reports.map(({ status }) => status)).toEqual(["done", "unfounded"])
  })
})

describe("an answer that needs no look", () => {
  const rows: ReadonlyArray<readonly [message: string, order?: Partial<AskOrder>]> = [
    ["What is a monad?"],
    ["Where is the limit set?", { attachment: { name: "stdin", text: "limit = 60\n" } }],
    ["What does this file do?", { currentFile: "src/limits.js" }],
    ["Which function is in @src/limits.js?"]
  ]
  for (const [message, order] of rows) {
    nodeTest(`is taken at once: ${message}`, function* () {
      const { calls, report } = yield* asking([message], ["Here is an answer to that."], order)
      expect([calls, report.status, report.facts]).toEqual([1, "done", undefined])
    })
  }

  nodeTest("is taken at once after an earlier look, and in a conversation that goes on", function* () {
    const { reports } = yield* asking(
      ["Where is the rate limit defined?", "And where is it used?"],
      [looking, linked, "It is used nowhere else."]
    )
    expect(reports.map(({ status }) => status)).toEqual(["done", "done"])
  })

  nodeTest("is taken when it asks back, and when there is no tool to look with", function* () {
    const asked = yield* asking(["Where is the rate limit defined?"], ["Which rate limit do you mean?"])
    expect(asked.report.status).toBe("done")
    const without = yield* asking(["Where is the rate limit defined?"], [talk], { tools: [] })
    expect([without.calls, without.report.status]).toEqual([1, "done"])
  })
})
