import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type * as Prompt from "effect/ai/Prompt"
import type { ConversationMessage } from "../../../src/domain/models/ConversationMessage.ts"
import type { AskReport } from "../../../src/domain/runs/RunReport.ts"
import { definePlugin, tool } from "../../../src/plugin-kit.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { Asker } from "../../../src/services/conversation/Asker.ts"
import { defaultSettings } from "../../../src/services/runs/RunSettings.ts"
import {
  HeldCalls,
  type ScriptedAnswer,
  ScriptedModel,
  type ScriptedRequest
} from "../../../src/services/providers/ScriptedModel.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { EventLog } from "../../support/EventLog.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { layerTestAsk, refinementWith, type TestRunOptions } from "../../support/TestRun.ts"
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

const limitIn = (root: string): string | undefined => {
  const file = join(root, "src/limit.ts")
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

/** Sends the messages one after another to a model that follows the script. */
const asking = (
  messages: ReadonlyArray<string>,
  script: (index: number, request: ScriptedRequest) => ScriptedAnswer | string,
  options: TestRunOptions = {}
) =>
  Effect.suspend(() => {
    const requests: Array<ScriptedRequest> = []
    const reports: Array<AskReport> = []
    const shown: Array<string> = []
    const model = ScriptedModel.layer((_prompt, index, request) => {
      requests.push(request)
      return script(index, request)
    })
    return Effect.gen(function* () {
      const asker = yield* Asker
      const { events } = yield* EventLog
      const report = yield* asker.hold({ runId: "r", prompt: messages[0] ?? "" }, ({ send }) =>
        Effect.forEach(
          messages,
          (text) =>
            Effect.map(
              send(text, (piece) => void shown.push(piece)),
              (one) => void reports.push(one)
            ),
          { discard: true }
        )
      )
      return {
        reports,
        report,
        requests,
        events: events(),
        shown: shown.join(""),
        limit: limitIn((yield* Workspace).root)
      }
    }).pipe(Effect.provide(layerTestAsk({ plugins: [clock], ...options }).pipe(Layer.provide(model))))
  })

const inOrder =
  (...answers: ReadonlyArray<ScriptedAnswer | string>) =>
  (index: number): ScriptedAnswer | string =>
    answers[index] ?? "no more"

/** Calls in the text of an answer. */
const calling = (...calls: ReadonlyArray<{ readonly name: string; readonly arguments: object }>): string =>
  refinementWith(calls)
const call = (name: string, given: Readonly<Record<string, unknown>> = {}) => ({ name, arguments: given })

/** Calls through the interface. */
const native = (...calls: NonNullable<ScriptedAnswer["calls"]>): ScriptedAnswer => ({ text: "", calls })
const id = (name: string, given: Readonly<Record<string, unknown>> | string = {}, callId = "c1") => ({
  id: callId,
  name,
  arguments: given
})

const block = (path: string, before: string, after: string): string =>
  `${path}\n<<<<<<< OLD\n${before}${before === "" ? "" : "\n"}=======\n${after}\n>>>>>>> NEW\n`
const raised = block("src/limit.ts", "export const limit = 5", "export const limit = 10")
const files = { "src/limit.ts": "// The limit.\nexport const limit = 5\n", "a.txt": "text\n" }

const readAll = [{ verdict: "allow", tool: "read_file" }] as const

const plain = ({ durationMs, ...report }: AskReport) => (assert.isAtLeast(durationMs, 0), report)

/** What the host replied at the end of each request. */
const lastOf = (request: ScriptedRequest | undefined): string => historyOf(request!).at(-1) ?? ""

describe("a conversation", () => {
  it.effect("sends all that was said, each prompt beginning with the one before, over several messages", () =>
    Effect.gen(function* () {
      const { events, report, reports, requests } = yield* asking(
        ["How many?", "And now?"],
        inOrder(calling(call("count"), call("always", { of: 2 })), "One.", calling(call("count")), "Two.")
      )
      assert.deepStrictEqual(reports.map(plain), [
        { message: 1, status: "done", answer: "One.", reason: "", iterations: 2, toolCalls: 2 },
        { message: 2, status: "done", answer: "Two.", reason: "", iterations: 2, toolCalls: 1 }
      ])
      for (const [index, { messages }] of requests.entries()) {
        if (index === 0) continue
        const before = requests[index - 1]!.messages
        assert.deepStrictEqual(messages.slice(0, before.length), before)
      }
      assert.strictEqual(requests[0]?.tools.length, 0)
      assert.match(lastOf(requests[1]), /^user: ### Tool call count \(turn-1\/call-1\)\n/)
      assert.match(
        lastOf(requests[1]),
        /## Now\n\nGo on: look further, change, or answer the user\. There is room for about \d+ lines of output in all, shared by the calls of one answer\.$/
      )
      assert.deepStrictEqual(historyOf(requests[2]!).slice(-2), ["assistant: One.", "user: And now?"])
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
          { round: 1, task: "ask", uid: "turn-1/call-1" },
          { round: 1, task: "ask", uid: "turn-1/call-2" },
          { round: 2, task: "ask", uid: "turn-1/call-1" }
        ]
      )
    })
  )

  it.effect("has tools and the map of the project in its first part, which stays", () =>
    Effect.gen(function* () {
      const { requests } = yield* asking(["Go.", "On."], inOrder("Yes.", "No."), {
        files: { ...files, "package.json": '{ "scripts": { "test": "vitest run" } }' }
      })
      const systems = requests.map(({ messages }) => String(messages[0]?.content))
      assert.strictEqual(new Set(systems).size, 1)
      assert.include(systems[0], "## Project map")
      assert.include(systems[0], "npm test")
      assert.include(systems[0], "### read_file")
      assert.include(systems[0], "<<<<<<< OLD")
    })
  )

  it.effect("goes on with one that was held with native calls before", () =>
    Effect.gen(function* () {
      const requests: Array<ScriptedRequest> = []
      const model = ScriptedModel.layer((_prompt, _index, request) => {
        requests.push(request)
        return "It was 1."
      })
      const metadata = { execution_time_ms: 0, data_size_bytes: 1, timestamp: 0 }
      const result = { success: true, data: 1, error_message: null, error_type: "none" as const, metadata }
      const messages: ReadonlyArray<ConversationMessage> = [
        { role: "user", content: "How many?" },
        { role: "assistant", content: "", thinking: "", calls: [{ id: "c1", name: "always", arguments: {} }] },
        { role: "tool", id: "c1", name: "always", result },
        { role: "assistant", content: "One.", thinking: "", calls: [] }
      ]
      yield* Effect.provide(
        Asker.use((asker) =>
          asker.hold({ runId: "r", prompt: "", messages }, ({ send }) => Effect.asVoid(send("What was it?")))
        ),
        layerTestAsk({ plugins: [clock] }).pipe(Layer.provide(model))
      )
      assert.deepStrictEqual(historyOf(requests[0]!), [
        "user: How many?",
        "assistant: c1 always {}",
        "tool: c1 always = 1",
        "assistant: One.",
        "user: What was it?"
      ])
    })
  )

  it.effect("does what can be done of an answer, and asks again for what is wrong in it", () =>
    Effect.gen(function* () {
      const { report, requests } = yield* asking(
        ["Do it."],
        inOrder(
          calling(
            call("contes"),
            call("long", { letter: 1, length: "many" }),
            call("crash"),
            call("read_file", { path: "a.txt" }),
            call("always", { of: "7" })
          ),
          "Done."
        ),
        { files }
      )
      const reply = lastOf(requests[1])
      assert.include(reply, "ERROR (internal_error): The tool crash")
      assert.include(reply, "ERROR (permission_denied): Permission")
      assert.match(reply, /### Tool call always [^#]*Output:\n\n```text\n1\n```/)
      assert.include(reply, 'There is no tool "contes". Use one of: `count`')
      assert.include(reply, 'The argument "letter"')
      assert.notInclude(reply, "--allow")
      assert.strictEqual(report.status, "done")
      const [denied] = report.facts?.denied ?? []
      assert.deepStrictEqual(denied, {
        tool: "read_file",
        targets: ["a.txt"],
        by: "nobody",
        allow: '--allow "read_file:a.txt"'
      })
    })
  )

  it.effect("is done when the last iteration answers, and warns before it", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(["Go."], (index) => (index < 24 ? calling(call("count")) : "All."))
      assert.deepStrictEqual(
        [reports[0]?.status, reports[0]?.answer, reports[0]?.iterations, requests.length],
        ["done", "All.", 25, 25]
      )
      assert.include(lastOf(requests[22]), "3 answers are left.")
      assert.include(lastOf(requests[24]), "This is the last answer: answer the user now")
    })
  )

  it.effect("is at its limit when the last iteration calls again", () =>
    Effect.gen(function* () {
      const limits = { ...defaultSettings.limits, iterationsPerMessage: 3 }
      const { report, reports } = yield* asking(
        ["Go.", "More."],
        (index) => (index < 3 ? calling(call("count")) : "Yes."),
        { settings: { limits } }
      )
      const reason =
        "Stopped after 3 iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage."
      assert.deepStrictEqual(plain(reports[0]!), {
        message: 1,
        status: "limit",
        answer: `*${reason}*`,
        reason,
        iterations: 3,
        toolCalls: 2
      })
      assert.strictEqual(report.status, "done")
    })
  )

  it.effect("has one more answer for a model that makes the same call three times and learns nothing new", () =>
    Effect.gen(function* () {
      const ended = yield* asking(["Go."], (index) => (index < 3 ? calling(call("always")) : "It is 1."))
      assert.deepStrictEqual(
        [ended.requests.length, ended.reports[0]?.status, ended.reports[0]?.answer],
        [4, "done", "It is 1."]
      )
      assert.include(lastOf(ended.requests[3]), "This is the last answer")
      const stuck = yield* asking(["Go."], () => calling(call("always")))
      assert.deepStrictEqual(
        [stuck.requests.length, stuck.reports[0]?.status, stuck.reports[0]?.reason],
        [
          4,
          "limit",
          "Stopped because the model made the same call of always 3 times (limits.identicalCalls) and learned nothing new."
        ]
      )
    })
  )

  it.effect("asks again when the model says nothing", () =>
    Effect.gen(function* () {
      const once = yield* asking(["Go."], inOrder("", "Here."))
      assert.deepStrictEqual([once.requests.length, once.reports[0]?.answer], [2, "Here."])
      const never = yield* asking(["Go."], () => "")
      assert.deepStrictEqual(
        [never.requests.length, never.reports[0]?.status, never.report.status],
        [3, "limit", "limit"]
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

  it.effect("is not done when all that it asked for was denied, and done when it got along without a read", () =>
    Effect.gen(function* () {
      const read = call("read_file", { path: "a.txt" })
      const ends = yield* Effect.forEach(
        [[read], [read, call("count")], [call("run_command", { argv: ["true"] }), call("count")]],
        (calls) => asking(["Go."], inOrder(calling(...calls), "There is nothing."), { files })
      )
      assert.deepStrictEqual(
        ends.map(({ report, reports: [first] }) => [
          first?.status,
          report.status,
          first?.reason.split(" ").slice(0, 3).join(" "),
          first?.facts?.denied?.map(({ tool }) => tool)
        ]),
        [
          ["not_permitted", "not_permitted", "Permission denied: read_file", ["read_file"]],
          ["done", "done", "", ["read_file"]],
          ["not_permitted", "not_permitted", "Permission denied: run_command", ["run_command"]]
        ]
      )
    })
  )

  it.effect("ends a message in which a person denies the same thing again and again", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["deny", "deny", "deny"] })
      const read = calling(call("read_file", { path: "a.txt" }))
      const { reports, requests } = yield* asking(["Go."], (index) => (index < 3 ? read : "I may not."), {
        files,
        approver: approver.layer
      })
      assert.strictEqual(requests.length, 4)
      assert.deepStrictEqual([reports[0]?.status, reports[0]?.answer], ["not_permitted", "I may not."])
      assert.include(reports[0]?.reason, "a person denied")
    })
  )
})

