/** Lines above a block of a change, and the file of the project that each of them names. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plainTask } from "../../src/domain/plan/Task.ts"
import { briefing, openStages } from "./OpenStages.ts"
import { resultSaying } from "./TestRun.ts"

export const block = (now: number): string => `<<<<<<< OLD\nversion = 1\n=======\nversion = ${now}\n>>>>>>> NEW\n`
export const order = {
  briefing,
  task: plainTask("Edit 1", "edit-files", "Raise it.", "The lines."),
  round: 1,
  step: 0,
  finished: []
}

/** What a task proposes for each file, and the issues of its first answer. */
export const workWith = Effect.fnUntraced(function* (answer: string, names: ReadonlyArray<string>) {
  const files = Object.fromEntries(["a.py", ...names].map((name) => [name, "version = 1\n"]))
  const { log, taskAgent } = yield* openStages({
    files,
    answers: [answer, resultSaying("It is raised."), resultSaying("It is raised.")]
  })
  const { calls } = yield* taskAgent.work({ ...order })
  const issues = log.events().flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
  return {
    changes: calls.map(({ arguments: { content, new_text: now, path } }) => [path, String(content ?? now).trim()]),
    codes: issues.map(({ code }) => code)
  }
})

const nfd = "src/cafe\u0301.py"
const nfc = nfd.normalize("NFC")

/** A line above a block, and the file of the project that it names. */
export const lines: ReadonlyArray<readonly [line: string, file: string]> = [
  ["settings", "settings"],
  ["Makefile", "Makefile"],
  ["LICENSE", "LICENSE"],
  ["bin/run", "bin/run"],
  ["Release Notes.md", "Release Notes.md"],
  ["my notes", "my notes"],
  ["docs/how to use.md", "docs/how to use.md"],
  ["{{cookiecutter.slug}}/conf.py", "{{cookiecutter.slug}}/conf.py"],
  ["`{{ name }}/conf.py`", "{{ name }}/conf.py"],
  ["src/a.b.c.d", "src/a.b.c.d"],
  ["..config", "..config"],
  ["C#/x.cs", "C#/x.cs"],
  [nfd, nfd],
  [nfc, nfd],
  [nfd, nfc],
  ["Screenshot 1.02.03\u202fPM.txt", "Screenshot 1.02.03\u202fPM.txt"],
  ["Screenshot 1.02.03 PM.txt", "Screenshot 1.02.03\u202fPM.txt"],
  ["Release\u00a0Notes.md", "Release Notes.md"],
  ["app/[slug].tsx", "app/[slug].tsx"],
  ["app/[[...rest]]/page.tsx", "app/[[...rest]]/page.tsx"],
  ["(group)/page.tsx", "(group)/page.tsx"],
  ["@scope/x", "@scope/x"],
  ["./settings", "settings"],
  ["/src/limits.py", "src/limits.py"],
  ["`settings`", "settings"],
  ["`settings`:", "settings"],
  ['"my notes"', "my notes"],
  ["**settings**", "settings"],
  ["**File:** `my notes`", "my notes"],
  ["### settings", "settings"],
  ["## 2. `my notes`", "my notes"],
  ["- settings", "settings"],
  ["1. Intro.md", "1. Intro.md"],
  ["- 1. Intro.md", "1. Intro.md"],
  ["# notes", "# notes"],
  ["File: my notes", "my notes"],
  ["Update settings:", "settings"],
  ["// settings", "settings"],
  ["settings (updated)", "settings"],
  ["[settings](settings)", "settings"],
  ["In the `settings` file:", "settings"],
  ["it's.md", "it's.md"],
  ["a & b, c.md", "a & b, c.md"],
  ["Wörter und Sätze.md", "Wörter und Sätze.md"],
  ["日本語 メモ.md", "日本語 メモ.md"],
  ["src/x*y.py", "src/x*y.py"],
  ["my\\_file.py", "my_file.py"]
]

/** A line above a block that names no file of the project; the block is for none. */
const strays = [
  "settings",
  "Release Notes.md",
  "The second one",
  "And here as well:",
  "Now the settings:",
  "---",
  "> quoted",
  "Like in `a.py`:",
  "`one.py` and `two.py`",
  "* * *",
  "<br>",
  "{{name}}",
  "TODO",
  "```",
  "````text more words",
  "2."
]

/** The lines that are among the short tests of tasks. */
const main: ReadonlySet<string> = new Set([
  "Release Notes.md",
  "`settings`:",
  "## 2. `my notes`",
  "The second one",
  "Like in `a.py`:"
])

/** The tests of tasks with the main lines, or with the others. */
export const testBlockPaths = (which: "main" | "others"): void => {
  const isMeant = (line: string): boolean => main.has(line) === (which === "main")
  layer(NodeServices.layer)("a block of a task", (it) => {
    for (const [line, file] of lines.filter(([line]) => isMeant(line))) {
      it.effect(`is for ${JSON.stringify(file)} under ${JSON.stringify(line)}`, () =>
        Effect.gen(function* () {
          for (const answer of [
            `a.py\n${block(2)}\n${line}\n${block(3)}`,
            `a.py\n\`\`\`\n${block(2)}\`\`\`\n\n${line}\n\n\`\`\`\n${block(3)}\`\`\`\n`
          ]) {
            const { changes, codes } = yield* workWith(answer, [file])
            expect([changes.toSorted(), codes]).toEqual([
              [
                ["a.py", "version = 2"],
                [file, "version = 3"]
              ].toSorted(),
              []
            ])
          }
        })
      )
    }

    for (const line of strays.filter(isMeant)) {
      it.effect(`is an issue under ${JSON.stringify(line)}, and not for the file before it`, () =>
        Effect.gen(function* () {
          const second = line.startsWith("```") ? `${line}\nx\n${line.slice(0, 4).trim()}` : line
          const { changes, codes } = yield* workWith(`a.py\n${block(2)}\n${second}\n${block(3)}`, [])
          expect([changes, codes[0]]).toEqual([[["a.py", "version = 2"]], "change-path"])
          const alone = yield* workWith(`a.py and more\n\n${second}\n${block(3)}`, [])
          expect([alone.changes, alone.codes[0]]).toEqual([[], "change-path"])
        })
      )
    }
  })
}
