/**
 * Runs that remove and move what is no plain text file: links, pictures, folders. What the folder holds afterwards is what the report
 * says, and the run is done only when all of it was made.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { changeFiles, contentsIn, type Entries, type FileWork } from "./FileWork.ts"
import { resultSaying } from "./TestRun.ts"

const picture = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0)
const latin = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a)
const bytes = (data: Uint8Array): string => Buffer.from(data).toString("latin1")
const remove = (path: string): string => `${JSON.stringify({ remove: path })}\n\n`
const move = (path: string, to: string): string => `${JSON.stringify({ move: path, to })}\n\n`
const edit = (path: string, old: string, now: string): string =>
  `${path}\n<<<<<<< OLD\n${old}\n=======\n${now}\n>>>>>>> NEW\n\n`
const whole = (path: string, text: string): string => `${path}\n\`\`\`md\n${text}\n\`\`\`\n\n`
const done = resultSaying("All of it is done.")

interface Case {
  readonly entries: Entries
  readonly answer: string
  /** What the folder holds afterwards; null for what it held before. */
  readonly after: Readonly<Record<string, string>> | null
  readonly status?: string
  readonly options?: Partial<FileWork>
}

const linked: Entries = { "AGENTS.md": "Rules.\n", "CLAUDE.md": { link: "AGENTS.md" } }

