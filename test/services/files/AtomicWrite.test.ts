import { describe, expect } from "@effect/vitest"
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
import { makeFolder, makeProject } from "../../support/Project.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** Replaces a file while its temporary file has these operations. */
const replaceWith = (file: string, operations: Partial<FileSystem.File>) =>
  Effect.flatMap(FileSystem.FileSystem, (real) =>
    Effect.provideService(replaceFile(file, "new"), FileSystem.FileSystem, {
      ...real,
      open: (path, options) =>
        Effect.map(real.open(path, options), (opened) =>
          options?.flag === "wx" ? { ...opened, stat: opened.stat, sync: opened.sync, ...operations } : opened
        )
    })
  )

const messageOf = (file: string) => Effect.map(Effect.flip(replaceFile(file, "x")), (failure) => failure.message)

const diskFull = systemError({ _tag: "Unknown", module: "FileSystem", method: "writeAll", cause: { code: "ENOSPC" } })

describe("replaceFile", () => {
  nodeTest("creates a file with the folders it needs", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeFolder
    yield* replaceFile(`${folder}/a/b/c.txt`, "text\n")
    expect(yield* fs.readFileString(`${folder}/a/b/c.txt`)).toBe("text\n")
    expect(yield* fs.readDirectory(`${folder}/a/b`)).toEqual(["c.txt"])
  })

  nodeTest("keeps the byte order mark of the file it replaces", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeProject({ "run.sh": "\uFEFFold" })
    yield* replaceFile(`${folder}/run.sh`, "new")
    expect([...(yield* fs.readFile(`${folder}/run.sh`))]).toEqual([0xef, 0xbb, 0xbf, 0x6e, 0x65, 0x77])
  })

  nodeTest("keeps the owner and the mode of the file it replaces", function* () {
    for (const bits of [0o644, 0o600, 0o444, 0o755, 0o2755, 0o4755, 0o6711, 0o660]) {
      const file = `${yield* makeProject({ "a.txt": "old" })}/a.txt`
      // Only root may give files away.
      if (process.getuid?.() === 0) chownSync(file, 12_345, 23_456)
      chmodSync(file, bits | 0o200)
      const state = () => {
        const { gid, mode, uid } = statSync(file)
        return { gid, uid, mode: mode & 0o7777 }
      }
      const before = state()
      yield* replaceFile(file, "new")
      expect(state()).toEqual(before)
    }
  })

  nodeTest("leaves the other name of a hard link alone", function* () {
    const fs = yield* FileSystem.FileSystem
    const outside = yield* makeProject({ "original.txt": "old" })
    const folder = yield* makeFolder
    yield* fs.link(`${outside}/original.txt`, `${folder}/linked.txt`)
    yield* replaceFile(`${folder}/linked.txt`, "new")
    expect(yield* fs.readFileString(`${outside}/original.txt`)).toBe("old")
    expect(yield* fs.readFileString(`${folder}/linked.txt`)).toBe("new")
  })

  nodeTest("refuses folders and links", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeProject({ "src/a.txt": "a" })
    yield* fs.symlink(`${folder}/src/a.txt`, `${folder}/link`)
    expect(yield* messageOf(`${folder}/src`)).toBe(`Cannot write ${folder}/src: it is a folder. Nothing was changed.`)
    expect(yield* messageOf(`${folder}/link`)).toBe(
      `Cannot write ${folder}/link: it is not a regular file. Nothing was changed.`
    )
    expect(yield* fs.readFileString(`${folder}/src/a.txt`)).toBe("a")
  })

  nodeTest("does not write through a folder that became a link after the check", function* () {
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

  nodeTest("keeps the old text and leaves nothing behind when the disk is full", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeProject({ "a.txt": "old" })
    const failure = yield* Effect.flip(replaceWith(`${folder}/a.txt`, { writeAll: () => Effect.fail(diskFull) }))
    expect([failure.type, failure.message]).toEqual(["io_error", `Cannot write ${folder}/a.txt. The disk is full.`])
    expect(yield* fs.readFileString(`${folder}/a.txt`)).toBe("old")
    expect(yield* fs.readDirectory(folder)).toEqual(["a.txt"])
  })

  nodeTest("keeps the old text and leaves nothing behind when it is interrupted", function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeProject({ "a.txt": "old" })
    const created = yield* Deferred.make<void>()
    const sync = Effect.andThen(Deferred.succeed(created, undefined), Effect.never)
    const writing = replaceWith(`${folder}/a.txt`, { writeAll: () => Effect.void, sync })
    const fiber = yield* Effect.forkChild(writing)
    yield* Deferred.await(created)
    expect(yield* fs.readDirectory(folder)).toHaveLength(2)
    yield* Fiber.interrupt(fiber)
    expect(yield* fs.readDirectory(folder)).toEqual(["a.txt"])
    expect(yield* fs.readFileString(`${folder}/a.txt`)).toBe("old")
  })
})

const writeOf = (path: string, text: string) => ({ path, after: textHash(text) })

describe("removing what a killed write left", () => {
  nodeTest("takes its temporary file, and no other name, folder or link", function* () {
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

  nodeTest("looks through no link that took the place of the folder, and goes on where there is none", function* () {
    const folder = realpathSync(yield* makeFolder)
    const write = writeOf(`${folder}/src/a.txt`, "new")
    mkdirSync(`${folder}/away`)
    writeFileSync(`${folder}/away/${temporaryName(write, "x1")}`, "text")
    symlinkSync("away", `${folder}/src`)
    yield* removeTemporaryFiles([writeOf(`${folder}/none/a.txt`, "new"), write])
    expect(readdirSync(`${folder}/away`)).toEqual([temporaryName(write, "x1")])
  })
})
