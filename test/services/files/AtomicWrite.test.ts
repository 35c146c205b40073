import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { systemError } from "effect/PlatformError"
import * as Deferred from "effect/Deferred"
import * as Fiber from "effect/Fiber"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { replaceFile, removeTemporaryFiles, temporaryName } from "../../../src/services/files/AtomicWrite.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"
import { textHash } from "../../../src/services/files/Hash.ts"

const mode = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.stat(file)).mode & 0o7777
})

/** The real file system with some operations replaced. */
const withOperations = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  operations: (real: FileSystem.FileSystem) => Partial<FileSystem.FileSystem>
) =>
  Effect.gen(function* () {
    const real = yield* FileSystem.FileSystem
    return yield* Effect.provideService(effect, FileSystem.FileSystem, { ...real, ...operations(real) })
  })

const messageOf = (file: string) => Effect.map(Effect.flip(replaceFile(file, "x")), (failure) => failure.message)

const diskFull = systemError({ _tag: "Unknown", module: "FileSystem", method: "writeAll", cause: { code: "ENOSPC" } })

layer(NodeServices.layer)("replaceFile", (it) => {
  it.effect("creates a file with the folders it needs", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeFolder
      yield* replaceFile(`${folder}/a/b/c.txt`, "text\n")
      expect(yield* fs.readFileString(`${folder}/a/b/c.txt`)).toBe("text\n")
      expect(yield* fs.readDirectory(`${folder}/a/b`)).toEqual(["c.txt"])
    })
  )

  it.effect("keeps the mode and the byte order mark of the file it replaces", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeProject({ "run.sh": "\uFEFFold" })
      yield* fs.chmod(`${folder}/run.sh`, 0o775)
      yield* replaceFile(`${folder}/run.sh`, "new")
      expect([...(yield* fs.readFile(`${folder}/run.sh`))]).toEqual([0xef, 0xbb, 0xbf, 0x6e, 0x65, 0x77])
      expect(yield* mode(`${folder}/run.sh`)).toBe(0o775)
    })
  )

  it.effect.each([0o644, 0o600, 0o444, 0o755, 0o2755, 0o4755, 0o6711, 0o660])(
    "keeps the owner and the mode %o of the file it replaces",
    (bits) =>
      Effect.gen(function* () {
        const file = `${yield* makeProject({ "a.txt": "old" })}/a.txt`
        // Only root may give files away.
        if (process.getuid?.() === 0) chownSync(file, 12_345, 23_456)
        chmodSync(file, bits | 0o200)
        const state = () => {
          const { gid, mode: all, uid } = statSync(file)
          return { gid, uid, mode: all & 0o7777 }
        }
        const before = state()
        yield* replaceFile(file, "new")
        expect(state()).toEqual(before)
      })
  )

  it.effect("leaves the other name of a hard link alone", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* makeProject({ "original.txt": "old" })
      const folder = yield* makeFolder
      yield* fs.link(`${outside}/original.txt`, `${folder}/linked.txt`)
      yield* replaceFile(`${folder}/linked.txt`, "new")
      expect(yield* fs.readFileString(`${outside}/original.txt`)).toBe("old")
      expect(yield* fs.readFileString(`${folder}/linked.txt`)).toBe("new")
    })
  )

  it.effect("refuses folders and links", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeProject({ "src/a.txt": "a" })
      yield* fs.symlink(`${folder}/src/a.txt`, `${folder}/link`)
      expect(yield* messageOf(`${folder}/src`)).toBe(`Cannot write ${folder}/src: it is a folder. Nothing was changed.`)
      expect(yield* messageOf(`${folder}/link`)).toBe(
        `Cannot write ${folder}/link: it is not a regular file. Nothing was changed.`
      )
      expect(yield* fs.readFileString(`${folder}/src/a.txt`)).toBe("a")
    })
  )

  it.effect("does not write through a folder that became a link after the check", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outside = yield* makeProject({ "a.txt": "old" })
      const folder = yield* makeFolder
      yield* fs.symlink(outside, `${folder}/src`)
      const failure = yield* Effect.flip(replaceFile(`${folder}/src/a.txt`, "new"))
      expect([failure.type, failure.message]).toEqual([
        "io_error",
        `The folder ${folder}/src was replaced by a link after it was checked. Nothing was read or changed.`
      ])
      expect(yield* fs.readFileString(`${outside}/a.txt`)).toBe("old")
      expect(yield* fs.readDirectory(outside)).toEqual(["a.txt"])
    })
  )

  it.effect("keeps the old text and leaves nothing behind when the disk is full", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeProject({ "a.txt": "old" })
      const failure = yield* Effect.flip(
        withOperations(replaceFile(`${folder}/a.txt`, "new"), (real) => ({
          open: (path, options) =>
            Effect.map(real.open(path, options), (file) =>
              options?.flag === "wx"
                ? { ...file, stat: file.stat, sync: file.sync, writeAll: () => Effect.fail(diskFull) }
                : file
            )
        }))
      )
      expect([failure.type, failure.message]).toEqual(["io_error", `Cannot write ${folder}/a.txt. The disk is full.`])
      expect(yield* fs.readFileString(`${folder}/a.txt`)).toBe("old")
      expect(yield* fs.readDirectory(folder)).toEqual(["a.txt"])
    })
  )

  it.effect("keeps the old text and leaves nothing behind when it is interrupted", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeProject({ "a.txt": "old" })
      const created = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        withOperations(replaceFile(`${folder}/a.txt`, "new"), (real) => ({
          open: (path, options) =>
            Effect.map(real.open(path, options), (file) => {
              const sync = Effect.andThen(Deferred.succeed(created, undefined), Effect.never)
              return options?.flag === "wx" ? { ...file, stat: file.stat, writeAll: () => Effect.void, sync } : file
            })
        }))
      )
      yield* Deferred.await(created)
      expect(yield* fs.readDirectory(folder)).toHaveLength(2)
      yield* Fiber.interrupt(fiber)
      expect(yield* fs.readDirectory(folder)).toEqual(["a.txt"])
      expect(yield* fs.readFileString(`${folder}/a.txt`)).toBe("old")
    })
  )

  it.effect("is what Workspace.write does", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* makeProject({ "a.txt": "old" })
      const workspace = yield* Workspace.pipe(Effect.provide(Workspace.layer(folder)))
      yield* workspace.write({ _tag: "WriteFile", path: `${folder}/a.txt`, inside: true, content: "new" })
      expect(yield* fs.readFileString(`${folder}/a.txt`)).toBe("new")
    })
  )
})

