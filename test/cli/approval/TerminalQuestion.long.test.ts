import { assert, describe, it } from "@effect/vitest"
import { setImmediate, setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { needs } from "../../support/needs.ts"
import { needsTerminal, openTerminal, type PseudoTerminal } from "../../support/PseudoTerminal.ts"

const program = fileURLToPath(new URL("../../support/askOnTerminal.ts", import.meta.url))
const ask = (...words: ReadonlyArray<string>) => `'${process.execPath}' '${program}' ${words.join(" ")}`

/** The answer that the program printed last. */
const answerIn = (screen: string): unknown => JSON.parse(/ANSWER (\{.*\})/.exec(screen)?.[1] ?? "null")

/** Milliseconds between READY and the question, in which a test types ahead. */
const longEnoughToType = "1500"

/** A command that asks, in a terminal that shows its question. */
const asking = async (command: string): Promise<PseudoTerminal> => {
  const terminal = openTerminal(command)
  await terminal.shows("Allow? ")
  return terminal
}

/** Resolves when the prompt was shown so often. */
const untilAsked = async ({ screen, shows }: PseudoTerminal, times: number): Promise<void> => {
  while (screen().split("Allow? ").length <= times) await shows("Allow? ").then(() => setImmediate())
}

/** Types the keys, and waits for the answer that the program gets. */
const answers = async ({ ended, screen, type }: PseudoTerminal, keys: string, answer: object): Promise<void> => {
  type(keys)
  await ended
  assert.deepStrictEqual(answerIn(screen()), { by: "person", ...answer })
}

/** Types a no without anything in its place. */
const denies = async (terminal: PseudoTerminal): Promise<void> => {
  terminal.type("n")
  await terminal.shows("instead? (Enter for nothing): ")
  await answers(terminal, "\n", { answer: "deny" })
}

describe.concurrent("a question in a real terminal", needsTerminal, () => {
  it("takes the answer that is typed after it, and leaves the terminal as it was", async () => {
    const terminal = await asking(`${ask("short")}; stty -a`)
    terminal.type("\n")
    await untilAsked(terminal, 2)
    terminal.type("k")
    await setTimeout(100)
    await answers(terminal, "\n", { answer: "session" })
    assert.match(terminal.screen(), /(?<!-)icanon/)
    assert.match(terminal.screen(), /(?<!-)echo\b/)
  })

  /* What each key means is tested in TerminalApprover.test.ts; here are those that a terminal sends in a form of its own. */
  for (const [kind, keys, answer] of [
    ["short", ["p", " ", "\u001b[200~docs/**\u001b[201~", "\r"], { answer: "remember", always: ["read_file:docs/**"] }],
    ["short", ["e", "\u001b", "y"], { answer: "once" }],
    ["short", ["x", "\r", "\r", "y"], { answer: "once" }],
    ["short", ["n", "Leave it.", "\r"], { answer: "deny", instead: "Leave it." }],
    ["step", ["1", "2", "\u007f", "\r"], { answer: { chosen: [1] } }],
    ["doubt", ["n"], { answer: "again" }]
  ] as const) {
    it(`takes ${JSON.stringify(keys)} in a question of the kind ${kind}`, async () => {
      const terminal = openTerminal(ask(kind))
      await terminal.shows(kind === "doubt" ? "happen? " : "Allow? ")
      for (const key of keys) {
        terminal.type(key)
        await setTimeout(400)
      }
      await answers(terminal, "", answer)
    })
  }

  it("is stopped by Ctrl-C, without an answer", async () => {
    const terminal = await asking(`${ask("short")}; echo "ended with $?"`)
    terminal.type("\u0003")
    await terminal.ended
    assert.notInclude(terminal.screen(), "ANSWER")
    assert.include(terminal.screen(), "ended with 130")
  })

  it("is put aside by Ctrl-Z, and asked again when the program continues", needs("bash"), async () => {
    const terminal = await asking(`bash -ic "${ask("short")}; fg"`)
    await setTimeout(300)
    terminal.type("\u001a")
    await untilAsked(terminal, 2)
    await answers(terminal, "y", { answer: "once" })
  })

  for (const [name, keys] of [
    ["whole lines", "y\ny\n"],
    ["a line without its end", "y"]
  ] as const) {
    it(`never takes ${name} typed before it for an answer, and shows no control sequence of a path`, async () => {
      const terminal = openTerminal(ask("short", longEnoughToType))
      await terminal.shows("READY")
      terminal.type(keys)
      await terminal.shows("Allow? ")
      await denies(terminal)
      assert.include(terminal.screen(), "/p/\\u{1b}[2J\\u{202e}gpj.md")
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      assert.notMatch(terminal.screen(), /\u001b\[2J|\u202e/)
    })
  }

  for (const [name, keys] of [
    ["marked as a paste", "\u001b[200~y\u001b[201~"],
    ["a line with an answer", "y\n"],
    ["marked, with more lines", "\u001b[200~first\ny\nall\n\u001b[201~"],
    ["of several lines, the second of which is an answer", "See:\ny\nall\n"],
    ["that ends in the middle of a line", "y\nall"]
  ] as const) {
    it(`takes no text for an answer that is ${name}`, async () => {
      const terminal = await asking(ask("short"))
      terminal.type(keys)
      await untilAsked(terminal, 2)
      assert.notInclude(terminal.screen(), "ANSWER")
      assert.match(terminal.screen(), /Pasted text is not an answer: press a key\./)
      await denies(terminal)
      assert.include(terminal.screen(), "\u001b[?2004l")
    })
  }

  it("is not asked when stdin is no terminal, whatever stands in it", async () => {
    const terminal = openTerminal(`printf 'y\\n' | ${ask("short")}`)
    await answers(terminal, "", { answer: "deny", by: "nobody" })
    assert.notInclude(terminal.screen(), "wants to")
  })
})
