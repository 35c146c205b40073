import { assert } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Output } from "../../../src/cli/terminal/Output.ts"
import { Signals } from "../../../src/cli/terminal/Signals.ts"
import { answerMessages } from "../../../src/cli/ask/ask.ts"
import { makeLineReader, makePlainReader } from "../../../src/cli/ask/MessageReader.ts"
import type { ConversationContext } from "../../../src/app/conversation.ts"
import type { Setup } from "../../../src/app/setup.ts"
import { layerTerminal } from "../../../src/cli/approval/TerminalApprover.ts"
import { Asker } from "../../../src/services/conversation/Asker.ts"
import { type ScriptedAnswer, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import type { SourcedRule } from "../../../src/services/permissions/Policy.ts"
import { defaultSettings } from "../../../src/services/runs/RunSettings.ts"
import { fakeOutput } from "../../support/FakeOutput.ts"
import { makeFakeTerminal } from "../../support/FakeTerminal.ts"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { layerTestAsk } from "../../support/TestRun.ts"
import { waitLimit } from "../../support/withinLimit.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const rules: ReadonlyArray<SourcedRule> = [{ verdict: "deny", tool: "write_file", pattern: "*.lock" }]

const setupWith = (model: string): Setup =>
  ({
    rules,
    project: "/project",
    settings: { ...defaultSettings, model },
    folders: { home: "/home/you" }
  }) as unknown as Setup

const conversation: ConversationContext = {
  setup: setupWith("embedded"),
  commands: [],
  prepareModel: (name) =>
    name === "qwen3:8b"
      ? Effect.succeed({ setup: setupWith(name), modelNotes: [`Using ${name}, the only one.`] })
      : Effect.fail({ message: `The model "${name}" is not installed. Choose one, for example --model qwen3:8b.` })
}

/** A person at a terminal, before whom a session is open. */
const open = Effect.fnUntraced(function* (script: (index: number) => ScriptedAnswer | string, hasKeys = false) {
  const remembered: Array<string> = []
  const remember = (message: string) => Effect.sync(() => void remembered.push(message))
  const terminal = yield* makeFakeTerminal({ stdin: true, stderr: true })
  const shown = { text: "" }
  const listeners: Array<() => void> = []
  const add = (text: string) => Effect.sync(() => void (shown.text += text))
  const output = fakeOutput({
    emit: (text) => add(`${text}\n`),
    prompt: add,
    isWatched: true
  })
  const signals = Signals.of({
    received: () => undefined,
    onInterrupt: (listener) => Effect.sync(() => void listeners.push(listener))
  })
  const layer = layerTestAsk({
    files: { "a.txt": "text\n" },
    rules,
    approver: layerTerminal().pipe(Layer.provide(terminal.layer))
  }).pipe(Layer.provide(ScriptedModel.layer((_prompt, index) => script(index))))
  const screen = () => shown.text + terminal.screen()
  const session = yield* Effect.gen(function* () {
    const asker = yield* Asker
    return yield* asker.hold({ runId: "r", prompt: "" }, (one) =>
      Effect.gen(function* () {
        const reader = yield* hasKeys
          ? makeLineReader({ messages: ["An earlier message"], add: remember })
          : makePlainReader
        const next = yield* answerMessages(one, conversation, reader, (piece) => void (shown.text += piece))
        if (next !== undefined) shown.text += `next: ${next.setup.settings.model}`
      })
    )
  }).pipe(
    Effect.provide(layer),
    Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)),
    Effect.provide(terminal.layer),
    Effect.provideService(Output, output),
    Effect.provideService(Signals, signals),
    Effect.forkChild
  )
  /** Lets time pass until something holds. */
  const until = Effect.fnUntraced(function* (what: string, condition: () => boolean) {
    // The layers read real files, which takes real time.
    const deadline = performance.now() + waitLimit
    while (performance.now() < deadline) {
      if (condition()) return
      yield* TestClock.adjust("20 millis")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    throw new Error(`${what}:\n${screen()}`)
  })
  const sees = (text: string, times = 1) =>
    until(`"${text}" was not shown ${times} times`, () => screen().split(text).length > times)
  return {
    screen,
    sees,
    until,
    type: terminal.type,
    press: terminal.press,
    remembered,
    end: terminal.end,
    interrupt: Effect.sync(() => listeners.at(-1)?.()),
    report: Effect.andThen(
      until("the session did not end", () => session.pollUnsafe() !== undefined),
      Fiber.join(session)
    )
  }
})