const writeOf = (path: string, text: string) => ({ path, after: textHash(text) })

layer(NodeServices.layer)("removing what a killed write left", (it) => {
  it.effect("takes its temporary file, and no other name, folder or link", () =>
    Effect.gen(function* () {
      const folder = realpathSync(yield* makeFolder)
      const mine = writeOf(`${folder}/a.txt`, "new")
      const others = [
        temporaryName(writeOf(`${folder}/a.txt`, "other"), "x1"),
        temporaryName(writeOf(`${folder}/b.txt`, "new"), "x1"),
        temporaryName(mine, "x1").replace(".tmp", ".txt"),
        ".task-conductor-x1.tmp",
        "a.txt"
      ]
      for (const name of [...others, temporaryName(mine, "x1"), temporaryName(mine, "x2")]) {
        writeFileSync(`${folder}/${name}`, "text")
      }
      mkdirSync(`${folder}/${temporaryName(mine, "folder")}`)
      symlinkSync("a.txt", `${folder}/${temporaryName(mine, "link")}`)
      yield* removeTemporaryFiles([mine])
      expect(readdirSync(folder).toSorted()).toEqual(
        [...others, temporaryName(mine, "folder"), temporaryName(mine, "link")].toSorted()
      )
    })
  )

  it.effect("looks through no link that took the place of the folder, and goes on where there is none", () =>
    Effect.gen(function* () {
      const folder = realpathSync(yield* makeFolder)
      const write = writeOf(`${folder}/src/a.txt`, "new")
      mkdirSync(`${folder}/away`)
      writeFileSync(`${folder}/away/${temporaryName(write, "x1")}`, "text")
      symlinkSync("away", `${folder}/src`)
      yield* removeTemporaryFiles([writeOf(`${folder}/none/a.txt`, "new"), write])
      expect(readdirSync(`${folder}/away`)).toEqual([temporaryName(write, "x1")])
    })
  )
})
