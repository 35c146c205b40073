import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { needsTerminal, openTerminal } from "../../support/PseudoTerminal.ts"

const program = fileURLToPath(new URL("../../support/askOnTerminal.ts", import.meta.url))
const ask = (...words: ReadonlyArray<string>) => `'${process.execPath}' '${program}' ${words.join(" ")}`

/** The answer that the program printed last. */
const answerIn = (screen: string): unknown => JSON.parse(/ANSWER (\{.*\})/.exec(screen)?.[1] ?? "null")

/** Milliseconds between READY and the question, in which a test types ahead. */
const longEnoughToType = "1500"

describe.concurrent("a question in a real terminal", needsTerminal, () => {
  it("takes the answer that is typed after it, and leaves the terminal as it was", async () => {
    const terminal = openTerminal(`${ask("short")}; stty -a`)
    await terminal.shows("Answer [4]: ")
    terminal.type("2\n")
    await terminal.ended
    assert.deepStrictEqual(answerIn(terminal.screen()), { answer: "session", by: "person" })
    assert.match(terminal.screen(), /(?<!-)icanon/)
    assert.match(terminal.screen(), /(?<!-)echo\b/)
  })

  it("shows no control sequence and no reversed text of a path", async () => {
    const terminal = openTerminal(ask("short"))
    await terminal.shows("Answer [4]: ")
    terminal.type("\n")
    await terminal.shows("instead? (Enter for nothing): ")
    terminal.type("\n")
    await terminal.ended
    assert.include(terminal.screen(), "Target: /p/\\u{1b}[2J\\u{202e}gpj.md")
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    assert.notMatch(terminal.screen(), /\u001b\[2J|\u202e/)
  })

  for (const [name, keys] of [
    ["whole lines", "1\n1\n"],
    ["a line without its end", "1"],
    ["both", "1\n1"]
  ] as const) {
    it(`never takes ${name} typed before it for an answer`, async () => {
      const terminal = openTerminal(ask("short", longEnoughToType))
      await terminal.shows("READY")
      terminal.type(keys)
      await terminal.shows("Answer [4]: ")
      terminal.type("\n")
      await terminal.shows("instead? (Enter for nothing): ")
      terminal.type("\n")
      await terminal.ended
      assert.deepStrictEqual(answerIn(terminal.screen()), { answer: "deny", by: "person" })
    })
  }

  it("is shown to its end before it can be answered", async () => {
    const terminal = openTerminal(ask("long"))
    await terminal.shows("-- page 1 of 3: ")
    assert.notInclude(terminal.screen(), "Answer")
    terminal.type("1\n")
    await terminal.shows("-- page 2 of 3: ")
    terminal.type("\n")
    await terminal.shows("Answer [4]: ")
    for (let detail = 1; detail <= 40; detail++) assert.include(terminal.screen(), `detail ${detail}\r\n`)
    terminal.type("1\n")
    await terminal.ended
    assert.deepStrictEqual(answerIn(terminal.screen()), { answer: "once", by: "person" })
  })

  it("takes the words that are typed after a no", async () => {
    const terminal = openTerminal(ask("short"))
    await terminal.shows("Answer [4]: ")
    terminal.type("4\n")
    await terminal.shows("instead? (Enter for nothing): ")
    terminal.type("read the index\n")
    await terminal.ended
    assert.deepStrictEqual(answerIn(terminal.screen()), { answer: "deny", by: "person", instead: "read the index" })
  })

  it("is denied by Ctrl-D", async () => {
    const terminal = openTerminal(ask("short"))
    await terminal.shows("Answer [4]: ")
    terminal.type("\u0004")
    await terminal.ended
    assert.deepStrictEqual(answerIn(terminal.screen()), { answer: "deny", by: "person" })
  })

  it("is not asked when stdin is no terminal, whatever stands in it", async () => {
    const terminal = openTerminal(`printf '1\\n' | ${ask("short")}`)
    await terminal.ended
    assert.deepStrictEqual(answerIn(terminal.screen()), { answer: "deny", by: "nobody" })
    assert.notInclude(terminal.screen(), "Permission request")
  })
})

it("is not asked without a terminal: a piped yes is no answer", async () => {
  const child = spawn(process.execPath, [program, "short"], { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin.end("1\ny\n")
  let screen = ""
  for await (const text of child.stdout.setEncoding("utf8")) screen += String(text)
  assert.deepStrictEqual(answerIn(screen), { answer: "deny", by: "nobody" })
})
