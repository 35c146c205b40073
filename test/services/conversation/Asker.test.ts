import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import type { AskReport } from "../../../src/domain/runs/RunReport.ts"
import { lastRequest } from "../../../src/domain/models/ConversationMessage.ts"
import { definePlugin, tool } from "../../../src/plugin-kit.ts"
import { Asker } from "../../../src/services/conversation/Asker.ts"
import { defaultSettings } from "../../../src/services/runs/RunSettings.ts"
import {
  HeldCalls,
  type ScriptedAnswer,
  ScriptedModel,
  type ScriptedRequest
} from "../../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../../support/EventLog.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { layerTestAsk, type TestRunOptions } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

const clock = definePlugin({
  name: "test",
  tools: Effect.sync(() => {
    const running: Array<string> = []
    return {
      count: tool({
        description: "Gives a new number each time.",
        parameters: Schema.Struct({}),
        risk: "safe",
        effect: "pure",
        example: {},
        execute: () => Effect.sync(() => running.push("x"))
      }),
      always: tool({
        description: "Gives the same number each time.",
        parameters: Schema.Struct({ of: Schema.optionalKey(Schema.Int) }),
        risk: "safe",
        effect: "pure",
        example: {},
        execute: () => Effect.succeed(1)
      }),
      crash: tool({
        description: "Breaks.",
        parameters: Schema.Struct({}),
        risk: "safe",
        effect: "pure",
        example: {},
        execute: () => Effect.die(new Error("broken"))
      }),
      wait: tool({
        description: "Never ends.",
        parameters: Schema.Struct({}),
        risk: "safe",
        effect: "pure",
        example: {},
        execute: () => Effect.never
      }),
      long: tool({
        description: "Gives a long text.",
        parameters: Schema.Struct({ letter: Schema.String, length: Schema.Int }),
        risk: "safe",
        effect: "pure",
        example: { letter: "x", length: 10 },
        execute: ({ length, letter }) => Effect.succeed(letter.repeat(length))
      })
    }
  })
})

/** A message as one line: what was said, asked for, or given back. */
const shortOf = (message: Prompt.Message): string => {
  if (typeof message.content === "string") return message.role
  return `${message.role}: ${message.content
    .map((part) => {
      if (part.type === "text") return part.text
      if (part.type === "reasoning") return `(${part.text})`
      if (part.type === "tool-call") return `${part.id} ${part.name} ${JSON.stringify(part.params)}`
      if (part.type !== "tool-result") return part.type
      return `${part.id} ${part.name} = ${String(part.result)}`
    })
    .join(" | ")}`
}

/** What the model was sent, without the system prompt. */
const historyOf = ({ messages }: ScriptedRequest): ReadonlyArray<string> => messages.slice(1).map(shortOf)

/** Sends the messages one after another to a model that follows the script. */
const asking = (
  messages: ReadonlyArray<string>,
  script: (index: number, request: ScriptedRequest) => ScriptedAnswer | string,
  options: TestRunOptions = {}
) =>
  Effect.suspend(() => {
    const requests: Array<ScriptedRequest> = []
    const reports: Array<AskReport> = []
    const model = ScriptedModel.layer((_prompt, index, request) => {
      requests.push(request)
      return script(index, request)
    })
    return Effect.gen(function* () {
      const asker = yield* Asker
      const { events } = yield* EventLog
      const report = yield* asker.hold({ runId: "r", prompt: messages[0] ?? "" }, ({ send }) =>
        Effect.forEach(messages, (text) => Effect.map(send(text), (one) => void reports.push(one)), { discard: true })
      )
      return { reports, report, requests, events: events() }
    }).pipe(Effect.provide(layerTestAsk({ plugins: [clock], ...options }).pipe(Layer.provide(model))))
  })

const inOrder =
  (...answers: ReadonlyArray<ScriptedAnswer | string>) =>
  (index: number): ScriptedAnswer | string =>
    answers[index] ?? "no more"