const cases: Readonly<Record<string, Case>> = {
  "a link is removed, and not what it leads to": {
    entries: linked,
    answer: remove("CLAUDE.md"),
    after: { "AGENTS.md": "Rules.\n" }
  },
  "what a link leads to is removed, and not the link": {
    entries: linked,
    answer: remove("AGENTS.md"),
    after: { "CLAUDE.md": "-> AGENTS.md" }
  },
  "a link and what it leads to are removed": {
    entries: linked,
    answer: remove("CLAUDE.md") + remove("AGENTS.md"),
    after: {}
  },
  "a link that leads nowhere is removed": { entries: { a: { link: "nowhere" } }, answer: remove("a"), after: {} },
  "a link that leads to itself is removed": { entries: { a: { link: "a" } }, answer: remove("a"), after: {} },
  "a link to a folder is removed, and not the folder": {
    entries: { "docs/a.md": "a\n", wiki: { link: "docs" } },
    answer: remove("wiki"),
    after: { "docs/a.md": "a\n" }
  },
  "a link to a folder with a slash behind it is removed, and not the folder": {
    entries: { "docs/a.md": "a\n", wiki: { link: "docs" } },
    answer: remove("wiki/"),
    after: { "docs/a.md": "a\n" }
  },
  "a link out of the project is removed, and nothing outside": {
    entries: { out: { link: "/etc/hostname" } },
    answer: remove("out"),
    after: {}
  },
  "the first link of several is removed": {
    entries: { a: { link: "b" }, b: { link: "c" }, c: "c\n" },
    answer: remove("a"),
    after: { b: "-> c", c: "c\n" }
  },
  "a link is moved as it is": {
    entries: linked,
    answer: move("CLAUDE.md", "GEMINI.md"),
    after: { "AGENTS.md": "Rules.\n", "GEMINI.md": "-> AGENTS.md" }
  },
  "a link out of the project is moved as it is": {
    entries: { out: { link: "/etc/hostname" } },
    answer: move("out", "links/"),
    after: { "links/out": "-> /etc/hostname" }
  },
  "an edit through a link changes what it leads to": {
    entries: linked,
    answer: edit("CLAUDE.md", "Rules.", "More rules."),
    after: { "AGENTS.md": "More rules.\n", "CLAUDE.md": "-> AGENTS.md" }
  },
  "a file takes the place of a link": {
    entries: linked,
    answer: remove("CLAUDE.md") + whole("CLAUDE.md", "Own rules."),
    after: { "AGENTS.md": "Rules.\n", "CLAUDE.md": "Own rules.\n" }
  },
  "a folder takes the place of a link to a folder": {
    entries: { "docs/a.md": "a\n", wiki: { link: "docs" } },
    answer: remove("wiki") + whole("wiki/a.md", "Own."),
    after: { "docs/a.md": "a\n", "wiki/a.md": "Own.\n" }
  },
  "a file in a linked folder is removed there": {
    entries: { "docs/a.md": "a\n", "docs/b.md": "b\n", wiki: { link: "docs" } },
    answer: remove("wiki/a.md"),
    after: { "docs/b.md": "b\n", wiki: "-> docs" }
  },
  "nothing is removed through a link out of the project": {
    entries: { out: { link: "/tmp" }, "a.txt": "a\n" },
    answer: remove("out/some.txt"),
    after: null,
    status: "not_permitted"
  },
  "a picture is removed": {
    entries: { "logo.png": picture, a: "a\n" },
    answer: remove("logo.png"),
    after: { a: "a\n" }
  },
  "a text in another encoding is removed": { entries: { "a.txt": latin }, answer: remove("a.txt"), after: {} },
  "a picture is moved byte for byte": {
    entries: { "logo.png": picture },
    answer: move("logo.png", "img/logo.png"),
    after: { "img/logo.png": bytes(picture) }
  },
  "a text in another encoding is moved byte for byte": {
    entries: { "a.txt": latin },
    answer: move("a.txt", "b.txt"),
    after: { "b.txt": bytes(latin) }
  },
  "a text with a byte order mark is moved byte for byte": {
    entries: { "a.txt": "\uFEFFone\n" },
    answer: move("a.txt", "b.txt"),
    after: { "b.txt": bytes(Buffer.from("\uFEFFone\n")) }
  },
  "a picture is moved, and one moved to its place": {
    entries: { a: picture, b: latin },
    answer: move("a", "c") + move("b", "a"),
    after: { a: bytes(latin), c: bytes(picture) }
  },
  "two pictures change places": {
    entries: { a: picture, b: latin },
    answer: move("a", "c") + move("b", "a") + move("c", "b"),
    after: { a: bytes(latin), b: bytes(picture) }
  },
  "a file that is moved there and back has not changed": {
    entries: { a: picture, "b.txt": "b\n" },
    answer: move("a", "c") + move("c", "a") + edit("b.txt", "b", "c"),
    after: { a: bytes(picture), "b.txt": "c\n" }
  },
  "a large file is moved": {
    entries: { "big.bin": new Uint8Array(17 * 1024 * 1024) },
    answer: move("big.bin", "data/big.bin"),
    after: { "data/big.bin": bytes(new Uint8Array(17 * 1024 * 1024)) }
  },
  "a folder is removed with everything in it": {
    entries: {
      "old/a.txt": "a\n",
      "old/b/logo.png": picture,
      "old/c/d": null,
      "old/link": { link: "../keep" },
      keep: "k\n"
    },
    answer: remove("old/"),
    after: { keep: "k\n" }
  },
  "a folder that git ignores is removed": {
    entries: { ".gitignore": "dist\n", "dist/a.js": "a\n" },
    answer: remove("dist"),
    after: { ".gitignore": "dist\n" }
  },
  "an empty folder is removed": { entries: { old: null, a: "a\n" }, answer: remove("old"), after: { a: "a\n" } },
  "a folder is removed, and a file written into it": {
    entries: { "old/a.txt": "a\n", "old/b.png": picture },
    answer: remove("old") + whole("old/c.txt", "c"),
    after: { "old/c.txt": "c\n" }
  },
  "a folder is removed, and a file written in its place": {
    entries: { "old.md/a.txt": "a\n" },
    answer: remove("old.md") + whole("old.md", "c"),
    after: { "old.md": "c\n" }
  },
  "a folder is moved with everything in it": {
    entries: { "old/a.txt": "a\n", "old/b/logo.png": picture, "old/link": { link: "a.txt" }, "old/c": null },
    answer: move("old", "lib/new"),
    after: { "lib/new/a.txt": "a\n", "lib/new/b/logo.png": bytes(picture), "lib/new/link": "-> a.txt" }
  },
  "a folder is moved, and a file in it changed": {
    entries: { "old/a.txt": "a\n", "old/b.png": picture, "use.txt": "old/a.txt\n" },
    answer: move("old", "new") + edit("new/a.txt", "a", "b") + edit("use.txt", "old/a.txt", "new/a.txt"),
    after: { "new/a.txt": "b\n", "new/b.png": bytes(picture), "use.txt": "new/a.txt\n" }
  },
  "a folder is moved, and a file in it removed": {
    entries: { "old/a.txt": "a\n", "old/b.png": picture },
    answer: move("old", "new") + remove("new/b.png"),
    after: { "new/a.txt": "a\n" }
  },
  "a file is moved, and another one written in its place": {
    entries: { "a.txt": "a\n" },
    answer: move("a.txt", "b.txt") + whole("a.txt", "new"),
    after: { "a.txt": "new\n", "b.txt": "a\n" }
  },
  "a file is removed, and another one moved to its place": {
    entries: { "a.txt": "a\n", "b.txt": "b\n" },
    answer: remove("b.txt") + move("a.txt", "b.txt"),
    after: { "b.txt": "a\n" }
  },
  "a file is moved into a folder that is there": {
    entries: { "a.txt": "a\n", "docs/b.txt": "b\n" },
    answer: move("a.txt", "docs"),
    after: { "docs/a.txt": "a\n", "docs/b.txt": "b\n" }
  },
  "only the letters of a name change": {
    entries: { "readme.md": "a\n" },
    answer: move("readme.md", "README.md"),
    after: { "README.md": "a\n" }
  },
  "a link to a secret is removed without a look at it": {
    entries: { ".env": "KEY=1\n", env: { link: ".env" } },
    answer: remove("env"),
    after: { ".env": "KEY=1\n" }
  },
  "nothing is moved onto another file": {
    entries: { a: "a\n", b: picture },
    answer: move("a", "b"),
    after: null,
    status: "failed"
  },
  "nothing is moved into itself": {
    entries: { "a/b": "b\n" },
    answer: move("a", "a/c"),
    after: null,
    status: "failed"
  },
  "what is not there is not removed": { entries: { a: "a\n" }, answer: remove("b"), after: null, status: "failed" },
  "the project itself is not removed": {
    entries: { a: "a\n" },
    answer: remove("."),
    after: null,
    status: "not_permitted"
  },
  "a repository in a folder is not removed": {
    entries: { "sub/.git/config": "[core]\n", "sub/a": "a\n" },
    answer: remove("sub"),
    after: null,
    status: "not_permitted"
  },
  "a folder with a file that a rule denies is not removed": {
    entries: { "old/a": "a\n", "old/keep/b": "b\n" },
    answer: remove("old"),
    after: null,
    status: "not_permitted",
    options: { rules: [{ verdict: "deny", tool: "remove_file", pattern: "old/keep/**" }] }
  },
  "a folder with a file that a rule denies is not moved": {
    entries: { "old/a": "a\n", "old/keep/b": "b\n" },
    answer: move("old", "new"),
    after: null,
    status: "not_permitted",
    options: { rules: [{ verdict: "deny", tool: "remove_file", pattern: "old/keep/**" }] }
  }
}

/** Every sixth case is among the short tests. */
const isMain = (index: number): boolean => index % 6 === 1

/** The tests of the main cases, or of the others. */
export const testFileCases = (which: "main" | "others"): void => {
  describe("what is no plain text file", () => {
    it.live.each(Object.entries(cases).filter((_, index) => isMain(index) === (which === "main")))(
      "%s",
      ([, { after, answer, entries, options = {}, status = "done" }]) =>
        Effect.gen(function* () {
          const work = yield* changeFiles({ entries, answers: [`${answer}${done}`, done], ...options })
          const left = { status: work.report.status, files: contentsIn(work.after) }
          const said = JSON.stringify(work.report.facts)
          expect(left, said).toEqual({ status, files: after ?? contentsIn(work.before) })
        }).pipe(Effect.provide(NodeServices.layer))
    )
  })
}
