import { describe, expect, it } from "@effect/vitest"
import { wholeChange } from "../../../src/domain/files/ChangePreview.ts"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { type Asking, shortQuestion, wholeQuestion } from "../../../src/cli/approval/ApprovalText.ts"
import { textWidth } from "../../../src/domain/text/TextWidth.ts"

const size = { columns: 80, rows: 24, isColoured: false }
const keys = [{ text: "y yes · n no" }]

const step = (...items: ReadonlyArray<ApprovalItem>): Asking => ({ scope: "step", title: "Raise the limits", items })

const numbered = (count: number, change: (line: number) => string = (line) => `line ${line}`): string =>
  Array.from({ length: count }, (_, at) => `${change(at + 1)}\n`).join("")

const returns = (text: string): string => text.replaceAll("\n", "\r\n")

const three = (line: number): string => (line === 3 ? "line three" : `line ${line}`)

/** A write as the gate describes it. */
const editOf = (name: string, before: string | undefined, after: string): ApprovalItem => {
  const { added, diff, removed } = wholeChange(name, before, after)
  const does = before === undefined ? `create ${name} (${added} lines)` : `edit ${name} (+${added} -${removed})`
  return {
    task: "Raise the limits",
    tool: "write_file",
    risk: "high",
    call: { uid: "call-1", name: "write_file", arguments: { path: name, content: after } },
    targets: [`/home/you/project/${name}`],
    diff,
    words: { does, consequence: "Changes a file of the project, and nothing else.", isCalm: true }
  }
}

const timeout = editOf("src/limits.js", numbered(40), numbered(40, three))
const command: ApprovalItem = {
  task: "Test it",
  tool: "run_command",
  risk: "high",
  call: { uid: "call-2", name: "run_command", arguments: { argv: ["npm", "test"] } },
  targets: ["npm test"],
  details: ["Program: npm", "Argument 1: test", "Folder: /home/you/project", "Sandbox: yes: no network"],
  words: { does: "run a command", command: "npm test", consequence: "Runs in the sandbox: no network.", isCalm: true }
}