const calling = (...calls: NonNullable<ScriptedAnswer["calls"]>): ScriptedAnswer => ({ text: "", calls })
const call = (name: string, given: Record<string, unknown> | string = {}, id = "c1") => ({ id, name, arguments: given })

const long = (letter: string) => calling(call("long", { letter, length: 5000 }, letter))

const plain = ({ durationMs, ...report }: AskReport) => (assert.isAtLeast(durationMs, 0), report)

describe("a conversation", () => {
  it.effect("sends all that was said, each result right after its call, over several messages", () =>
    Effect.gen(function* () {
      const { events, report, reports, requests } = yield* asking(
        ["How many?", "And now?"],
        inOrder(
          { text: "I count.", thinking: "Hm.", calls: [call("count"), call("always", { of: 2 }, "c2")] },
          "One.",
          calling(call("count")),
          "Two."
        )
      )
      const first = [
        "user: How many?",
        'assistant: (Hm.) | I count. | c1 count {} | c2 always {"of":2}',
        "tool: c1 count = 1",
        "tool: c2 always = 1"
      ]
      const later = first.with(1, first[1]!.replace("(Hm.) | ", ""))
      const second = [...later, "assistant: One.", "user: And now?"]
      assert.deepStrictEqual(requests.map(historyOf), [
        ["user: How many?"],
        first,
        second,
        [...second, "assistant: c1-2 count {}", "tool: c1-2 count = 2"]
      ])
      assert.deepStrictEqual(reports.map(plain), [
        { message: 1, status: "done", answer: "One.", reason: "", iterations: 2, toolCalls: 2 },
        { message: 2, status: "done", answer: "Two.", reason: "", iterations: 2, toolCalls: 1 }
      ])
      assert.deepStrictEqual(
        [report.status, report.answer, report.rounds, report.usage.modelCalls, report.usage.toolCalls],
        ["done", "Two.", 2, 4, 3]
      )
      const types = events.map(({ type }) => type)
      assert.deepStrictEqual(
        [types[0], types.at(-1), types.filter((type) => type.startsWith("ask."))],
        ["run.started", "run.finished", ["ask.started", "ask.finished", "ask.started", "ask.finished"]]
      )
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "tool.finished" ? [event.id] : [])),
        [
          { round: 1, task: "ask", uid: "call-1-1" },
          { round: 1, task: "ask", uid: "call-1-2" },
          { round: 2, task: "ask", uid: "call-1-1" }
        ]
      )
    })
  )

  it.effect("gives each call exactly one result, whatever is wrong with it", () =>
    Effect.gen(function* () {
      const { report, requests } = yield* asking(
        ["Do it."],
        inOrder(
          calling(
            call("contes", {}, "a"),
            call("long", { letter: 1, length: "many", x: 1 }, "b"),
            call("always", "{ of: ", "c"),
            call("crash", {}, "d"),
            call("read_file", { path: "a.txt" }, "e"),
            call("always", '{"of": "7"}', "f"),
            call("", {}, "g")
          ),
          "Done."
        ),
        { files: { "a.txt": "text\n" } }
      )
      const [, second] = requests
      const results = historyOf(second!).slice(2)
      assert.deepStrictEqual(
        results.map((line) => line.slice(0, 40)),
        [
          'tool: a contes = ERROR (not_found): There is no tool "contes".'.slice(0, 40),
          'tool: b long = ERROR (validation_failed): The argument "letter"'.slice(0, 40),
          'tool: c always = ERROR (validation_failed): "arguments" is a text'.slice(0, 40),
          "tool: d crash = ERROR (internal_error): The tool crash".slice(0, 40),
          "tool: e read_file = ERROR (permission_denied): Permission".slice(0, 40),
          "tool: f always = 1",
          "tool: g  = ERROR (not_found): The call has no name".slice(0, 40)
        ]
      )
      assert.include(results[0], "Use one of: `count`")
      assert.include(results[1], 'argument "length"')
      assert.include(results[1], 'long has no argument "x"')
      assert.strictEqual(report.status, "not_permitted")
    })
  )

  it.effect("runs calls one after another when one of them writes, and asks the person in the middle", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once", "deny"] })
      const { report, reports, events } = yield* asking(
        ["Write."],
        inOrder(
          calling(
            call("write_file", { path: "b.txt", content: "b\n" }, "a"),
            call("write_file", { path: "c.txt", content: "c\n" }, "b"),
            call("count", {}, "c")
          ),
          "Wrote b."
        ),
        { approver: approver.layer }
      )
      assert.deepStrictEqual(
        events.flatMap((event) =>
          event.type === "tool.finished" || event.type === "tool.started" ? [`${event.type} ${event.id.uid}`] : []
        ),
        [
          "tool.started call-1-1",
          "tool.finished call-1-1",
          "tool.finished call-1-2",
          "tool.started call-1-3",
          "tool.finished call-1-3"
        ]
      )
      assert.strictEqual(approver.asked.length, 2)
      assert.deepStrictEqual([report.status, reports[0]?.answer], ["not_permitted", "Wrote b."])
      assert.include(reports[0]?.reason, "a person denied")
    })
  )

  it.effect("runs only the first 15 calls of an iteration and refuses the rest, each with its reason", () =>
    Effect.gen(function* () {
      const calls = Array.from({ length: 17 }, (_, index) => call("always", { of: index }, `c${index + 1}`))
      const { reports, requests } = yield* asking(["Go."], inOrder(calling(...calls), "Done."))
      const results = historyOf(requests[1]!).slice(2)
      const refused =
        "ERROR (validation_failed): This call was not run: you asked for 17 calls at once, and only the first 15 run (limits.toolCallsPerIteration). Ask again for what you still need."
      assert.deepStrictEqual(
        results,
        calls.map(({ id }, index) => `tool: ${id} always = ${index < 15 ? "1" : refused}`)
      )
      assert.deepStrictEqual([reports[0]?.status, reports[0]?.toolCalls], ["done", 17])
    })
  )

  it.effect("stops after 10 iterations, asks once for an answer without tools, and says so in it", () =>
    Effect.gen(function* () {
      const { report, reports, requests } = yield* asking(["Go.", "More."], (index) =>
        index < 10 ? calling(call("count")) : index === 10 ? "As far as I saw: ten." : "Yes."
      )
      const reason =
        "Stopped after 10 iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage."
      assert.deepStrictEqual(plain(reports[0]!), {
        message: 1,
        status: "limit",
        answer: `As far as I saw: ten.\n\n*${reason}*`,
        reason,
        iterations: 11,
        toolCalls: 10
      })
      assert.strictEqual(requests.length, 12)
      assert.deepStrictEqual(
        [requests[9]?.tools.includes("count"), requests[10]?.tools, historyOf(requests[10]!).at(-1)],
        [true, [], `user: ${lastRequest.content}`]
      )
      assert.deepStrictEqual(historyOf(requests[11]!).slice(-2), ["assistant: As far as I saw: ten.", "user: More."])
      assert.strictEqual(report.status, "done")
    })
  )

  it.effect("stops a model that makes the same call three times and learns nothing new", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(["Go."], (index) =>
        index < 3 ? calling(call("always")) : "It is 1."
      )
      assert.deepStrictEqual(
        [requests.length, reports[0]?.status, reports[0]?.answer],
        [
          4,
          "limit",
          "It is 1.\n\n*Stopped because the model made the same call of always 3 times (limits.identicalCalls) and learned nothing new.*"
        ]
      )
    })
  )

  it.effect("takes other limits from the settings", () =>
    Effect.gen(function* () {
      const limits = { ...defaultSettings.limits, iterationsPerMessage: 2, toolCallsPerIteration: 1 }
      const { reports, requests } = yield* asking(
        ["Go."],
        (index) => (index < 2 ? calling(call("count"), call("always", {}, "c2")) : "Done."),
        { settings: { limits } }
      )
      assert.deepStrictEqual([requests.length, reports[0]?.status], [3, "limit"])
      assert.include(historyOf(requests[1]!).at(-1), "only the first 1 run")
    })
  )

  it.effect("asks again when the model says nothing, and gives up when it says nothing twice", () =>
    Effect.gen(function* () {
      const once = yield* asking(["Go."], inOrder("", "Here."))
      assert.deepStrictEqual([once.requests.length, once.reports[0]?.answer], [2, "Here."])
      const twice = yield* asking(["Go."], inOrder("", ""))
      assert.deepStrictEqual(
        [twice.reports[0]?.status, twice.reports[0]?.reason, twice.report.status],
        ["failed", "The model gave an empty answer.", "failed"]
      )
    })
  )

  it.effect("shows an answer that was cut off, and says so", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(["Go.", "On."], inOrder({ text: "It beg", finish: "length" }, "Yes."))
      assert.deepStrictEqual([reports[0]?.status, reports[0]?.answer.split("\n")[0]], ["limit", "It beg"])
      assert.deepStrictEqual(historyOf(requests[1]!), ["user: Go.", "assistant: It beg", "user: On."])
    })
  )
})

