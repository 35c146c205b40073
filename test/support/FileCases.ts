/**
 * Runs that remove and move what is no plain text file: links, pictures, folders. What the folder holds afterwards is what the report
 * says, and the run is done only when all of it was made.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { takeSnapshot } from "./FolderSnapshot.ts"
import { makeFolder } from "./Project.ts"
import { layerAllowAll } from "./ScriptedApprover.ts"
import { runScript, scripted } from "./ScriptedRun.ts"
import { resultSaying } from "./TestRun.ts"

const remove = (path: string): string => `${JSON.stringify({ remove: path })}\n\n`
const move = (path: string, to: string): string => `${JSON.stringify({ move: path, to })}\n\n`
const edit = (path: string, old: string, now: string): string =>
  `${path}\n<<<<<<< OLD\n${old}\n=======\n${now}\n>>>>>>> NEW\n\n`
const whole = (path: string, text: string): string => `${path}\n\`\`\`md\n${text}\n\`\`\`\n\n`
const done = resultSaying("All of it is done.")

/** What is no plain text. */
const bytes: Readonly<Record<string, Uint8Array>> = {
  picture: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0),
  latin: Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a),
  marked: Buffer.from("\uFEFFone\n"),
  large: new Uint8Array(17 * 1024 * 1024)
}

/** Entries of a folder: `a` holds its name, `a=b` holds `b`, or the bytes of that name; `a->b` is a link and `a/` a folder. */
const entriesOf = (words: string) =>
  words
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const [, path = "", sign, what = path] = /^(.*?)(?:(->|=)(.*))?$/.exec(word) ?? []
      return { path, link: sign === "->" ? what : undefined, data: bytes[what] ?? Buffer.from(`${what}\n`) }
    })

const put = (folder: string, words: string): void => {
  for (const { data, link, path } of entriesOf(words)) {
    const place = join(folder, path)
    mkdirSync(path.endsWith("/") ? place : dirname(place), { recursive: true })
    if (link !== undefined) symlinkSync(link, place)
    else if (!path.endsWith("/")) writeFileSync(place, data)
  }
}

/** What is there besides folders, without modes: bytes in latin1, or `-> target`. */
const contentsOf = (words: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    entriesOf(words)
      .filter(({ path }) => !path.endsWith("/"))
      .map(({ data, link, path }) => [path, link === undefined ? Buffer.from(data).toString("latin1") : `-> ${link}`])
  )
const contentsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(takeSnapshot(folder))
      .filter(([, what]) => !what.startsWith("folder"))
      .map(([path, what]) => [path, what.replace(/^file \d+ /, "").replace(/^link /, "-> ")])
  )

/** Without what is there after the changes, everything stays as it was. */
type Case = readonly [title: string, before: string, answer: string, after?: string, status?: string]

const linked = "AGENTS.md CLAUDE.md->AGENTS.md"

