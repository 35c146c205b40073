import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { makeWorkingCopy, CurrentCopy } from "../../../src/services/files/WorkingCopy.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { allow } from "../../support/OpenGate.ts"
import { openTools } from "../../support/OpenTools.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const nfd = "docs/cafe\u0301.md"
const nfc = nfd.normalize("NFC")

/** What a project has, how a path is written, and the path that is meant. */
const meant: ReadonlyArray<readonly [files: ReadonlyArray<string>, written: string, path: string]> = [
  [["src/a.ts"], "src/a.ts", "src/a.ts"],
  [["src/a.ts"], "./src/a.ts", "./src/a.ts"],
  [["src/a.ts"], "/src/a.ts", "src/a.ts"],
  [["src/a.ts"], "//src/a.ts", "src/a.ts"],
  [["src/a.ts"], "src\\a.ts", "src/a.ts"],
  [["src/a.ts"], "/src", "src"],
  [["src/a.ts"], "/src/new.ts", "src/new.ts"],
  [["src/a.ts"], "/new-folder/new.ts", "/new-folder/new.ts"],
  [["src/a.ts"], "/src/deeper/new.ts", "/src/deeper/new.ts"],
  [["src/a.ts"], "SRC/A.ts", "SRC/A.ts"],
  [["src/a.ts"], "`src/a.ts`", "src/a.ts"],
  [["src/a.ts"], " src/a.ts ", "src/a.ts"],
  [["my_file.go"], "my\\_file.go", "my_file.go"],
  [["my notes.md"], "my\\ notes.md", "my notes.md"],
  [["my notes.md"], "my%20notes.md", "my notes.md"],
  [["my%20notes.md", "my notes.md"], "my%20notes.md", "my%20notes.md"],
  [["Release\u00a0Notes.md"], "Release Notes.md", "Release\u00a0Notes.md"],
  [["at 1.02\u202fPM.png"], "at 1.02 PM.png", "at 1.02\u202fPM.png"],
  [["Release  Notes.md"], "Release Notes.md", "Release  Notes.md"],
  [["Release Notes.md"], "/Release\u202fNotes.md", "Release Notes.md"],
  [["my docs/a.md"], "my\u00a0docs/a.md", "my docs/a.md"],
  [["a\u200bb.md"], "ab.md", "a\u200bb.md"],
  [["ab.md"], "\ufeffab.md", "ab.md"],
  [[nfd], nfc, nfd],
  [[nfc], nfd, nfc],
  [["a\u00a0b.md", "a\u202fb.md"], "a b.md", "a b.md"],
  [["a\u00a0b.md", "a b.md"], "a b.md", "a b.md"]
]

const openIn = (root: string) => Effect.provide(Workspace, Workspace.layer(root))

describe("the path that is meant", () => {
  for (const [files, written, path] of meant) {
    nodeTest(`by ${JSON.stringify(written)} is ${JSON.stringify(path)}, with ${JSON.stringify(files)}`, function* () {
      const workspace = yield* openIn(yield* makeProject(Object.fromEntries(files.map((file) => [file, "text\n"]))))
      expect(yield* workspace.meant(written)).toBe(path)
    })
  }

  nodeTest("is one on the machine when something is there, and not in what a task proposes", function* () {
    const outside = yield* makeFolder
    yield* putFiles(outside, { "there.txt": "machine\n" })
    const inProject = outside.slice(1)
    const root = yield* makeProject({ [`${inProject}/there.txt`]: "project\n", [`${inProject}/only.txt`]: "project\n" })
    const workspace = yield* openIn(root)
    expect(yield* workspace.meant(`${outside}/there.txt`)).toBe(`${outside}/there.txt`)
    expect(yield* workspace.meant(`${outside}/only.txt`)).toBe(`${inProject}/only.txt`)
    expect(yield* workspace.meant(`${outside}/new.txt`)).toBe(`${outside}/new.txt`)
    expect(yield* workspace.meant(`${root}/${inProject}/only.txt`)).toBe(`${root}/${inProject}/only.txt`)
    const copy = makeWorkingCopy()
    copy.propose({ path: `${root}/etc/passwd`, base: null, text: "own\n" })
    copy.propose({ path: `${root}/${inProject}/only.txt`, base: "project\n", text: null })
    const within = (written: string) => Effect.provideService(workspace.meant(written), CurrentCopy, copy)
    expect(yield* within("/etc/passwd")).toBe("etc/passwd")
    expect(yield* within(`${outside}/only.txt`)).toBe(`${outside}/only.txt`)
    expect(yield* workspace.meant("/etc/passwd")).toBe("/etc/passwd")
  })

  nodeTest("does not lead out of the project", function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = yield* makeFolder
    yield* putFiles(outside, { "my secret.txt": "x\n" })
    const root = yield* makeProject({ "a.txt": "a\n" })
    yield* fs.symlink(outside, `${root}/link`)
    const workspace = yield* openIn(root)
    for (const written of ["link/my\u00a0secret.txt", "../my secret.txt", "/../etc/passwd", "/link/my secret.txt"])
      expect(yield* workspace.meant(written)).toBe(written)
  })

  nodeTest("is used by every tool without a permission", function* () {
    const { root, run } = yield* openTools({
      files: { "src/my notes.md": "one\n", "src/old.md": "x\n" },
      rules: ["read_file", "edit_file", "write_file", "remove_file"].map((tool) => allow(tool)),
      approver: Approver.layerDenyAll
    })
    const fs = yield* FileSystem.FileSystem
    const outcomes = [
      yield* run("read_file", { path: "/src/my\u00a0notes.md" }),
      yield* run("get_file_tree", { path: "/src" }),
      yield* run("search_files", { pattern: "one", path: "/src/my\u202fnotes.md" }),
      yield* run("edit_file", { path: "/src/my\u00a0notes.md", old_text: "one", new_text: "two" }),
      yield* run("write_file", { path: "/src/new.md", content: "new\n" }),
      yield* run("remove_file", { path: "/src/old.md" })
    ]
    expect(outcomes.map((one) => [one.success, one.error_message])).toEqual(outcomes.map(() => [true, null]))
    expect((yield* run("read_file", { path: "/etc/hostname" })).error_type).toBe("permission_denied")
    expect((yield* fs.readDirectory(`${root}/src`)).toSorted()).toEqual(["my notes.md", "new.md"])
    expect(yield* fs.readFileString(`${root}/src/my notes.md`)).toBe("two\n")
  })
})