describe("calls in the text of an answer", () => {
  const texts = {
    "bare JSON": '{"name": "always", "arguments": {"of": 3}}',
    "a fence": '```json\n{"name": "always", "arguments": {"of": 3}}\n```',
    tags: 'I look.\n<tool_call>\n{"name": "always", "arguments": {"of": 3}}\n</tool_call>',
    "another protocol": '[{"type":"function","function":{"name":"always","arguments":"{\\"of\\": 3}"}}]'
  }
  for (const [name, text] of Object.entries(texts)) {
    it.effect(`are read from ${name}`, () =>
      Effect.gen(function* () {
        const { events, requests } = yield* asking(["Go."], inOrder(text, "Done."))
        assert.deepStrictEqual(historyOf(requests[1]!), [
          "user: Go.",
          `assistant: ${name === "tags" ? "I look. | " : ""}call-1-1-1 always {"of":3}`,
          "tool: call-1-1-1 always = 1"
        ])
        assert.strictEqual(events.filter(({ type }) => type === "answer.repaired").length, 1)
      })
    )
  }

  it.effect("are none when they only stand in an explanation or name no tool", () =>
    Effect.gen(function* () {
      const shown = 'Call it like this:\n\n```json\n{"name": "always", "arguments": {}}\n```'
      assert.strictEqual((yield* asking(["Go."], inOrder(shown))).reports[0]?.answer, shown)
      const other = '{"name": "package", "arguments": {}}'
      assert.strictEqual((yield* asking(["Go."], inOrder(other))).reports[0]?.answer, other)
    })
  )
})