describe("an answer with links", () => {
  const wrong = "The limit is [5](src/limits.ts#L2).\n\nIt is read once."
  const right = wrong.replace("limits.ts", "limit.ts")

  it.effect("is sent back when a link is wrong, and shown once", () =>
    Effect.gen(function* () {
      const { events, reports, requests, shown } = yield* asking(["Go."], inOrder(wrong, right), {
        files,
        rules: readAll
      })
      assert.deepStrictEqual([reports[0]?.status, reports[0]?.answer], ["done", right])
      assert.include(lastOf(requests[1]), "src/limits.ts")
      assert.strictEqual(shown, `${wrong}\n\nCorrected:\n\nThe limit is [5](src/limit.ts#L2).`)
      assert.strictEqual(events.filter(({ type }) => type === "answer.rejected").length, 1)
    })
  )

  it.effect("is marked when it stays wrong", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(["Go."], () => wrong, { files, rules: readAll })
      assert.strictEqual(requests.length, 2)
      assert.strictEqual(reports[0]?.status, "done")
      assert.match(reports[0]?.answer ?? "", /^The limit is \[5\]\(src\/limits\.ts#L2\) .+\n\nIt is read once\.$/)
    })
  )
})

describe("changes", () => {
  it.effect("are asked about once after the answer, with their diff, and made when approved", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["step"] })
      const added = block("src/new.ts", "", "export {}")
      const { events, reports, requests, limit } = yield* asking(["Raise it."], inOrder(raised, added, "Raised."), {
        files,
        approver: approver.layer
      })
      assert.include(lastOf(requests[1]), "### Changed: src/limit.ts\n\n```diff")
      assert.strictEqual(approver.asked.length, 1)
      assert.deepStrictEqual(
        approver.asked[0]?.map(({ diff }) => /^\+export.*$/m.exec(diff ?? "")?.[0]),
        ["+export const limit = 10", "+export {}"]
      )
      assert.deepStrictEqual([reports[0]?.status, reports[0]?.answer], ["done", "Raised."])
      assert.deepStrictEqual(
        reports[0]?.facts?.files.map(({ insertions, path }) => [path, insertions]),
        [
          ["src/limit.ts", 1],
          ["src/new.ts", 1]
        ]
      )
      assert.strictEqual(limit, "// The limit.\nexport const limit = 10\n")
      const asked = events.findIndex(({ type }) => type === "approval.requested")
      assert.isBelow(
        asked,
        events.findIndex(({ type }) => type === "tool.started")
      )
    })
  )

  it.effect("are each asked about before they are made, and a no is told to the model, when that is asked first", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once", "deny"] })
      const added = block("src/new.ts", "", "export {}")
      const { limit, reports, requests } = yield* asking(["Raise it."], inOrder(raised, added, "Raised."), {
        files,
        approver: approver.layer,
        settings: { askFirst: true }
      })
      assert.deepStrictEqual(
        approver.asked.map((items) => items.map(({ offers, words }) => [words?.names, offers?.repairs])),
        [
          [[["src/limit.ts"], "later changes of src/limit.ts by this task"]],
          [[["src/new.ts"], "later changes of src/new.ts by this task"]]
        ]
      )
      assert.include(lastOf(requests[1]), "### Changed: src/limit.ts")
      assert.include(lastOf(requests[2]), "### Not changed: src/new.ts")
      assert.deepStrictEqual(
        reports[0]?.facts?.files.map(({ path }) => path),
        ["src/limit.ts"]
      )
      assert.strictEqual(limit, "// The limit.\nexport const limit = 10\n")
    })
  )

  it.effect("that are the same as those of an earlier message are asked about again", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["step", "step", "step"] })
      const lowered = block("src/limit.ts", "export const limit = 10", "export const limit = 5")
      const { limit } = yield* asking(
        ["Raise it.", "Back.", "Raise it again."],
        inOrder(raised, "Raised.", lowered, "Back.", raised, "Raised."),
        { files, approver: approver.layer }
      )
      assert.strictEqual(approver.asked.length, 3)
      assert.strictEqual(limit, "// The limit.\nexport const limit = 10\n")
    })
  )

  it.effect("that a person declines are not made, and the host says so", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ steps: ["decline"] })
      const { report, reports, requests, limit, shown } = yield* asking(
        ["Raise it.", "Why?"],
        inOrder(raised, "I raised it.", "So."),
        { files, approver: approver.layer }
      )
      const said = "Nothing was changed: you declined the changes of src/limit.ts."
      assert.deepStrictEqual([reports[0]?.status, reports[0]?.answer, reports[0]?.facts], ["declined", said, undefined])
      assert.strictEqual(shown, `I raised it.\n\n${said}So.`)
      assert.deepStrictEqual(historyOf(requests[2]!).slice(-2), [`assistant: ${said}`, "user: Why?"])
      assert.strictEqual(limit, files["src/limit.ts"])
      assert.strictEqual(report.status, "done")
    })
  )

  it.effect("go on with what a person wants in their place", () =>
    Effect.gen(function* () {
      const questions: Array<string> = []
      const approver = Layer.succeed(Approver)(
        Approver.of({
          step: (title) =>
            Effect.sync(() => {
              questions.push(title)
              return questions.length === 1
                ? { answer: "decline", by: "person", instead: "Set it to 8." }
                : { answer: "step", by: "person" }
            }),
          call: () => Effect.die("no call is asked about"),
          inDoubt: () => Effect.die("nothing is in doubt")
        })
      )
      const { limit, reports, requests, shown } = yield* asking(
        ["Raise it."],
        inOrder(
          raised,
          "It is 10.",
          block("src/limit.ts", "export const limit = 10", "export const limit = 8"),
          "It is 8."
        ),
        { files, approver }
      )
      assert.strictEqual(lastOf(requests[2]), "user: I declined these changes. Instead: Set it to 8.")
      assert.deepStrictEqual(
        [reports[0]?.status, reports[0]?.answer, reports[0]?.iterations],
        ["done", "You declined the changes of src/limit.ts, and wanted instead: Set it to 8.\n\nIt is 8.", 4]
      )
      assert.strictEqual(limit, "// The limit.\nexport const limit = 8\n")
      assert.match(shown, /^It is 10\.\n\nNothing was changed: .*It is 8\.$/s)
    })
  )

  it.effect("that were declined are not asked about again when the model makes no others", () =>
    Effect.gen(function* () {
      let questions = 0
      const approver = Layer.succeed(Approver)(
        Approver.of({
          step: () =>
            Effect.sync(() => {
              questions += 1
              return { answer: "decline", by: "person", instead: "Leave it." }
            }),
          call: () => Effect.die("no call is asked about"),
          inDoubt: () => Effect.die("nothing is in doubt")
        })
      )
      const { limit, reports, shown } = yield* asking(["Raise it."], inOrder(raised, "It is 10.", "It is 10 now."), {
        files,
        approver
      })
      assert.strictEqual(questions, 1)
      assert.strictEqual(limit, files["src/limit.ts"])
      assert.deepStrictEqual(
        [reports[0]?.status, reports[0]?.answer],
        [
          "declined",
          "You declined the changes of src/limit.ts, and wanted instead: Leave it. Nothing was changed.\n\nIt is 10 now."
        ]
      )
      assert.strictEqual(shown.split("It is 10 now.").length, 2)
      assert.include(shown, "changes of src/limit.ts.\n\nIt is 10 now.")
    })
  )

  it.effect("that nobody approves are not made", () =>
    Effect.gen(function* () {
      const { reports, limit } = yield* asking(["Raise it."], inOrder(raised, "I raised it."), { files })
      assert.strictEqual(reports[0]?.status, "not_permitted")
      assert.include(reports[0]?.answer, "Nothing was changed: the changes of src/limit.ts were not approved")
      assert.strictEqual(limit, files["src/limit.ts"])
    })
  )

  it.effect("are seen by what the model reads after them, and only by that", () =>
    Effect.gen(function* () {
      const { requests, limit } = yield* asking(
        ["Raise it."],
        inOrder(raised, calling(call("read_file", { path: "src/limit.ts" })), "Raised."),
        { files, rules: readAll }
      )
      assert.include(lastOf(requests[2]), "2: export const limit = 10")
      assert.strictEqual(limit, files["src/limit.ts"])
    })
  )
})

