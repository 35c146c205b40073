/** The lines above a block of a change, and the file of the project that each of them names. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readMessageTurn } from "../../../src/domain/conversation/MessageTurn.ts"
import { pathQuestions } from "../../../src/domain/files/ChangeBlocks.ts"
import { alikePath } from "../../../src/domain/files/PathList.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const block = (now: number): string => `<<<<<<< OLD\nversion = 1\n=======\nversion = ${now}\n>>>>>>> NEW\n`
const task = plainTask("Edit 1", "edit-files", "Raise it.", "The lines.")
const order = { briefing, task, round: 1, step: 0, finished: [] }

/** What a task proposes for each file, and the issues of its first answer. */
const workWith = Effect.fnUntraced(function* (answer: string, names: ReadonlyArray<string>) {
  const files = Object.fromEntries(["a.py", ...names].map((name) => [name, "version = 1\n"]))
  const answers = [answer, resultSaying("It is raised."), resultSaying("It is raised.")]
  const { log, taskAgent } = yield* openStages({ files, answers })
  const { calls } = yield* taskAgent.work({ ...order })
  const issues = log.events().flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
  return {
    changes: calls.map(({ arguments: { content, new_text: now, path } }) => [path, String(content ?? now).trim()]),
    codes: issues.map(({ code }) => code)
  }
})

const nfd = "src/cafe\u0301.py"
const nfc = nfd.normalize("NFC")

/** A line above a block, and the file of the project that it names; ChangePath.test.ts has what needs no project. */
const lines: ReadonlyArray<readonly [line: string, file: string]> = [
  ["settings", "settings"],
  ["Release Notes.md", "Release Notes.md"],
  ["{{cookiecutter.slug}}/conf.py", "{{cookiecutter.slug}}/conf.py"],
  ["..config", "..config"],
  ["C#/x.cs", "C#/x.cs"],
  [nfc, nfd],
  [nfd, nfc],
  ["Screenshot 1.02.03 PM.txt", "Screenshot 1.02.03\u202fPM.txt"],
  ["Release\u00a0Notes.md", "Release Notes.md"],
  ["app/[[...rest]]/page.tsx", "app/[[...rest]]/page.tsx"],
  ["(group)/page.tsx", "(group)/page.tsx"],
  ["@scope/x", "@scope/x"],
  ["/src/limits.py", "src/limits.py"],
  ["`settings`:", "settings"],
  ["**File:** `my notes`", "my notes"],
  ["## 2. `my notes`", "my notes"],
  ["- 1. Intro.md", "1. Intro.md"],
  ["# notes", "# notes"],
  ["Update settings:", "settings"],
  ["[settings](settings)", "settings"],
  ["In the `settings` file:", "settings"],
  ["it's.md", "it's.md"],
  ["a & b, c.md", "a & b, c.md"],
  ["日本語 メモ.md", "日本語 メモ.md"],
  ["src/x*y.py", "src/x*y.py"],
  ["my\\_file.py", "my_file.py"]
]

/** A line above a block that names no file of the project; the block is for none. */
const strays =
  "settings,Release Notes.md,Now the settings:,---,> quoted,Like in `a.py`:,`one.py` and `two.py`,<br>,2.".split(",")

const edit = (path: string, old: string, now: string) => ({
  name: "edit_file",
  arguments: { path, old_text: old, new_text: now }
})

const plain = (path: string): string => alikePath(path.replace(/^[./]+(?=\w+)|\\/g, ""))

const marked = (path: string) => block(3).replace("OLD", `OLD ${path}`)

