import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { Output } from "../../../src/cli/terminal/Output.ts"
import { Signals } from "../../../src/cli/terminal/Signals.ts"
import { talk } from "../../../src/cli/ask/repl.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import { layerTerminal } from "../../../src/services/approvals/TerminalApprover.ts"
import { Asker } from "../../../src/services/conversation/Asker.ts"
import { type ScriptedAnswer, ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { makeFakeTerminal } from "../../support/FakeTerminal.ts"
import { layerTestAsk } from "../../support/TestRun.ts"

const rules: ReadonlyArray<Rule> = [{ verdict: "deny", tool: "write_file", pattern: "*.lock" }]

/** A person at a terminal, before whom a session is open. */
const open = (script: (index: number) => ScriptedAnswer | string) =>
  Effect.gen(function* () {
    const terminal = yield* makeFakeTerminal({ stdin: true, stderr: true })
    const shown = { text: "" }
    const listeners: Array<() => void> = []
    const add = (text: string) => Effect.sync(() => void (shown.text += text))
    const output = Output.of({
      result: () => Effect.die("no result"),
      answer: () => Effect.die("no answer"),
      follow: () => undefined,
      tell: (text) => add(`${text}\n`),
      prompt: add,
      lost: () => undefined,
      resultPaint: makePaint(false),
      tellPaint: makePaint(false),
      isWatched: true,
      canAsk: true,
      hasPipedInput: false
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
      return yield* asker.converse({ runId: "r", prompt: "" }, (one) =>
        talk(one, rules, (piece) => (shown.text += piece))
      )
    }).pipe(
      Effect.provide(layer),
      Effect.provide(terminal.layer),
      Effect.provideService(Output, output),
      Effect.provideService(Signals, signals),
      Effect.forkChild
    )
    /** Lets time pass until something holds. */
    const until = Effect.fnUntraced(function* (what: string, condition: () => boolean) {
      // The layers read real files, which takes real time.
      const deadline = performance.now() + 15_000
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
      type: terminal.type,
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

it.effect("answers messages and words until the person leaves", () =>
  Effect.gen(function* () {
    const { report, screen, sees, type } = yield* open((index) => `Answer ${index + 1}.`)
    const words = [
      ["/help", "/permissions  what is allowed"],
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
    assert.match(screen(), /^Write a message and press Enter; \/help lists the commands\.\n> /)
  })
)

it.effect("takes a pasted text as one message, and Ctrl-D as the end", () =>
  Effect.gen(function* () {
    const { end, report, sees, type } = yield* open(() => "Read.")
    yield* sees("> ")
    yield* type("one", "", "/quit", "two")
    yield* sees("Read.")
    yield* sees("> ", 2)
    yield* end
    const { answer, rounds, status } = yield* report
    assert.deepStrictEqual([status, rounds, answer], ["done", 1, "Read."])
  })
)

it.effect("asks for permission in the middle, and shows what was allowed", () =>
  Effect.gen(function* () {
    const { report, sees, type } = yield* open((index) => (index === 0 ? reading : "It says text."))
    yield* sees("> ")
    yield* type("What does a.txt say?")
    yield* sees("Wants to read a.txt")
    yield* sees("Allow? ")
    yield* type("a")
    yield* sees("It says text.")
    yield* type("/permissions")
    yield* sees("For this session:\n  allow read_file for every file of the project that does not look like a secret\n")
    yield* type("/quit")
    assert.strictEqual((yield* report).status, "done")
  })
)

it.effect("stops an answer at Ctrl-C, also at its question, and leaves at the second one at the prompt", () =>
  Effect.gen(function* () {
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
)

it.effect("ends with 4 when something was denied on the way", () =>
  Effect.gen(function* () {
    const { report, sees, type } = yield* open((index) => (index === 0 ? reading : "Fine."))
    yield* sees("> ")
    yield* type("What does a.txt say?")
    yield* sees("Allow? ")
    yield* type("n")
    yield* sees("Fine.")
    yield* sees("> ", 2)
    yield* type("Thanks.")
    yield* sees("Fine.", 2)
    yield* sees("> ", 3)
    yield* type("/quit")
    assert.strictEqual((yield* report).status, "not_permitted")
  })
)