const reading: ScriptedAnswer = {
  text: "",
  calls: [{ id: "a", name: "read_file", arguments: { path: "a.txt" } }]
}

nodeTest("answers messages and words until the user leaves", function* () {
  const { report, screen, sees, type } = yield* open((index) => `Answer ${index + 1}.`)
  const words = [
    ["/help", "what is allowed and denied"],
    ["/tools", "write_file"],
    ["/context", "a.txt"],
    ["/tasks", "The list is empty."],
    ["/permissions", "From flags and configuration:\n  deny write_file:*.lock\n"],
    ["/contxt", "Unknown command /contxt. Did you mean /context? /help lists the commands."],
    ["/new", "Started a new conversation. Permissions stay."],
    ["Hello", "Answer 1."],
    ["", "> "],
    ["/etc/hosts is a file", "Answer 2."]
  ] as const
  for (const [index, [typed, seen]] of words.entries()) {
    yield* sees("> ", index + 1)
    yield* type(typed)
    yield* sees(seen)
  }
  yield* sees("> ", words.length + 1)
  yield* type("/quit")
  const { rounds, status } = yield* report
  assert.deepStrictEqual([status, rounds], ["done", 2])
  assert.match(screen(), /^> /)
})

nodeTest("takes a pasted text as one message, and Ctrl-D as the end", function* () {
  const { end, report, sees, type } = yield* open(() => "Read.")
  yield* sees("> ")
  yield* type("one", "", "/quit", "two")
  yield* sees("Read.")
  yield* sees("> ", 2)
  yield* end
  const { answer, rounds, status } = yield* report
  assert.deepStrictEqual([status, rounds, answer], ["done", 1, "Read."])
})

nodeTest("asks for permission in the middle, and shows what was allowed", function* () {
  const { press, report, sees, type } = yield* open((index) => (index === 0 ? reading : "It says text."))
  yield* sees("> ")
  yield* type("What does a.txt say?")
  yield* sees("Wants to read a.txt")
  yield* sees("Allow? ")
  yield* press("k", "\r")
  yield* sees("It says text.")
  yield* type("/permissions")
  yield* sees("For this session:\n  allow read_file for every file of the project that does not look like a secret\n")
  yield* type("/quit")
  assert.strictEqual((yield* report).status, "done")
})

nodeTest("stops an answer at Ctrl-C, also at its question, and leaves at the second one at the prompt", function* () {
  const { interrupt, report, screen, sees, type } = yield* open((index) => (index === 0 ? reading : "Later."))
  yield* sees("> ")
  yield* type("What does a.txt say?")
  yield* sees("Wants to read a.txt")
  yield* interrupt
  yield* sees("> ", 2)
  yield* type("Something else")
  yield* sees("Later.")
  yield* sees("> ", 3)
  yield* TestClock.adjust("150 millis")
  yield* interrupt
  yield* interrupt
  yield* sees("Press Ctrl-C again, or Ctrl-D, to leave.")
  yield* sees("> ", 4)
  yield* TestClock.adjust("150 millis")
  yield* interrupt
  const { rounds, status } = yield* report
  assert.deepStrictEqual([status, rounds], ["done", 2])
  assert.strictEqual(screen().split("Press Ctrl-C again").length, 2)
})

nodeTest("ends with 4 when something was denied on the way", function* () {
  const { press, report, sees, type } = yield* open((index) => (index === 0 ? reading : "Fine."))
  yield* sees("> ")
  yield* type("What does a.txt say?")
  yield* sees("Allow? ")
  yield* press("n")
  yield* sees("Fine.")
  yield* sees("> ", 2)
  yield* type("Thanks.")
  yield* sees("Fine.", 2)
  yield* sees("> ", 3)
  yield* type("/quit")
  assert.strictEqual((yield* report).status, "not_permitted")
})

