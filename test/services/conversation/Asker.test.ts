import { defaultSettings } from "../../../src/services/runs/RunSettings.ts"
import { describe, expect } from "@effect/vitest"
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
import { nodeTest } from "../../support/nodeTest.ts"
import { layerTest } from "../../support/layerTest.ts"

const usual = { description: "Is for tests.", risk: "safe", effect: "pure", example: {} } as const
const nothing = Schema.Struct({})
const clock = definePlugin({
  name: "test",
  tools: Effect.sync(() => {
    const running: Array<string> = []
    return {
      /* Gives a new number each time. */
      count: tool({ ...usual, parameters: nothing, execute: () => Effect.sync(() => running.push("x")) }),
      always: tool({
        ...usual,
        parameters: Schema.Struct({ of: Schema.optionalKey(Schema.Int) }),
        execute: () => Effect.succeed(1)
      }),
      crash: tool({ ...usual, parameters: nothing, execute: () => Effect.die(new Error("broken")) }),
      wait: tool({ ...usual, parameters: nothing, execute: () => Effect.never }),
      long: tool({
        ...usual,
        parameters: Schema.Struct({ letter: Schema.String, length: Schema.Int }),
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

const plain = ({ durationMs, ...report }: AskReport) => (expect(durationMs).toBeGreaterThanOrEqual(0), report)

/** A person who declines changes the first so many times, and says what they want instead. */
const declining = (times: number, instead: string) => {
  const questions: Array<string> = []
  const layer = Layer.succeed(Approver)(
    Approver.of({
      step: (title) =>
        Effect.sync(() =>
          questions.push(title) <= times
            ? { answer: "decline", by: "person", instead }
            : { answer: "step", by: "person" }
        ),
      call: () => Effect.die("no call is asked about"),
      inDoubt: () => Effect.die("nothing is in doubt")
    })
  )
  return { questions, layer }
}

const counting = calling(call("count"))
const limits = { ...defaultSettings.limits, iterationsPerMessage: 3 }

/** What the host replied at the end of each request. */
const lastOf = (request: ScriptedRequest | undefined): string => historyOf(request!).at(-1) ?? ""

describe("a conversation", () => {
  nodeTest("sends all that was said, each prompt beginning with the one before, over several messages", function* () {
    const { events, report, reports, requests } = yield* asking(
      ["How many?", "And now?"],
      inOrder(calling(call("count"), call("always", { of: 2 })), "One.", calling(call("count")), "Two.")
    )
    expect(reports.map(plain)).toStrictEqual([
      { message: 1, status: "done", answer: "One.", reason: "", iterations: 2, toolCalls: 2 },
      { message: 2, status: "done", answer: "Two.", reason: "", iterations: 2, toolCalls: 1 }
    ])
    for (const [index, { messages }] of requests.entries()) {
      if (index === 0) continue
      const before = requests[index - 1]!.messages
      expect(messages.slice(0, before.length)).toStrictEqual(before)
    }
    expect(requests[0]?.tools.length).toBe(0)
    expect(lastOf(requests[1])).toMatch(
      /## Now\n\nGo on: look further, change, or answer the user\. There is room for about \d+ lines of output with \d+ characters each, shared by the calls of one answer\.$/
    )
    expect(historyOf(requests[2]!).slice(-2)).toStrictEqual(["assistant: One.", "user: And now?"])
    const { modelCalls, toolCalls } = report.usage
    expect([report.status, report.answer, report.rounds, modelCalls, toolCalls]).toStrictEqual([
      "done",
      "Two.",
      2,
      4,
      3
    ])
    const types = events.map(({ type }) => type)
    expect([types[0], types.at(-1), types.filter((type) => type.startsWith("ask."))]).toStrictEqual([
      "run.started",
      "run.finished",
      ["ask.started", "ask.finished", "ask.started", "ask.finished"]
    ])
    expect(events.flatMap((event) => (event.type === "tool.finished" ? [event.id] : []))).toStrictEqual([
      { round: 1, task: "ask", uid: "turn-1/call-1" },
      { round: 1, task: "ask", uid: "turn-1/call-2" },
      { round: 2, task: "ask", uid: "turn-1/call-1" }
    ])
  })

  nodeTest("has tools and the map of the project in its first part, which stays", function* () {
    const { requests } = yield* asking(["Go.", "On."], inOrder("Yes.", "No."), {
      files: { ...files, "package.json": '{ "scripts": { "test": "vitest run" } }' }
    })
    const systems = requests.map(({ messages }) => String(messages[0]?.content))
    expect(new Set(systems).size).toBe(1)
    expect(systems[0]).toContain("## Project map")
    expect(systems[0]).toContain("npm test")
    expect(systems[0]).toContain("### read_file")
    expect(systems[0]).toContain("<<<<<<< OLD")
  })

  nodeTest("goes on with one that was held with native calls before", function* () {
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
    expect(historyOf(requests[0]!)).toStrictEqual([
      "user: How many?",
      "assistant: c1 always {}",
      "tool: c1 always = 1",
      "assistant: One.",
      "user: What was it?"
    ])
  })

  nodeTest("does what can be done of an answer, and asks again for what is wrong in it", function* () {
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
    expect(reply).toContain("ERROR (internal_error): The tool crash")
    expect(reply).toContain("ERROR (permission_denied): Permission")
    expect(reply).toMatch(/### Tool call always [^#]*Output:\n\n```text\n1\n```/)
    expect(reply).toContain('There is no tool "contes". Use one of: `count`')
    expect(reply).toContain('The argument "letter"')
    expect(reply).not.toContain("--allow")
    expect(reply).toContain("Answer with what corrects this; what else was in the answer is done.")
    expect(report.status).toBe("done")
    const denied = { tool: "read_file", targets: ["a.txt"], by: "nobody", allow: '--allow "read_file:a.txt"' }
    expect(report.facts?.denied?.[0]).toStrictEqual(denied)
  })

  nodeTest("is done when the last iteration answers, and warns before it", function* () {
    const { reports, requests } = yield* asking(["Go."], inOrder(counting, counting, "All."), { settings: { limits } })
    expect(reports[0]).toMatchObject({ status: "done", answer: "All.", iterations: 3 })
    expect(lastOf(requests[1])).toContain("2 answers are left.")
    expect(lastOf(requests[2])).toContain("This is the last answer: answer the user now")
  })

  nodeTest("shows an answer that was cut off, and says so", function* () {
    const { reports, requests } = yield* asking(["Go.", "On."], inOrder({ text: "It beg", finish: "length" }, "Yes."))
    expect([reports[0]?.status, reports[0]?.answer.split("\n")[0]]).toStrictEqual(["limit", "It beg"])
    expect(historyOf(requests[1]!)).toStrictEqual(["user: Go.", "assistant: It beg", "user: On."])
  })
})

const same = calling(call("always"))
const read = call("read_file", { path: "a.txt" })
const denied = (tool: string) => ({
  status: "not_permitted",
  reason: expect.stringMatching(RegExp(`^Permission denied: ${tool}`)),
  facts: { denied: [{ tool }] }
})
const limitReason =
  "Stopped after 3 iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage."
const repeatedReason =
  "Stopped because the model made the same call of always 3 times (limits.identicalCalls) and learned nothing new."

/** Answers, how often the model is asked, and what the report says. */
type End = readonly [
  what: string,
  answers: ReadonlyArray<string>,
  calls: number,
  report: object,
  options?: TestRunOptions
]
const ends: ReadonlyArray<End> = [
  [
    "at its limit when the last iteration calls again",
    [counting, counting, counting],
    3,
    { status: "limit", answer: `*${limitReason}*`, reason: limitReason, iterations: 3, toolCalls: 2 },
    { settings: { limits } }
  ],
  ["when the model learns nothing new", [same, same, same, same], 4, { status: "limit", reason: repeatedReason }],
  ["with an answer after one that says nothing", ["", "Here."], 2, { status: "done", answer: "Here." }],
  ["when the model never says anything", ["", "", ""], 3, { status: "limit" }],
  ["when all that it asked for was denied", [calling(read), "There is nothing."], 2, denied("read_file")],
  [
    "well when it got along without a read",
    [calling(read, call("count")), "There is nothing."],
    2,
    { status: "done", reason: "", facts: { denied: [{ tool: "read_file" }] } }
  ],
  [
    "when a command was denied",
    [calling(call("run_command", { argv: ["true"] }), call("count")), "There is nothing."],
    2,
    denied("run_command")
  ],
  [
    "when a person denies the same thing again and again",
    [calling(read), calling(read), calling(read), "I may not."],
    4,
    { status: "not_permitted", answer: "I may not.", reason: expect.stringContaining("a person denied") },
    { approver: scriptedApprover({ calls: ["deny", "deny", "deny"] }).layer }
  ]
]

describe("a message", () => {
  for (const [what, answers, calls, expected, options] of ends) {
    nodeTest(`ends ${what}`, function* () {
      const { report, reports, requests } = yield* asking(["Go."], inOrder(...answers), { files, ...options })
      expect(requests).toHaveLength(calls)
      expect(reports[0]).toMatchObject(expected)
      expect(report.status).toBe(reports[0]?.status)
    })
  }
})

describe("an answer with links", () => {
  const wrong = "The limit is [5](src/limits.ts#L2).\n\nIt is read once."
  const right = wrong.replace("limits.ts", "limit.ts")

  nodeTest("is sent back when a link is wrong, and shown once", function* () {
    const options = { files, rules: readAll }
    const { reports, requests, shown } = yield* asking(["Go."], inOrder(wrong, right), options)
    expect([reports[0]?.status, reports[0]?.answer]).toStrictEqual(["done", right])
    expect(lastOf(requests[1])).toContain("src/limits.ts")
    expect(shown).toBe(`${wrong}\n\nCorrected:\n\nThe limit is [5](src/limit.ts#L2).`)
  })

  nodeTest("is marked when it stays wrong", function* () {
    const { reports, requests } = yield* asking(["Go."], () => wrong, { files, rules: readAll })
    expect(requests.length).toBe(2)
    expect(reports[0]?.status).toBe("done")
    expect(reports[0]?.answer ?? "").toMatch(/^The limit is \[5\]\(src\/limits\.ts#L2\) .+\n\nIt is read once\.$/)
  })
})

describe("changes", () => {
  nodeTest("are asked about once after the answer, with their diff, and made when approved", function* () {
    const approver = scriptedApprover({ steps: ["step"] })
    const added = block("src/new.ts", "", "export {}")
    const { reports, requests, limit } = yield* asking(["Raise it."], inOrder(raised, added, "Raised."), {
      files,
      approver: approver.layer
    })
    expect(lastOf(requests[1])).toContain("### Changed: src/limit.ts\n\nAs you wrote it:\n\n- src/limit.ts: +1 -1")
    expect(approver.asked.length).toBe(1)
    expect(approver.asked[0]?.map(({ diff }) => /^\+export.*$/m.exec(diff ?? "")?.[0])).toStrictEqual([
      "+export const limit = 10",
      "+export {}"
    ])
    expect([reports[0]?.status, reports[0]?.answer]).toStrictEqual(["done", "Raised."])
    expect(reports[0]?.facts?.files.map(({ insertions, path }) => [path, insertions])).toStrictEqual([
      ["src/limit.ts", 1],
      ["src/new.ts", 1]
    ])
    expect(limit).toBe("// The limit.\nexport const limit = 10\n")
  })

  nodeTest("are asked about before they are made, and the model hears a no, with --ask-first", function* () {
    const approver = scriptedApprover({ calls: ["once", "deny"] })
    const answers = inOrder(raised, block("src/new.ts", "", "export {}"), "Raised.")
    const options = { files, approver: approver.layer, settings: { askFirst: true } }
    const { limit, reports, requests } = yield* asking(["Raise it."], answers, options)
    expect(approver.asked.map((items) => items.map(({ tool }) => tool))).toStrictEqual([["edit_file"], ["write_file"]])
    expect(lastOf(requests[1])).toContain("### Changed: src/limit.ts")
    expect(lastOf(requests[2])).toContain("### Not changed: src/new.ts")
    expect(reports[0]?.facts?.files.map(({ path }) => path)).toStrictEqual(["src/limit.ts"])
    expect(limit).toBe("// The limit.\nexport const limit = 10\n")
  })

  nodeTest("that are the same as those of an earlier message are asked about again", function* () {
    const approver = scriptedApprover({ steps: ["step", "step", "step"] })
    const lowered = block("src/limit.ts", "export const limit = 10", "export const limit = 5")
    const answers = inOrder(raised, "Raised.", lowered, "Back.", raised, "Raised.")
    const { limit } = yield* asking(["Raise it.", "Back.", "Again."], answers, { files, approver: approver.layer })
    expect([approver.asked.length, limit]).toStrictEqual([3, "// The limit.\nexport const limit = 10\n"])
  })

  nodeTest("that a person declines are not made, and the host says so", function* () {
    const approver = scriptedApprover({ steps: ["decline"] })
    const { report, reports, requests, limit, shown } = yield* asking(
      ["Raise it.", "Why?"],
      inOrder(raised, "I raised it.", "So."),
      { files, approver: approver.layer }
    )
    const said = "Nothing was changed: you declined the changes of src/limit.ts."
    expect([reports[0]?.status, reports[0]?.answer, reports[0]?.facts]).toStrictEqual(["declined", said, undefined])
    expect(shown).toBe(`I raised it.\n\n${said}So.`)
    expect(historyOf(requests[2]!).slice(-2)).toStrictEqual([`assistant: ${said}`, "user: Why?"])
    expect(limit).toBe(files["src/limit.ts"])
    expect(report.status).toBe("done")
  })

  nodeTest("go on with what a person wants in their place", function* () {
    const { layer: approver } = declining(1, "Set it to 8.")
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
    expect(lastOf(requests[2])).toBe("user: I declined these changes. Instead: Set it to 8.")
    expect([reports[0]?.status, reports[0]?.answer, reports[0]?.iterations]).toStrictEqual([
      "done",
      "You declined the changes of src/limit.ts, and wanted instead: Set it to 8.\n\nIt is 8.",
      4
    ])
    expect(limit).toBe("// The limit.\nexport const limit = 8\n")
    expect(shown).toMatch(/^It is 10\.\n\nNothing was changed: .*It is 8\.$/s)
  })

  nodeTest("that were declined are not asked about again when the model makes no others", function* () {
    const { layer: approver, questions } = declining(9, "Leave it.")
    const { limit, reports, shown } = yield* asking(["Raise it."], inOrder(raised, "It is 10.", "It is 10 now."), {
      files,
      approver
    })
    expect(questions).toHaveLength(1)
    expect(limit).toBe(files["src/limit.ts"])
    expect([reports[0]?.status, reports[0]?.answer]).toStrictEqual([
      "declined",
      "You declined the changes of src/limit.ts, and wanted instead: Leave it. Nothing was changed.\n\nIt is 10 now."
    ])
    expect(shown.split("It is 10 now.").length).toBe(2)
    expect(shown).toContain("changes of src/limit.ts.\n\nIt is 10 now.")
  })

  nodeTest("that nobody approves are not made", function* () {
    const { reports, limit } = yield* asking(["Raise it."], inOrder(raised, "I raised it."), { files })
    expect(reports[0]?.status).toBe("not_permitted")
    expect(reports[0]?.answer).toContain("Nothing was changed: the changes of src/limit.ts were not approved")
    expect(limit).toBe(files["src/limit.ts"])
  })
})

describe("native tool calls", () => {
  const settings = { toolCalls: "native" as const }

  nodeTest("are offered through the interface, and each is answered by one message", function* () {
    const { reports, requests } = yield* asking(
      ["How many?", "And now?"],
      inOrder(
        { text: "I count.", thinking: "Hm.", calls: [id("count"), id("nothing", {}, "c2")] },
        "One.",
        native(id("count")),
        "Two."
      ),
      { settings }
    )
    expect(requests[0]?.tools.includes("count")).toBe(true)
    expect(String(requests[0]?.messages[0]?.content)).not.toContain("## Tools")
    const [asked, answer, first, unknown = ""] = historyOf(requests[1]!)
    expect([asked, answer, first]).toStrictEqual([
      "user: How many?",
      "assistant: (Hm.) | I count. | c1 count {} | c2 nothing {}",
      "tool: c1 count = 1"
    ])
    expect(unknown).toMatch(/^tool: c2 nothing = ERROR \(validation_failed\): There is no tool "nothing"/)
    expect(historyOf(requests[3]!).slice(-2)).toStrictEqual(["assistant: c1-2 count {}", "tool: c1-2 count = 2"])
    expect(reports.map(({ answer }) => answer)).toStrictEqual(["One.", "Two."])
  })

  nodeTest("that can never be made end the message", function* () {
    const { events, reports, requests } = yield* asking(["Go."], () => native(id("nothing")), { settings })
    expect([requests.length, reports[0]?.status]).toStrictEqual([5, "failed"])
    expect(reports[0]?.reason).toContain('There is no tool "nothing".')
    expect(events.filter(({ type }) => type === "answer.rejected").length).toBe(5)
  })

  nodeTest("are read in text mode as well, from a model that makes them unasked", function* () {
    const { requests } = yield* asking(["Go."], inOrder(native(id("always")), "1."))
    expect(requests[1]?.messages.map(({ role }) => role)).toStrictEqual(["system", "user", "assistant", "user"])
    expect(lastOf(requests[1])).toContain("### Tool call always")
  })
})

const long = (letter: string) => calling(call("long", { letter, length: 5000 }))

describe("a small window", () => {
  const settings = { contextWindow: 6700 }
  nodeTest("is folded, and never loses a message of the user", function* () {
    const { reports, requests } = yield* asking(
      ["Keep this sentence.", "And this one."],
      inOrder(long("a"), "A.", long("b"), long("c"), "B and C."),
      { settings }
    )
    expect(reports.map(({ status }) => status)).toStrictEqual(["done", "done"])
    for (const request of requests) expect(historyOf(request)[0]).toContain("Keep this sentence.")
    const last = historyOf(requests.at(-1)!)
    expect(last.slice(0, 2)).toStrictEqual(["user: Keep this sentence.", "assistant: A."])
    expect(last[2] ?? "").toMatch(/^user: And this one\.\n\n## Done so far/)
  })

  nodeTest("refuses a message that cannot fit, and says what to do", function* () {
    const { reports, requests } = yield* asking(["Short.", "word ".repeat(6000)], inOrder("Yes."), { settings })
    expect(reports.map(({ status }) => status)).toStrictEqual(["done", "failed"])
    expect(reports[1]?.reason ?? "").toMatch(
      /^The prompt needs about \d+ tokens, the context window holds 6700\. The largest parts are messages \(\d+\), .* Start a new conversation, or put long text into a file and name it, or raise contextWindow to at least \d+\. The message was taken out of the conversation again\.$/
    )
    expect(requests.map(historyOf)).toStrictEqual([["user: Short."]])
  })
})

describe("an interruption", () => {
  const opened = layerTestAsk({ plugins: [clock] }).pipe(Layer.provideMerge(ScriptedModel.layerHeld))

  layerTest(opened, "stops the answer, keeps what was said, and leaves the conversation usable", function* () {
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
        expect(said.map(({ role }) => role)).toStrictEqual(["user", "assistant", "user", "assistant"])
        expect(said.at(-1)).toMatchObject({ content: "(The user stopped this answer.)" })
        const second = yield* Effect.forkChild(send("Again."))
        yield* Effect.flatMap(held.next, ({ answer }) => answer("Here."))
        expect((yield* Fiber.join(second)).answer).toBe("Here.")
      })
    )
    const ended = log.events().flatMap((event) => (event.type === "ask.finished" ? [event.report.status] : []))
    expect([ended, report.status]).toStrictEqual([["interrupted", "done"], "done"])
  })
})