describe("a question", () => {
  it("shows the change first, with the numbers of its lines", () => {
    expect(shortQuestion(step(timeout), keys, size)).toBe(`
╭ Raise the limits · wants to edit src/limits.js (+1 -1)
│ 1   line 1
│ 2   line 2
│ 3 - line 3
│ 3 + line three
│ 4   line 4
│ 5   line 5
│ 6   line 6
│ Changes a file of the project, and nothing else.
╰ y yes · n no
`)
  })

  const [dos, unix] = [returns(numbered(4)), numbered(4)]
  const twoFiles = [editOf("a.txt", "a\n", "b\n"), editOf("b.txt", "a\r\n", "b\r\n")]
  it.each<[what: string, item: ApprovalItem, shown: string | undefined]>([
    ["not of a file that has them", editOf("a.txt", dos, returns(numbered(4, three))), undefined],
    ["nor without the last one", editOf("a.txt", dos.trimEnd(), returns(numbered(4, three)).trimEnd()), undefined],
    ["where all of them go", editOf("a.txt", dos, unix), "│ 1 - line 1\\u{d}\n"],
    [
      "where one of them goes",
      editOf("a.txt", dos, dos.replace("line 3\r", "line 3")),
      "│ 3 - line 3\\u{d}\n│ 3 + line 3\n│ 4   line 4\\u{d}\n"
    ],
    ["of a new file", editOf("a.sh", "", returns("#!/bin/sh\nls\n")), "#!/bin/sh\\u{d}\n"],
    ["of a line that has the first one", editOf("a.txt", "a", "b\r\n"), "+ b\\u{d}\n"],
    ["not of one of several files", { ...twoFiles[0]!, diff: twoFiles.map(({ diff }) => diff).join("") }, undefined]
  ])("shows carriage returns %s", (_, item, shown) => {
    const question = shortQuestion(step(item), keys, size)
    if (shown === undefined) expect(question).not.toContain("u{d}")
    else expect(question).toContain(shown)
  })

  it("shows a command as one would type it, and several calls with their numbers", () => {
    expect(shortQuestion(step(timeout, command), keys, size)).toBe(`
╭ Raise the limits · wants approval for 2 calls
│ 1 edit src/limits.js (+1 -1)
│   1   line 1
│   2   line 2
│   3 - line 3
│   3 + line three
│   4   line 4
│   5   line 5
│   6   line 6
│   Changes a file of the project, and nothing else.
│ 2 Test it: run a command
│   $ npm test
│   Runs in the sandbox: no network.
╰ y yes · n no
`)
  })

  it("holds no JSON, no hash, no absolute path of the project and no name of a tool", () => {
    const asking = step(timeout, command, editOf("docs/new.md", undefined, numbered(200)))
    for (const columns of [40, 80, 200]) {
      const text = shortQuestion(asking, keys, { ...size, columns })
      expect(text).not.toMatch(/[{}]|sha256|\/home\/you|write_file|Task:|high/)
    }
  })

  it("warns where the risk is high, and only there: in the words of the consequence, or by itself", () => {
    const loud = {
      ...command,
      words: { does: "run a command", command: "make", consequence: "Runs without the sandbox.", isCalm: false }
    }
    const { words: _words, ...plain } = command
    const { words: _more, ...unknown } = timeout
    for (const show of [shortQuestion, wholeQuestion]) {
      expect(show(step(loud), keys, size)).toContain("│ Caution: Runs without the sandbox.\n")
      for (const item of [timeout, command]) expect(show(step(item), keys, size)).not.toMatch(/risk|caution/i)
    }
    expect(shortQuestion(step(plain), keys, size)).toContain(
      "│ Caution: This can change or destroy things that task-conductor"
    )
    expect(wholeQuestion(step(timeout), keys, size)).toContain("│ Tool: write_file.\n")
    expect(wholeQuestion(step(unknown), keys, size)).toContain("│ Tool: write_file. High risk.\n")
  })

  it("fits the screen, and says how much is not shown", () => {
    const large = editOf("src/large.js", undefined, numbered(2000))
    for (const [columns, rows] of [
      [80, 24],
      [40, 24],
      [200, 50]
    ] as const) {
      const text = shortQuestion(step(large, command), keys, { columns, rows, isColoured: false })
      expect(text.split("\n").length).toBeLessThanOrEqual(rows)
      expect(text).toMatch(/\.\.\. 19\d\d more lines: v shows all/)
    }
  })

  it("keeps every call, every warning and the keys when there is no room for details", () => {
    const items = Array.from({ length: 30 }, (_, at) => ({
      ...editOf(`f${at}.js`, undefined, numbered(50)),
      warnings: [`Warned ${at}.`]
    }))
    const text = shortQuestion(step(...items), keys, { columns: 40, rows: 10, isColoured: false })
    for (let at = 0; at < 30; at++) {
      expect(text).toContain(`\n│ ${at + 1} create f${at}.js (50 lines)\n`)
      expect(text).toContain(`\n│   Warning: Warned ${at}.\n`)
    }
    expect(text).toContain("╰ y yes · n no")
  })

  it("is no wider than the terminal, also with wide characters and long words", () => {
    const wide = editOf("src/wide.js", "a\n", `${"漢字".repeat(200)}\n\t\t${"x".repeat(500)}\n`)
    const path = editOf(`src/${"long".repeat(30)}.js`, undefined, "a\n")
    for (const columns of [20, 40, 80]) {
      for (const show of [shortQuestion, wholeQuestion]) {
        const text = show(step(wide, path, command), keys, { ...size, columns })
        for (const line of text.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(columns)
      }
    }
  })

  it("shows every line of a change as a whole, whatever its size", () => {
    const before = numbered(3000)
    const after = numbered(3000, (line) => (line % 7 === 0 ? `changed ${line} ${"y".repeat(400)}` : `line ${line}`))
    const text = wholeQuestion(step(editOf("src/a.js", before, after)), keys, size)
    const joined = text.replaceAll(/\n│ +(?=y)/g, "")
    for (let line = 7; line <= 3000; line += 7) {
      expect(joined).toContain(`${String(line).padStart(4)} - line ${line}\n`)
      expect(joined).toContain(`${String(line).padStart(4)} + changed ${line} ${"y".repeat(400)}\n`)
    }
  })

  it("shows the arguments of a tool of a plugin as text, and all of them on request", () => {
    const item: ApprovalItem = {
      task: "Send",
      tool: "mcp__mail__send",
      origin: "mcp mail",
      risk: "medium",
      call: { uid: "c", name: "mcp__mail__send", arguments: { to: "a@b.c", body: numbered(60), urgent: true } },
      targets: [],
      words: { does: "use mcp__mail__send of mcp mail", consequence: "It is not limited.", isCalm: false }
    }
    const short = shortQuestion(step(item), keys, size)
    expect(short).toContain("│ to: a@b.c\n│ body:\n│   line 1\n")
    expect(short).toContain("more lines: v shows all")
    const whole = wholeQuestion(step(item), keys, size)
    expect(whole).toContain("│   line 60\n│ urgent: true\n")
    expect(whole).toContain("Tool: mcp__mail__send (plugin mcp mail).")
  })

  it("shows the content of a write whose change cannot be shown", () => {
    const { diff: _diff, ...item } = editOf("big.txt", undefined, numbered(30))
    const preview = "(The present content cannot be shown: too large.)"
    const whole = wholeQuestion(step({ ...item, preview }), keys, size)
    expect(whole).toContain(`│ ${preview}\n`)
    expect(whole).toContain("│ content:\n│   line 1\n")
    expect(whole).toContain("│   line 30\n")
  })

  it("shows the beginning of a single line that is too long for the screen", () => {
    const text = shortQuestion(step(editOf("a.min.js", undefined, `begin${"x".repeat(50_000)}end\n`)), keys, size)
    expect(text).toContain("begin")
    expect(text).toMatch(/\.\.\. 1 line, the first of 500\d\d characters: v shows all/)
    expect(text.split("\n").length).toBeLessThanOrEqual(24)
  })

  it("colours what is added and removed, and nothing without colours", () => {
    const coloured = shortQuestion(step(timeout), keys, { ...size, isColoured: true })
    expect(coloured).toContain("\u001b[31m3 - line 3\u001b[39m")
    expect(coloured).toContain("\u001b[32m3 + line three\u001b[39m")
    expect(shortQuestion(step(timeout), keys, size)).not.toContain("\u001b")
  })

  it("shows every hidden or turning character of foreign text as its code point", () => {
    const hidden = ["\u001b]0;x\u0007", "\u202e", "\u2066", "\u200b", "\ufeff", "\u{e0041}", "\r", "\u0008", "\u00a0"]
    const text = hidden.join("|")
    const shown = "\\u{1b}]0;x\\u{7}|\\u{202e}|\\u{2066}|\\u{200b}|\\u{feff}|\\u{e0041}|\\u{d}|\\u{8}|\\u{a0}"
    const item: ApprovalItem = {
      task: text,
      tool: text,
      origin: text,
      risk: "medium",
      call: { uid: "c", name: text, arguments: { [text]: text } },
      targets: [text],
      details: [text],
      diff: `--- a\n+++ a\n@@ -0,0 +1 @@\n+${text}\n`,
      warnings: [text]
    }
    const asking: Asking = { scope: "call", title: text, items: [item], notes: [text] }
    const worded = { ...item, words: { does: text, consequence: text, command: text, isCalm: false } }
    const wide = { columns: 400, rows: 60, isColoured: false }
    for (const one of [asking, { ...asking, items: [worded, item] }]) {
      for (const question of [shortQuestion(one, keys, wide), wholeQuestion(one, keys, wide)]) {
        for (const character of hidden) expect(question).not.toContain(character)
        expect(question).toContain(shown)
      }
    }
  })

  it("shows a command to its end however many changes stand before it, and says what it leaves out of one that is too long", () => {
    const end = "&& rm -rf build"
    const long: ApprovalItem = {
      ...command,
      words: { ...command.words!, command: `npm test ${"--flag ".repeat(100)}${" ".repeat(300)}${end}` }
    }
    const text = shortQuestion(step(editOf("src/large.js", undefined, numbered(2000)), long), keys, size)
    expect(text.replaceAll(/\s*\n│\s*/g, "")).toContain(`[301 blanks] ${end}`)
    const endless = { ...command, words: { ...command.words!, command: `x${"y".repeat(50_000)}${end}` } }
    const shown = shortQuestion(step(endless), keys, size)
    expect(shown.replaceAll(/\n│ /g, " ")).toContain("... 46016 more characters: v shows all. The command ends with ")
    expect(shown).toContain(end)
    expect(wholeQuestion(step(endless), keys, size).length).toBeGreaterThan(50_000)
  })

  it("draws no frame and no keys for a model, a tool or a path", () => {
    const drawn = `a\n╰ y yes${" ".repeat(80)}│ ╭`
    const item: ApprovalItem = {
      ...command,
      task: drawn,
      tool: drawn,
      origin: drawn,
      targets: [drawn],
      facts: [drawn],
      warnings: [drawn],
      details: [drawn],
      call: { uid: "1", name: "x", arguments: { [drawn]: drawn } },
      words: { does: drawn, consequence: drawn, isCalm: true, command: drawn }
    }
    const { words: _, ...silent } = item
    for (const one of [item, silent]) {
      for (const scope of ["step", "call", "doubt"] as const) {
        for (const show of [shortQuestion, wholeQuestion]) {
          const text = show({ scope, title: drawn, items: [one], notes: [drawn] }, keys, size)
          const rows = text.trim().split("\n")
          expect(rows.filter((row) => /^[╭╰]/.test(row)).map((row) => row[0])).toEqual(["╭", "╰"])
          expect(rows.every((row) => !/[╭╰│]/.test(row.slice(1)))).toBe(true)
        }
      }
    }
  })
})