const cases: ReadonlyArray<Case> = [
  ["a link is removed, and not what it leads to", linked, remove("CLAUDE.md"), "AGENTS.md"],
  ["what a link leads to is removed, and not the link", linked, remove("AGENTS.md"), "CLAUDE.md->AGENTS.md"],
  ["a link that leads nowhere is removed", "a->nowhere", remove("a"), ""],
  ["a link to a folder with a slash behind it is removed", "docs/a.md wiki->docs", remove("wiki/"), "docs/a.md"],
  ["a link out of the project is removed, and nothing outside", "out->/etc/hostname", remove("out"), ""],
  ["a link is moved as it is", linked, move("CLAUDE.md", "GEMINI.md"), "AGENTS.md GEMINI.md->AGENTS.md"],
  ["a link out of the project is moved as it is", "out->/etc/hostname", move("out", "on/"), "on/out->/etc/hostname"],
  [
    "an edit through a link changes what it leads to",
    linked,
    edit("CLAUDE.md", "AGENTS.md", "More"),
    "AGENTS.md=More CLAUDE.md->AGENTS.md"
  ],
  [
    "a file takes the place of a link",
    linked,
    remove("CLAUDE.md") + whole("CLAUDE.md", "Own"),
    "AGENTS.md CLAUDE.md=Own"
  ],
  [
    "a file in a linked folder is removed there",
    "docs/a.md docs/b.md wiki->docs",
    remove("wiki/a.md"),
    "docs/b.md wiki->docs"
  ],
  [
    "nothing is removed through a link out of the project",
    "out->/tmp a.txt",
    remove("out/some.txt"),
    undefined,
    "not_permitted"
  ],
  ["a picture is removed", "logo.png=picture a", remove("logo.png"), "a"],
  ["a picture is moved byte for byte", "logo.png=picture", move("logo.png", "img/logo.png"), "img/logo.png=picture"],
  ["a text in another encoding is moved byte for byte", "a.txt=latin", move("a.txt", "b.txt"), "b.txt=latin"],
  ["a text with a byte order mark is moved byte for byte", "a.txt=marked", move("a.txt", "b.txt"), "b.txt=marked"],
  [
    "two pictures change places",
    "a=picture b=latin",
    move("a", "c") + move("b", "a") + move("c", "b"),
    "a=latin b=picture"
  ],
  ["a large file is moved", "big.bin=large", move("big.bin", "data/big.bin"), "data/big.bin=large"],
  [
    "a folder is removed with everything in it",
    "old/a.txt old/b/logo.png=picture old/c/d/ old/link->../keep keep",
    remove("old/"),
    "keep"
  ],
  ["a folder that git ignores is removed", ".gitignore=dist dist/a.js", remove("dist"), ".gitignore=dist"],
  ["an empty folder is removed", "old/ a", remove("old"), "a"],
  [
    "a folder is removed, and a file written in its place",
    "old.md/a.txt",
    remove("old.md") + whole("old.md", "c"),
    "old.md=c"
  ],
  [
    "a folder is moved with everything in it",
    "old/a.txt=a old/b/logo.png=picture old/link->a.txt old/c/",
    move("old", "lib/new"),
    "lib/new/a.txt=a lib/new/b/logo.png=picture lib/new/link->a.txt"
  ],
  [
    "a folder is moved, and a file in it changed",
    "old/a.txt=a old/b.png=picture use.txt=old/a.txt",
    move("old", "new") + edit("new/a.txt", "a", "b") + edit("use.txt", "old/a.txt", "new/a.txt"),
    "new/a.txt=b new/b.png=picture use.txt=new/a.txt"
  ],
  [
    "a file is moved, and another one written in its place",
    "a.txt",
    move("a.txt", "b.txt") + whole("a.txt", "new"),
    "a.txt=new b.txt=a.txt"
  ],
  ["a file is moved into a folder that is there", "a docs/b", move("a", "docs"), "docs/a=a docs/b"],
  ["only the letters of a name change", "readme.md", move("readme.md", "README.md"), "README.md=readme.md"],
  ["a link to a secret is removed without a look at it", ".env=KEY=1 env->.env", remove("env"), ".env=KEY=1"],
  ["nothing is moved onto another file", "a b=picture", move("a", "b"), undefined, "failed"],
  ["nothing is moved into itself", "a/b", move("a", "a/c"), undefined, "failed"],
  ["what is not there is not removed", "a", remove("b"), undefined, "failed"],
  ["the project itself is not removed", "a", remove("."), undefined, "not_permitted"],
  ["a repository in a folder is not removed", "sub/.git/config sub/a", remove("sub"), undefined, "not_permitted"],
  [
    "a folder with a file that a rule denies is not removed",
    "old/a kept/b",
    remove("kept"),
    undefined,
    "not_permitted"
  ],
  [
    "a folder with a file that a rule denies is not moved",
    "old/a kept/b",
    move("kept", "new"),
    undefined,
    "not_permitted"
  ]
]

const rules = [{ verdict: "deny", tool: "remove_file", pattern: "kept/b" }] as const

/** Every sixth case is among the short tests. */
const isMain = (index: number): boolean => index % 6 === 1

/** The tests of the main cases, or of the others. */
export const testFileCases = (which: "main" | "others"): void => {
  describe("what is no plain text file", () => {
    it.live.each(cases.filter((_, index) => isMain(index) === (which === "main")))(
      "%s",
      ([, before, answer, after = before, status = "done"]) =>
        Effect.gen(function* () {
          const at = { project: yield* makeFolder, home: yield* makeFolder }
          put(at.project, before)
          const script = {
            refine: (_: string, count: number) => (count === 1 ? `${answer}${done}` : done),
            execute: () => done
          }
          const { report } = yield* runScript({ skill: "edit-files" }).pipe(
            scripted(script, { approver: layerAllowAll, rules, at })
          )
          const left = { status: report.status, files: contentsIn(at.project) }
          expect(left, JSON.stringify(report.facts)).toEqual({ status, files: contentsOf(after) })
        }).pipe(Effect.provide(NodeServices.layer))
    )
  })
}
