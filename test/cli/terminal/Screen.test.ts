import { assert, it } from "@effect/vitest"
import headless from "@xterm/headless"
import { Writable } from "node:stream"
import { canDrawOn, isUnicodeIn, TerminalScreen, type TerminalStream } from "../../../src/cli/terminal/Screen.ts"
import { textCollector } from "../../support/textCollector.ts"

/** A terminal whose contents a test reads, and a screen on it. */
const open = (columns = 40, rows = 10, env: Readonly<Record<string, string>> = { TERM: "xterm", LANG: "C.UTF-8" }) => {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true })
  const writes: Array<string> = []
  const stream: TerminalStream = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk: string | Uint8Array, _encoding, done) => {
        writes.push(String(chunk))
        terminal.write(chunk)
        done()
      }
    }),
    { isTTY: true, getWindowSize: (): [number, number] => [terminal.cols, terminal.rows] }
  )
  const listeners = new Map<string, () => void>()
  const signals: Array<string> = []
  const screen = new TerminalScreen(stream, env, {
    on: (event, listener) => listeners.set(event, listener),
    off: (event) => listeners.delete(event),
    kill: (_pid, signal) => signals.push(signal),
    pid: 1
  })
  const shown = (): Promise<ReadonlyArray<string>> =>
    new Promise((resolve) =>
      terminal.write("", () => {
        const { active } = terminal.buffer
        const all = Array.from(
          { length: active.length },
          (_, row) => active.getLine(row)?.translateToString(true) ?? ""
        )
        resolve(all.join("\n").trimEnd().split("\n"))
      })
    )
  return { terminal, stream, screen, shown, writes, listeners, signals }
}

it("stays below everything that is written, each time in one write", async () => {
  const { screen, shown, stream, writes } = open()
  let lines: ReadonlyArray<string> = ["working", "1 s"]
  screen.show(() => lines)
  screen.refresh()
  screen.write(stream, "first\n")
  lines = ["working", "still", "2 s"]
  screen.refresh()
  screen.refresh()
  screen.write(stream, "second\nthird\n")
  assert.deepStrictEqual(await shown(), ["first", "second", "third", "working", "still", "2 s"])
  assert.strictEqual(writes.length, 4)
  lines = ["done"]
  screen.refresh()
  assert.deepStrictEqual(await shown(), ["first", "second", "third", "done"])
  screen.hide()
  assert.deepStrictEqual(await shown(), ["first", "second", "third"])
  screen.write(stream, "after\n")
  assert.deepStrictEqual(await shown(), ["first", "second", "third", "after"])
})

it("takes away what the terminal echoed of a key below it", async () => {
  const { screen, shown, stream, terminal } = open()
  screen.show(() => ["working"])
  screen.write(stream, "first\n")
  terminal.write("^C")
  screen.write(stream, "second\n")
  assert.deepStrictEqual(await shown(), ["first", "second", "working"])
  terminal.write("^C")
  screen.hide()
  assert.deepStrictEqual(await shown(), ["first", "second"])
})

it("leaves the log whole when the screen is full, and hides no cursor", async () => {
  const { screen, shown, stream, writes } = open(20, 6)
  screen.show(() => ["a", "b"])
  const log = Array.from({ length: 30 }, (_, index) => `line ${index}`)
  for (const line of log) {
    screen.write(stream, `${line}\n`)
    screen.refresh()
  }
  assert.deepStrictEqual(await shown(), [...log, "a", "b"])
  assert.notInclude(writes.join(""), "\u001b[?25l")
  /* From the first row of the screen this clears it, and tmux keeps what is cleared in its history. */
  assert.notInclude(writes.join(""), "\u001b[J")
  screen.hide()
  assert.deepStrictEqual(await shown(), log)
})

it("lets text that does not end its line stand alone", async () => {
  const { screen, shown, stream } = open()
  screen.show(() => ["working"])
  screen.refresh()
  screen.write(stream, "> ")
  screen.refresh()
  assert.deepStrictEqual(await shown(), [">"])
  screen.write(stream, "typed\n")
  assert.deepStrictEqual(await shown(), ["> typed", "working"])
})

it("is drawn for the new size after the terminal became narrower or wider", async () => {
  const { screen, shown, stream, terminal } = open(40, 12)
  screen.show(({ columns }) => ["=".repeat(columns - 1), "x".repeat(columns - 1)])
  screen.write(stream, "log\n")
  terminal.resize(17, 12)
  screen.refresh()
  assert.deepStrictEqual(await shown(), ["log", "=".repeat(16), "x".repeat(16)])
  terminal.resize(30, 12)
  screen.refresh()
  assert.deepStrictEqual(await shown(), ["log", "=".repeat(29), "x".repeat(29)])
})

it("leaves the screen before the process stops or ends, and comes back", async () => {
  const { listeners, screen, shown, signals } = open()
  screen.show(() => ["working"])
  screen.refresh()
  listeners.get("SIGTSTP")?.()
  assert.deepStrictEqual(await shown(), [""])
  assert.deepStrictEqual(signals, ["SIGSTOP"])
  screen.refresh()
  assert.deepStrictEqual(await shown(), ["working"])
  listeners.get("exit")?.()
  assert.deepStrictEqual(await shown(), [""])
  assert.isFalse(listeners.has("SIGTSTP"))
})

it("makes room for what another stream writes on the same terminal", async () => {
  const { screen, shown, stream } = open()
  const other: TerminalStream = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => void stream.write(chunk, () => done())
    }),
    { isTTY: true }
  )
  screen.show(() => ["working"])
  screen.refresh()
  screen.write(other, "answer\n")
  assert.deepStrictEqual(await shown(), ["answer", "working"])
  screen.hide()
})

it("is not drawn over a stream that is no terminal, and leaves its text alone", () => {
  const { stream, text } = textCollector()
  const screen = new TerminalScreen(stream, { TERM: "xterm" }, undefined)
  screen.show(() => ["working"])
  screen.refresh()
  screen.write(stream, "line\n")
  assert.deepStrictEqual([text(), screen.columns()], ["line\n", undefined])
})

it("a region can be drawn on a terminal that is not dumb, and on no build server", () => {
  const xterm = { TERM: "xterm" }
  const drawable = [canDrawOn(true, xterm), canDrawOn(true, { ...xterm, CI: "false" })]
  const others = [{ TERM: "dumb" }, { ...xterm, CI: "true" }, { ...xterm, CI: "1" }].map((env) => canDrawOn(true, env))
  assert.deepStrictEqual([drawable, canDrawOn(false, xterm), others], [[true, true], false, [false, false, false]])
})

it("a terminal has signs beyond ASCII by its locale", () => {
  const unicode = [{ LANG: "de_DE.UTF-8" }, { LANG: "C", LC_ALL: "C.utf8" }].map(isUnicodeIn)
  const others = [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, { LANG: "C.UTF-8", TERM: "linux" }, {}].map(isUnicodeIn)
  assert.deepStrictEqual(
    [unicode, others],
    [
      [true, true],
      [false, false, false]
    ]
  )
})