describe("a small window", () => {
  const settings = { contextWindow: 6700 }

  it.effect("loses the oldest outputs first, with a note in their place, and never a message of the person", () =>
    Effect.gen(function* () {
      const { events, reports, requests } = yield* asking(
        ["Keep this sentence.", "And this one."],
        inOrder(long("a"), "A.", long("b"), long("c"), "B and C."),
        { settings }
      )
      assert.deepStrictEqual(
        reports.map(({ status }) => status),
        ["done", "done"]
      )
      const last = historyOf(requests.at(-1)!)
      assert.deepStrictEqual(
        last.map((line) => line.replace(/([abc])\1{20,}/, "$1...")),
        [
          "user: Keep this sentence.",
          'assistant: a long {"letter":"a","length":5000}',
          "tool: a long = [This output of 5000 characters is left out to make room. Call long again if you still need it.]",
          "assistant: A.",
          "user: And this one.",
          'assistant: b long {"letter":"b","length":5000}',
          "tool: b long = b...",
          'assistant: c long {"letter":"c","length":5000}',
          "tool: c long = c..."
        ]
      )
      const notes = events.flatMap((event) => (event.type === "message" ? [`${event.level}: ${event.text}`] : []))
      assert.deepStrictEqual(notes, [
        "info: The conversation is too long for the context window: an older tool output is left out for the model (long)."
      ])
    })
  )

  it.effect("sees the beginning of an output that is too large, and how much is missing", () =>
    Effect.gen(function* () {
      const { requests } = yield* asking(
        ["Go."],
        inOrder(calling(call("long", { letter: "x", length: 100_000 })), "Done."),
        { settings }
      )
      const [output] = historyOf(requests[1]!).slice(-1)
      assert.match(output ?? "", /^tool: c1 long = x+\n\(The first \d+ of 100000 characters of this line\.\)$/)
      assert.isBelow(output?.length ?? Infinity, 8000)
    })
  )

  it.effect("refuses a message that cannot fit, says what to do, and goes on without it", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(["word ".repeat(6000), "Short."], inOrder("Yes."), { settings })
      assert.deepStrictEqual(
        reports.map(({ status }) => status),
        ["failed", "done"]
      )
      assert.match(
        reports[0]?.reason ?? "",
        /^The prompt needs about \d+ tokens, the context window holds 6700\. The largest parts are messages \(\d+\), .* Start a new conversation, or put long text into a file and name it, or raise contextWindow\. The message was taken out of the conversation again\.$/
      )
      assert.deepStrictEqual(requests.map(historyOf), [["user: Short."]])
    })
  )
})

