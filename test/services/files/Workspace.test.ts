import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { readDescriptions } from "../../../src/services/files/Descriptions.ts"
import { isFileAt, Workspace } from "../../../src/services/files/Workspace.ts"
import { makeProject } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const failureOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flip(effect).pipe(
    Effect.map((failure) => ("type" in failure ? [failure.type, failure.message] : [failure.message]))
  )

const open = (root: string) => Workspace.pipe(Effect.provide(Workspace.layer(root)))

const openProject = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  return yield* open(yield* makeProject(files))
})

describe("Workspace", () => {
  describe("layer", () => {
    nodeTest("takes the real path of a folder as root, and refuses what is no folder", function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeProject({ "app/a.txt": "a", "a.txt": "a" })
      yield* fs.symlink(`${folder}/app`, `${folder}/link`)
      expect((yield* open(`${folder}/link`)).root).toBe(`${folder}/app`)
      expect(yield* failureOf(open(`${folder}/none`))).toEqual([
        `There is no folder at ${folder}/none. Give the project folder with --project, or create it first.`
      ])
      expect(yield* failureOf(open(`${folder}/a.txt`))).toEqual([
        `${folder}/a.txt is not a folder. Give the folder that holds the project with --project.`
      ])
    })
  })

  describe("canonical", () => {
    nodeTest("takes dots out, resolves links, also before what is missing, and knows what is outside", function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* makeProject({ "secret.txt": "s" })
      const folder = yield* makeProject({ "app/src/a.ts": "", "app-old/a": "" })
      const { canonical, root } = yield* open(`${folder}/app`)
      const links = { out: outside, in: `${root}/src`, dangling: `${outside}/later`, "src/relative": "../also" }
      for (const [name, target] of Object.entries(links)) yield* fs.symlink(target, `${root}/${name}`)
      const rows: ReadonlyArray<readonly [written: string, path: string, inside: boolean]> = [
        ["./src/../src/a.ts", `${root}/src/a.ts`, true],
        [".", root, true],
        [`${root}/new/deep.ts`, `${root}/new/deep.ts`, true],
        ["../../../../../../../../etc/passwd", "/etc/passwd", false],
        ["/etc/passwd", "/etc/passwd", false],
        ["../app-old/a", `${folder}/app-old/a`, false],
        ["..a", `${root}/..a`, true],
        ["out/secret.txt", `${outside}/secret.txt`, false],
        ["out/new/leaf.txt", `${outside}/new/leaf.txt`, false],
        ["in/new.ts", `${root}/src/new.ts`, true],
        ["dangling/x", `${outside}/later/x`, false],
        ["in/relative", `${root}/also`, true],
        ...["a ", "'a'", "a\nb", "a\u001b[2J", "~", "a."].map((name) => [name, `${root}/${name}`, true] as const)
      ]
      for (const [written, path, inside] of rows) expect(yield* canonical(written), written).toEqual({ path, inside })
    })

    nodeTest("refuses links that go round, NUL, the empty path, and a file where a folder should be", function* () {
      const fs = yield* FileSystem.FileSystem
      const { canonical, root } = yield* openProject({ "a.txt": "" })
      yield* fs.symlink(`${root}/b`, `${root}/a`)
      yield* fs.symlink(`${root}/a`, `${root}/b`)
      const refused = {
        a: ["validation_failed", "Cannot resolve a. Its links form a circle."],
        "a\0b": ["validation_failed", 'The path "a\\u0000b" holds a NUL character. Give the path of a file.'],
        "": ["validation_failed", "The path is empty. Give the path of a file."],
        "a.txt/b": ["not_found", "Cannot resolve a.txt/b. A part of the path is a file, not a folder."]
      }
      for (const [path, why] of Object.entries(refused)) expect(yield* failureOf(canonical(path)), path).toEqual(why)
    })
  })

  describe("readText", () => {
    nodeTest("reads UTF-8, without the byte order mark, with the line ends as they are", function* () {
      const { readText, root } = yield* openProject({ "a.txt": "\uFEFFgrün\r\nτέλος", "empty.txt": "" })
      expect(yield* readText(`${root}/a.txt`, 100)).toBe("grün\r\nτέλος")
      expect(yield* readText(`${root}/empty.txt`, 100)).toBe("")
    })

    nodeTest("fails by kind, opens no pipe or device, and follows no link that took the place of a file", function* () {
      const fs = yield* FileSystem.FileSystem
      const workspace = yield* openProject({ "src/b.ts": "", "src/a.ts": "", "src/deep/c.ts": "", "long.txt": "12345" })
      const { readText, root } = workspace
      yield* fs.writeFile(`${root}/binary`, new Uint8Array([0x7f, 0x45, 0, 1, 2]))
      yield* fs.symlink("/etc/passwd", `${root}/b.txt`)
      execFileSync("mkfifo", [`${root}/pipe`])
      const onlyRegular = "Only regular files can be read."
      const rows: ReadonlyArray<readonly [path: string, type: string, message: string]> = [
        [`${root}/none`, "not_found", "There is no file at <path>."],
        [`${root}/src`, "io_error", "<path> is a folder, not a file. Name a file in it: <path>/a.ts, <path>/b.ts."],
        [`${root}/long.txt`, "output_limit", "<path> is larger than 4 bytes. Search it, or name a smaller file."],
        [`${root}/binary`, "parse_error", "<path> is not text: it is binary."],
        [`${root}/pipe`, "io_error", `<path> is a pipe. ${onlyRegular}`],
        ["/dev/zero", "io_error", `<path> is a device. ${onlyRegular}`],
        [`/proc/${process.pid}/comm`, "io_error", `<path> is made by the system while it is read. ${onlyRegular}`],
        [`${root}/b.txt`, "io_error", `<path> is a link now and was not when it was checked. ${onlyRegular}`]
      ]
      for (const [path, type, message] of rows) {
        expect(yield* failureOf(readText(path, path.endsWith("long.txt") ? 4 : 100))).toEqual([
          type,
          message.replaceAll("<path>", path)
        ])
      }
      expect(yield* isFileAt(workspace, `${root}/pipe`)).toBe(false)
    })
  })

  describe("descriptions", () => {
    nodeTest("reads them in any encoding, and names those that are there and cannot be read", function* () {
      const fs = yield* FileSystem.FileSystem
      const utf16 = Buffer.from("\uFEFFAlways use tabs.\n", "utf16le")
      const rows: ReadonlyArray<readonly [bytes: Uint8Array, text: string | undefined, note?: string]> = [
        [utf16, "Always use tabs."],
        [Buffer.from(utf16).swap16(), "Always use tabs."],
        [Buffer.from("Immer schön Grüßen.\n", "latin1"), "Immer schön Grüßen."],
        [Buffer.from("plain\0binary"), undefined, "is not text: it is binary."],
        [Buffer.alloc(1_048_577, "a"), undefined, "is larger than 1 MB."]
      ]
      for (const [bytes, text, note] of rows) {
        const workspace = yield* openProject({ "README.md": "Shop" })
        yield* fs.writeFile(`${workspace.root}/AGENTS.md`, bytes)
        const { files, notes } = yield* readDescriptions(workspace, { near: [], mayRead: () => Effect.succeed(true) })
        expect(files).toEqual([text === undefined ? { path: "README.md", text: "Shop" } : { path: "AGENTS.md", text }])
        expect(notes.join()).toMatch(note === undefined ? /^$/ : note)
      }
      const denied = yield* readDescriptions(yield* openProject({ "AGENTS.md": "Rules" }), {
        near: [],
        mayRead: () => Effect.succeed(false)
      })
      expect(denied.notes).toEqual(["AGENTS.md is not part of the prompts: no rule lets it be read."])
    })
  })
})