describe("native tool calls", () => {
  const settings = { toolCalls: "native" as const }

  it.effect("are offered through the interface, and each is answered by one message", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(
        ["How many?", "And now?"],
        inOrder(
          {
            text: "I count.",
            thinking: "Hm.",
            calls: [id("count"), id("always", { of: 2 }, "c2"), id("nothing", {}, "c3")]
          },
          "One.",
          native(id("count")),
          "Two."
        ),
        { settings }
      )
      assert.isTrue(requests[0]?.tools.includes("count"))
      assert.notInclude(String(requests[0]?.messages[0]?.content), "## Tools")
      const second = historyOf(requests[1]!)
      assert.deepStrictEqual(second.slice(0, 4), [
        "user: How many?",
        'assistant: (Hm.) | I count. | c1 count {} | c2 always {"of":2} | c3 nothing {}',
        "tool: c1 count = 1",
        "tool: c2 always = 1"
      ])
      assert.match(second[4] ?? "", /^tool: c3 nothing = ERROR \(validation_failed\): There is no tool "nothing"/)
      assert.deepStrictEqual(historyOf(requests[3]!).slice(-2), ["assistant: c1-2 count {}", "tool: c1-2 count = 2"])
      assert.deepStrictEqual(
        reports.map(({ answer }) => answer),
        ["One.", "Two."]
      )
    })
  )

  it.effect("may change files as calls and as blocks, and refuse what is too much", () =>
    Effect.gen(function* () {
      const limits = { ...defaultSettings.limits, toolCallsPerIteration: 1 }
      const edit = id("edit_file", { path: "src/limit.ts", old_text: "limit = 5", new_text: "limit = 10" })
      const { requests, limit } = yield* asking(
        ["Raise it."],
        inOrder(native(edit, id("always", {}, "c2")), "Raised."),
        { files, settings: { ...settings, limits }, approver: scriptedApprover({ steps: ["step"] }).layer }
      )
      const replies = historyOf(requests[1]!).slice(2)
      assert.include(replies[0], "+export const limit = 10")
      assert.include(replies[1], "only the first 1 are done in one turn")
      assert.include(limit, "limit = 10")
    })
  )

  it.effect("that can never be made end the message", () =>
    Effect.gen(function* () {
      const { events, reports, requests } = yield* asking(["Go."], () => native(id("nothing")), { settings })
      assert.deepStrictEqual([requests.length, reports[0]?.status], [5, "failed"])
      assert.include(reports[0]?.reason, 'There is no tool "nothing".')
      assert.strictEqual(events.filter(({ type }) => type === "answer.rejected").length, 5)
    })
  )

  it.effect("are read in text mode as well, from a model that makes them unasked", () =>
    Effect.gen(function* () {
      const { requests } = yield* asking(["Go."], inOrder(native(id("always")), "1."))
      assert.deepStrictEqual(
        requests[1]?.messages.map(({ role }) => role),
        ["system", "user", "assistant", "user"]
      )
      assert.include(lastOf(requests[1]), "### Tool call always")
    })
  )
})