describe("an interruption", () => {
  const opened = layerTestAsk({ plugins: [clock] }).pipe(Layer.provideMerge(ScriptedModel.layerHeld))

  it.effect("stops the answer, keeps what was said, and leaves the conversation usable", () =>
    Effect.gen(function* () {
      const asker = yield* Asker
      const held = yield* HeldCalls
      const log = yield* EventLog
      const report = yield* asker.hold({ runId: "r", prompt: "" }, ({ messages, send }) =>
        Effect.gen(function* () {
          const sending = yield* Effect.forkChild(send("Look."))
          const asked = yield* held.next
          yield* asked.answer(calling(call("count", {}, "a"), call("wait", {}, "b")))
          yield* waitFor("the first result", () => log.events().some(({ type }) => type === "tool.finished"))
          yield* Fiber.interrupt(sending)
          const said = yield* messages
          assert.deepStrictEqual(
            said.map((message) => [
              message.role,
              message.role === "tool" ? message.result.error_message : message.content
            ]),
            [
              ["user", "Look."],
              ["assistant", ""],
              ["tool", null],
              [
                "tool",
                "The person stopped the answer before this call ended. What it has done until then is not known."
              ],
              ["assistant", "(The person stopped this answer.)"]
            ]
          )
          const second = yield* Effect.forkChild(send("Again."))
          yield* Effect.flatMap(held.next, ({ answer }) => answer("Here."))
          assert.strictEqual((yield* Fiber.join(second)).answer, "Here.")
        })
      )
      const ended = log.events().flatMap((event) => (event.type === "ask.finished" ? [event.report.status] : []))
      assert.deepStrictEqual([ended, report.status], [["interrupted", "done"], "done"])
    }).pipe(Effect.provide(opened))
  )

  it.effect("of the whole conversation ends it with its last event", () =>
    Effect.gen(function* () {
      const asker = yield* Asker
      const held = yield* HeldCalls
      const log = yield* EventLog
      const talking = yield* Effect.forkChild(
        asker.hold({ runId: "r", prompt: "Look." }, ({ send }) => Effect.asVoid(send("Look.")))
      )
      yield* held.next
      yield* Fiber.interrupt(talking)
      const last = log.events().at(-1)
      assert.deepStrictEqual(last?.type === "run.finished" ? [last.exitCode, last.report.status] : last, [
        130,
        "interrupted"
      ])
    }).pipe(Effect.provide(opened))
  )
})