describe("a block of a task", () => {
  nodeTest("is for the file that the line above it names", function* () {
    for (const [line, file] of [lines[1], lines[13], lines[15]] as typeof lines) {
      for (const answer of [
        `a.py\n${block(2)}\n${line}\n${block(3)}`,
        `a.py\n\`\`\`\n${block(2)}\`\`\`\n\n${line}\n\n\`\`\`\n${block(3)}\`\`\`\n`
      ]) {
        const { changes, codes } = yield* workWith(answer, [file])
        const wanted = [
          ["a.py", "version = 2"],
          [file, "version = 3"]
        ].toSorted()
        expect([changes.toSorted(), codes]).toEqual([wanted, []])
      }
    }
  })

  nodeTest("is an issue under a line that names none, and not for the file before it", function* () {
    for (const line of ["Release Notes.md", "Like in `a.py`:"]) {
      const { changes, codes } = yield* workWith(`a.py\n${block(2)}\n${line}\n${block(3)}`, [])
      expect([changes, codes[0]]).toEqual([[["a.py", "version = 2"]], "change-path"])
      const alone = yield* workWith(`a.py and more\n\n${line}\n${block(3)}`, [])
      expect([alone.changes, alone.codes[0]]).toEqual([[], "change-path"])
    }
  })

  nodeTest("is for the file of the block right before it, and for none behind another change", function* () {
    const again = "<<<<<<< OLD\nversion = 2\n=======\nversion = 4\n>>>>>>> NEW\n"
    const joined = yield* workWith(`settings\n${block(2)}\n${again}`, ["settings"])
    expect(joined.changes).toEqual([["settings", "version = 4"]])
    const object = `settings\n${block(2)}\n{"remove": "a.py"}\n\n${again}`
    expect((yield* workWith(object, ["settings"])).codes[0]).toBe("change-path")
    const written = `b.py\n\`\`\`python\nversion = 2\n\`\`\`\n${block(3)}`
    expect((yield* workWith(written, [])).codes[0]).toBe("change-path")
  })

  nodeTest("may be for a file that the same answer makes", function* () {
    const made = "`settings`\n<<<<<<< OLD\n=======\nversion = 1\n>>>>>>> NEW\n"
    const { changes } = yield* workWith(`${made}\nsettings\n${block(3)}`, [])
    expect(changes).toEqual([["settings", "version = 3"]])
  })

  nodeTest("takes the path behind its mark", function* () {
    const { changes } = yield* workWith(`a.py\n${block(2)}\n${marked("my notes")}`, ["my notes"])
    expect(changes).toEqual([
      ["a.py", "version = 2"],
      ["my notes", "version = 3"]
    ])
    expect((yield* workWith(`a.py\n${block(2)}\n${marked("other notes.md")}`, [])).codes[0]).toBe("change-path")
  })

  nodeTest("and a call of a tool mean the same file, however each spells it", function* () {
    const { log, taskAgent } = yield* openStages({
      files: { "src/my notes.py": "version = 1\n" },
      answers: [
        refinementWith([edit("/src/my\u00a0notes.py", "version = 9", "version = 2")]),
        `src/my notes.py\n${block(2)}`,
        refinementWith([edit("`src/my notes.py`", "version = 2", "version = 3")]),
        resultSaying("It is raised.")
      ]
    })
    const { calls, files = [] } = yield* taskAgent.work({ ...order })
    expect([calls.map((one) => one.arguments["path"]), files.map(({ path }) => path)]).toEqual([
      ["src/my notes.py"],
      ["src/my notes.py"]
    ])
    expect(calls[0]?.arguments["new_text"]).toBe("version = 3")
    const codes = log.events().flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
    expect(codes).toEqual([])
  })

  it("is for the same file in a conversation", () => {
    for (const [line, file] of lines) {
      const answer = `a.py\n${block(2)}\n${line}\n${block(3)}`
      const names = pathQuestions(answer).flatMap((readings) => readings.filter((one) => plain(one) === plain(file)))
      const { changes } = readMessageTurn(answer, {
        mayChange: true,
        tools: new Set(),
        paths: new Map(names.map((one) => [one, file]))
      })
      expect(changes.map((one) => ("path" in one ? one.path : ""))).toEqual(["a.py", file])
    }
  })

  it("is for no file in a conversation under other lines", () => {
    for (const line of [...strays, "```\nx\n```", "````text more words\nx\n````"]) {
      const options = { mayChange: true, tools: new Set<string>(), paths: new Map<string, string>() }
      const { changes, issues } = readMessageTurn(`a.py\n${block(2)}\n${line}\n${block(3)}`, options)
      expect([changes.map((one) => ("path" in one ? one.path : "")), issues[0]?.code], line).toEqual([
        ["a.py"],
        "change-path"
      ])
    }
  })
})