const long = (letter: string) => calling(call("long", { letter, length: 5000 }))

describe("a small window", () => {
  const settings = { contextWindow: 6700 }
  it.effect("is folded, and never loses a message of the user", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(
        ["Keep this sentence.", "And this one."],
        inOrder(long("a"), "A.", long("b"), long("c"), "B and C."),
        { settings }
      )
      assert.deepStrictEqual(
        reports.map(({ status }) => status),
        ["done", "done"]
      )
      for (const request of requests) assert.include(historyOf(request)[0], "Keep this sentence.")
      const last = historyOf(requests.at(-1)!)
      assert.deepStrictEqual(last.slice(0, 2), ["user: Keep this sentence.", "assistant: A."])
      assert.match(last[2] ?? "", /^user: And this one\.\n\n## Done so far/)
    })
  )

  it.effect("refuses a message that cannot fit, and says what to do", () =>
    Effect.gen(function* () {
      const { reports, requests } = yield* asking(["Short.", "word ".repeat(6000)], inOrder("Yes."), { settings })
      assert.deepStrictEqual(
        reports.map(({ status }) => status),
        ["done", "failed"]
      )
      assert.match(
        reports[1]?.reason ?? "",
        /^The prompt needs about \d+ tokens, the context window holds 6700\. The largest parts are messages \(\d+\), .* Start a new conversation, or put long text into a file and name it, or raise contextWindow to at least \d+\. The message was taken out of the conversation again\.$/
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
          yield* asked.answer(`${calling(call("count"), call("wait"))}\n\n${raised}`)
          yield* waitFor("the first result", () => log.events().some(({ type }) => type === "tool.finished"))
          yield* Fiber.interrupt(sending)
          const said = yield* messages
          assert.deepStrictEqual(
            said.map(({ role }) => role),
            ["user", "assistant", "user", "assistant"]
          )
          assert.deepInclude(said.at(-1), { content: "(The user stopped this answer.)" })
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
