import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { readDescriptions } from "../../../src/services/files/Descriptions.ts"
import { isFileAt, Workspace } from "../../../src/services/files/Workspace.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"

const failureOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flip(effect).pipe(
    Effect.map((failure) => ("type" in failure ? [failure.type, failure.message] : [failure.message]))
  )

const open = (root: string) => Workspace.pipe(Effect.provide(Workspace.layer(root)))

const openProject = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  return yield* open(yield* makeProject(files))
})

const descriptionsOf = (files: Record<string, string>) =>
  Effect.flatMap(openProject(files), (workspace) =>
    Effect.map(
      readDescriptions(workspace, { near: [], mayRead: () => Effect.succeed(true) }),
      (described) => described.files
    )
  )

layer(NodeServices.layer)("Workspace", (it) => {
  describe("layer", () => {
    it.effect("takes the real path of the folder as root", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* makeProject({ "app/a.txt": "a" })
        yield* fs.symlink(`${folder}/app`, `${folder}/link`)
        expect((yield* open(`${folder}/link`)).root).toBe(`${folder}/app`)
      })
    )

    it.effect("refuses what is no folder and says what to do", () =>
      Effect.gen(function* () {
        const folder = yield* makeProject({ "a.txt": "a" })
        expect(yield* failureOf(open(`${folder}/none`))).toEqual([
          `There is no folder at ${folder}/none. Give the project folder with --project, or create it first.`
        ])
        expect(yield* failureOf(open(`${folder}/a.txt`))).toEqual([
          `${folder}/a.txt is not a folder. Give the folder that holds the project with --project.`
        ])
      })
    )
  })

  describe("canonical", () => {
    it.effect("starts relative paths at the root and takes the dots out", () =>
      Effect.gen(function* () {
        const { canonical, root } = yield* openProject({ "src/a.ts": "" })
        expect(yield* canonical("./src/../src/a.ts")).toEqual({ path: `${root}/src/a.ts`, inside: true })
        expect(yield* canonical(".")).toEqual({ path: root, inside: true })
        expect(yield* canonical(`${root}/new/deep.ts`)).toEqual({ path: `${root}/new/deep.ts`, inside: true })
      })
    )

    it.effect("sees what is outside", () =>
      Effect.gen(function* () {
        const { canonical } = yield* openProject({})
        expect(yield* canonical("../../../../../../../../etc/passwd")).toEqual({ path: "/etc/passwd", inside: false })
        expect(yield* canonical("/etc/passwd")).toEqual({ path: "/etc/passwd", inside: false })
      })
    )

    it.effect("compares whole names: a neighbour with a longer name is outside, two dots begin a name", () =>
      Effect.gen(function* () {
        const folder = yield* makeProject({ "app/a": "", "app-old/a": "" })
        const { canonical } = yield* open(`${folder}/app`)
        expect(yield* canonical("../app-old/a")).toEqual({ path: `${folder}/app-old/a`, inside: false })
        expect(yield* canonical("..a")).toEqual({ path: `${folder}/app/..a`, inside: true })
      })
    )

    it.effect("resolves links, also in front of what does not exist yet", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const outside = yield* makeProject({ "secret.txt": "s" })
        const { canonical, root } = yield* openProject({ "src/a.ts": "" })
        yield* fs.symlink(outside, `${root}/out`)
        yield* fs.symlink(`${root}/src`, `${root}/in`)
        expect(yield* canonical("out/secret.txt")).toEqual({ path: `${outside}/secret.txt`, inside: false })
        expect(yield* canonical("out/new/leaf.txt")).toEqual({ path: `${outside}/new/leaf.txt`, inside: false })
        expect(yield* canonical("in/new.ts")).toEqual({ path: `${root}/src/new.ts`, inside: true })
      })
    )

    it.effect("follows a link that points to nothing", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const outside = yield* makeFolder
        const { canonical, root } = yield* openProject({ "src/a.ts": "" })
        yield* fs.symlink(`${outside}/later`, `${root}/dangling`)
        yield* fs.symlink("../also", `${root}/src/relative`)
        yield* fs.symlink(`${root}/src`, `${root}/in`)
        expect(yield* canonical("dangling/x")).toEqual({ path: `${outside}/later/x`, inside: false })
        expect(yield* canonical("in/relative")).toEqual({ path: `${root}/also`, inside: true })
      })
    )

    it.effect("ends at links that go round", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { canonical, root } = yield* openProject({})
        yield* fs.symlink(`${root}/b`, `${root}/a`)
        yield* fs.symlink(`${root}/a`, `${root}/b`)
        expect(yield* failureOf(canonical("a"))).toEqual([
          "validation_failed",
          "Cannot resolve a. Its links form a circle."
        ])
      })
    )

    it.effect("refuses NUL and the empty path, keeps every other character", () =>
      Effect.gen(function* () {
        const { canonical, root } = yield* openProject({})
        expect(yield* failureOf(canonical("a\0b"))).toEqual([
          "validation_failed",
          'The path "a\\u0000b" holds a NUL character. Give the path of a file.'
        ])
        expect(yield* failureOf(canonical(""))).toEqual([
          "validation_failed",
          "The path is empty. Give the path of a file."
        ])
        for (const name of ["a ", "'a'", "a\nb", "a\u001b[2J", "~", "a."]) {
          expect(yield* canonical(name)).toEqual({ path: `${root}/${name}`, inside: true })
        }
      })
    )

    it.effect("names a file that stands where a folder should be", () =>
      Effect.gen(function* () {
        const { canonical } = yield* openProject({ "a.txt": "" })
        expect(yield* failureOf(canonical("a.txt/b"))).toEqual([
          "not_found",
          "Cannot resolve a.txt/b. A part of the path is a file, not a folder."
        ])
      })
    )
  })

  describe("readText", () => {
    it.effect("reads UTF-8, without the byte order mark, with the line ends as they are", () =>
      Effect.gen(function* () {
        const { readText, root } = yield* openProject({ "a.txt": "\uFEFFgrün\r\nτέλος", "empty.txt": "" })
        expect(yield* readText(`${root}/a.txt`, 100)).toBe("grün\r\nτέλος")
        expect(yield* readText(`${root}/empty.txt`, 100)).toBe("")
      })
    )

    it.effect("reads no file that the system makes while it is read, and tells no size of", () =>
      Effect.gen(function* () {
        const { readText } = yield* openProject({})
        const file = `/proc/${process.pid}/comm`
        expect(yield* failureOf(readText(file, 100))).toEqual([
          "io_error",
          `${file} is made by the system while it is read. Only regular files can be read.`
        ])
      })
    )

    it.effect("fails by kind: missing, folder, too large, not text", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { readText, root } = yield* openProject({
          "src/b.ts": "",
          "src/a.ts": "",
          "src/deep/c.ts": "",
          "long.txt": "12345"
        })
        yield* fs.writeFile(`${root}/binary`, new Uint8Array([0x7f, 0x45, 0, 1, 2]))
        expect(yield* failureOf(readText(`${root}/none`, 100))).toEqual([
          "not_found",
          `There is no file at ${root}/none.`
        ])
        expect(yield* failureOf(readText(`${root}/src`, 100))).toEqual([
          "io_error",
          `${root}/src is a folder, not a file. Name a file in it: ${root}/src/a.ts, ${root}/src/b.ts.`
        ])
        expect(yield* failureOf(readText(`${root}/long.txt`, 4))).toEqual([
          "output_limit",
          `${root}/long.txt is larger than 4 bytes. Search it, or name a smaller file.`
        ])
        expect(yield* failureOf(readText(`${root}/binary`, 100))).toEqual([
          "parse_error",
          `${root}/binary is not text: it is binary.`
        ])
      })
    )

    it.effect("never opens a pipe or a device", () =>
      Effect.gen(function* () {
        const workspace = yield* openProject({})
        const { readText, root } = workspace
        execFileSync("mkfifo", [`${root}/pipe`])
        expect(yield* failureOf(readText(`${root}/pipe`, 100))).toEqual([
          "io_error",
          `${root}/pipe is a pipe. Only regular files can be read.`
        ])
        expect(yield* failureOf(readText("/dev/zero", 100))).toEqual([
          "io_error",
          "/dev/zero is a device. Only regular files can be read."
        ])
        expect(yield* isFileAt(workspace, `${root}/pipe`)).toBe(false)
      })
    )

    it.effect("does not follow a link that took the place of the file", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { readText, root } = yield* openProject({ "a.txt": "a" })
        yield* fs.symlink("/etc/passwd", `${root}/b.txt`)
        expect(yield* failureOf(readText(`${root}/b.txt`, 100))).toEqual([
          "io_error",
          `${root}/b.txt is a link now and was not when it was checked. Only regular files can be read.`
        ])
      })
    )
  })

  describe("descriptions", () => {
    it.effect("prefers AGENTS.md and its like, then README.md, then nothing", () =>
      Effect.gen(function* () {
        expect(yield* descriptionsOf({ "AGENTS.md": "# Rules\n", "CLAUDE.md": "x", "README.md": "# Shop\n" })).toEqual([
          { path: "AGENTS.md", text: "# Rules" }
        ])
        expect(yield* descriptionsOf({ "AGENTS.md": " \n", "CLAUDE.md": "x", "README.md": "# Shop\n" })).toEqual([
          { path: "CLAUDE.md", text: "x" }
        ])
        expect(yield* descriptionsOf({ ".github/copilot-instructions.md": "y", "README.md": "# Shop\n" })).toEqual([
          { path: ".github/copilot-instructions.md", text: "y" }
        ])
        expect(yield* descriptionsOf({ "README.md": "# Shop\n" })).toEqual([{ path: "README.md", text: "# Shop" }])
        expect(yield* descriptionsOf({ "readme.txt": "x", "src/README.md": "no" })).toEqual([])
      })
    )

    it.effect("gives those of the folders of files and above them, the nearest first", () =>
      Effect.gen(function* () {
        const workspace = yield* openProject({
          "README.md": "Shop",
          "a/AGENTS.md": "A",
          "a/b/README.md": "no",
          "a/b/c/CLAUDE.md": "C",
          "d/AGENTS.md": "D"
        })
        const paths = (near: ReadonlyArray<string>) =>
          Effect.map(readDescriptions(workspace, { near, mayRead: () => Effect.succeed(true) }), ({ files }) =>
            files.map(({ path }) => path)
          )
        expect(yield* paths(["a/b/c/x.ts"])).toEqual(["a/b/c/CLAUDE.md", "a/AGENTS.md", "README.md"])
        expect(yield* paths(["x.ts"])).toEqual(["README.md"])
        expect(yield* paths(["d/x.ts", "a/b/y.ts"])).toEqual(["d/AGENTS.md", "a/AGENTS.md", "README.md"])
      })
    )

    it.effect("reads them in any encoding, and names those that are there and cannot be read", () =>
      Effect.gen(function* () {
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
          expect(files).toEqual([
            text === undefined ? { path: "README.md", text: "Shop" } : { path: "AGENTS.md", text }
          ])
          expect(notes.join()).toMatch(note === undefined ? /^$/ : note)
        }
        const denied = yield* readDescriptions(yield* openProject({ "AGENTS.md": "Rules" }), {
          near: [],
          mayRead: () => Effect.succeed(false)
        })
        expect(denied.notes).toEqual(["AGENTS.md is not part of the prompts: no rule lets it be read."])
      })
    )

    it.effect("does not leave the project through a link", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const outside = yield* makeProject({ "AGENTS.md": "secret" })
        const workspace = yield* openProject({ "README.md": "Shop" })
        yield* fs.symlink(`${outside}/AGENTS.md`, `${workspace.root}/AGENTS.md`)
        expect(yield* readDescriptions(workspace, { near: [], mayRead: () => Effect.succeed(true) })).toEqual({
          files: [{ path: "README.md", text: "Shop" }],
          notes: ["AGENTS.md is not part of the prompts: it leads out of the project."]
        })
      })
    )
  })
})