nodeTest("takes keys: editing, history, several lines, pastes that are not sent, Ctrl-C and Ctrl-D", function* () {
  const { press, remembered, report, screen, sees } = yield* open((index) => `Answer ${index + 1}.`, true)
  yield* sees("\u001b[?2004h")
  yield* press("Helo", "\u001b[D", "l\u001b[F!", "\r")
  yield* sees("Answer 1.")
  yield* press("one", "\u001b\r", "two\\", "\r", "three", "\r")
  yield* sees("Answer 2.")
  yield* press("\u001b[200~pasted\r\nlines\r\n/exit\r\n\u001b[201~")
  yield* sees("/exit")
  yield* press("\u001b[200~more\r\u001b[201~", "\r")
  yield* sees("Answer 3.")
  /* A terminal that does not mark pastes. */
  yield* press("first\rsecond\r")
  yield* sees("second")
  yield* press("\r")
  yield* sees("Answer 4.")
  /* Up goes through the lines of a message before it goes to the message before. */
  yield* press(...Array.from({ length: 11 }, () => "\u001b[A"), "?", "\r")
  yield* sees("Answer 5.")
  yield* press("never sent", "\u0003", "\u0003")
  yield* sees("Press Ctrl-C again, or Ctrl-D, to leave.")
  yield* press("still here", "\u0004", "\r")
  yield* sees("Answer 6.")
  /* A tab completes a command, and is a tab in any other text. */
  yield* press("/ta\t", "\r")
  yield* sees("The list is empty.")
  yield* press("\u001b[200~if x:\r\ty\u001b[201~\tz", "\r")
  yield* sees("Answer 7.")
  yield* press("\u0004")
  assert.strictEqual((yield* report).rounds, 7)
  assert.isFalse(screen().slice(screen().lastIndexOf("\u001b[?2004l")).includes("\u001b[?2004h"))
  assert.deepStrictEqual(remembered, [
    "Hello!",
    "one\ntwo\nthree",
    "pasted\nlines\n/exit\nmore",
    "first\nsecond",
    "An earlier message?",
    "still here",
    "/tasks",
    "if x:\n\ty\tz"
  ])
})

nodeTest("carries out commands with arguments", function* () {
  const file = `${mkdtempSync(join(tmpdir(), "task-conductor-talk-"))}/talk.md`
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(dirname(file), { recursive: true })))
  const { report, screen, sees, type, until } = yield* open((index) => (index === 0 ? reading : "It says text."))
  const steps = [
    ["/tools read_file,search_files", "The model may call: read_file, search_files."],
    ["/tools", /write_file +off/],
    ["/tools off search_files", "The model may call: read_file."],
    ["/tools on nothing_like_it", 'There is no tool "nothing_like_it". Nearest: '],
    ["/allow read_file:a.txt", "Allowed for this session: read_file:a.txt."],
    ["/allow reed_file", 'There is no tool "reed_file". Nearest: read_file'],
    ["/allow read_file:", "/allow read_file:: "],
    ["/permissions", "For this session:\n  allow read_file:a.txt\n"],
    ["/save", "Name a file"],
    [`/save ${file}`, "There is nothing to save yet."],
    ["What does a.txt say?", "It says text."],
    [`/save ${file}`, `Saved to ${file}.`],
    [`/save ${file}`, "Overwrite it?"],
    ["", "Nothing was written."],
    ["/model", "The model is embedded."],
    ["/model qwen", 'The model "qwen" is not installed. Choose one, for example /model qwen3:8b.'],
    ["/modle qwen", "Unknown command /modle. Did you mean /model?"]
  ] as const
  for (const [typed, expected] of steps) {
    yield* type(typed)
    yield* until(`${typed} did not show ${String(expected)}`, () =>
      typeof expected === "string" ? screen().includes(expected) : expected.test(screen())
    )
  }
  assert.match(
    readFileSync(file, "utf8"),
    /## You\n\nWhat does a\.txt say\?\n\n- called `read_file` with[^]*## Answer\n\nIt says text\.\n$/
  )
  yield* type("/model qwen3:8b")
  yield* sees("Using qwen3:8b, the only one.")
  yield* sees("next: qwen3:8b")
  assert.strictEqual((yield* report).status, "done")
})

nodeTest("leaves at exit and quit, with and without a slash", function* () {
  for (const word of ["exit", "Quit", " /exit ", "/quit"]) {
    const { report, sees, type } = yield* open(() => "Not asked.")
    yield* sees("> ")
    yield* type(word)
    assert.strictEqual((yield* report).rounds, 0)
  }
})
