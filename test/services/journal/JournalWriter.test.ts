/**
 * Appending: order, one flush for many, nothing told before it is on the disk, nothing lost when the run ends, and what
 * happens when the disk fails. The file system is the real one with some operations watched or held.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { systemError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { recordOf } from "../../../src/services/journal/JournalLine.ts"
import { readJournal } from "../../../src/services/journal/JournalReader.ts"
import { openJournal } from "../../../src/services/journal/JournalWriter.ts"
import { journalBytes, journalLines, oneOfEach, openedRecord, settled } from "../../support/Journals.ts"
import { makeFolder } from "../../support/Project.ts"
import { waitFor } from "../../support/waitFor.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

type Operations = Partial<Pick<FileSystem.File, "writeAll" | "sync" | "truncate">>

const replaced = (file: FileSystem.File, operations: Operations): FileSystem.File =>
  Object.create(
    file,
    Object.fromEntries(Object.entries(operations).map(([name, value]) => [name, { value }]))
  ) as FileSystem.File

/** Runs with every file opened having some of its operations replaced. */
const withFiles =
  (operations: (real: FileSystem.File) => Operations) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(FileSystem.FileSystem, (real) =>
      Effect.provideService(effect, FileSystem.FileSystem, {
        ...real,
        open: (path, options) =>
          Effect.map(real.open(path, options), (file) =>
            path.endsWith("journal.jsonl") ? replaced(file, operations(file)) : file
          )
      })
    )

const makeFile = Effect.map(makeFolder, (folder) => `${folder}/journal.jsonl`)

const recordsOf = (file: string) => Effect.map(readJournal(file), ({ lines }) => lines.map(recordOf))

const keysOf = (file: string) => Effect.map(readJournal(file), ({ lines }) => lines.slice(1).map(({ key }) => key))

const diskError = (code: string) =>
  systemError({ _tag: "Unknown", module: "FileSystem", method: "write", cause: { code } })

/** Opens a new journal whose first record is written. */
const openNew = Effect.fnUntraced(function* (file: string) {
  const writer = yield* openJournal(file, undefined)
  yield* writer.append(openedRecord())
  return writer
})

layer(NodeServices.layer)("writing a journal", (it) => {
  it.effect("writes every kind of record so that it reads back", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const writer = yield* openJournal(file, undefined)
      for (const record of oneOfEach) yield* writer.append(record)
      expect(yield* recordsOf(file)).toEqual(oneOfEach)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })
  )

  it.effect("refuses a file that is there", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      writeFileSync(file, "mine")
      const { reason } = yield* Effect.flip(openJournal(file, undefined))
      expect(reason).toEqual({ _tag: "WriteFailed", code: "EEXIST", safe: 0 })
      expect(readFileSync(file, "utf8")).toBe("mine")
    })
  )

  it.effect("keeps the order of what is handed over and flushes it together", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      let flushes = 0
      yield* Effect.gen(function* () {
        const writer = yield* openNew(file)
        flushes = 0
        const keys = Array.from({ length: 500 }, (_, index) => `key-${index}`)
        yield* Effect.forEach(keys, (key, index) => (index % 3 === 0 ? writer.enqueue : writer.append)(settled(key)), {
          concurrency: "unbounded"
        })
        yield* writer.flush
        expect(yield* keysOf(file)).toEqual(keys)
        expect(flushes).toBeLessThan(20)
      }).pipe(
        withFiles((real) => ({
          sync: Effect.suspend(() => {
            flushes += 1
            return real.sync
          })
        }))
      )
    })
  )

  it.effect("goes on only when the record is on the disk, and does not wait for what is only told", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const disk = yield* Deferred.make<void>()
      let synced = 0
      yield* Effect.gen(function* () {
        const writer = yield* openNew(file)
        yield* writer.enqueue(settled("told"))
        const appended = yield* Effect.forkChild(writer.append(settled("a")), { startImmediately: true })
        const flushed = yield* Effect.forkChild(writer.flush, { startImmediately: true })
        yield* waitFor("the flush", () => synced === 2)
        yield* untilQuiet
        expect([appended.pollUnsafe(), flushed.pollUnsafe()]).toEqual([undefined, undefined])
        yield* Deferred.succeed(disk, undefined)
        yield* Fiber.join(appended)
        yield* Fiber.join(flushed)
        expect(yield* keysOf(file)).toEqual(["told", "a"])
      }).pipe(
        withFiles((real) => ({
          sync: Effect.suspend(() => {
            synced += 1
            return synced === 2 ? Effect.andThen(Deferred.await(disk), real.sync) : real.sync
          })
        }))
      )
    })
  )

  it.effect("writes what was handed over while the disk was busy when it is closed", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const disk = yield* Deferred.make<void>()
      let writes = 0
      yield* Effect.gen(function* () {
        const scope = yield* Scope.make()
        const writer = yield* Scope.provide(openNew(file), scope)
        yield* writer.enqueue(settled("busy"))
        yield* waitFor("the write", () => writes === 2)
        for (const key of ["a", "b", "c"]) yield* writer.enqueue(settled(key))
        const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
        yield* untilQuiet
        yield* Deferred.succeed(disk, undefined)
        yield* Fiber.join(closed)
      }).pipe(
        withFiles((real) => ({
          writeAll: (bytes) => {
            writes += 1
            return writes === 2 ? Effect.andThen(Deferred.await(disk), real.writeAll(bytes)) : real.writeAll(bytes)
          }
        }))
      )
      expect(yield* keysOf(file)).toEqual(["busy", "a", "b", "c"])
    })
  )

  it.effect("loses nothing that was handed over, whenever the run is interrupted", () =>
    Effect.gen(function* () {
      for (let turns = 0; turns < 40; turns += 1) {
        const file = yield* makeFile
        let told = 0
        const run = yield* Effect.gen(function* () {
          const writer = yield* openNew(file)
          for (;;) {
            yield* writer.enqueue(settled(`key-${told}`))
            told += 1
            if (told % 3 === 0) yield* Effect.promise(() => new Promise((go) => setImmediate(go)))
            if (told % 7 === 0) yield* writer.flush
          }
        }).pipe(Effect.scoped, Effect.forkChild)
        yield* waitFor("the first record", () => told > 0)
        for (let turn = 0; turn < turns; turn += 1) yield* Effect.promise(() => new Promise((go) => setImmediate(go)))
        yield* Fiber.interrupt(run)
        expect(yield* keysOf(file)).toEqual(Array.from({ length: told }, (_, index) => `key-${index}`))
      }
    })
  )

  it.effect("sets a torn last line aside at every byte, and glues nothing to it", () =>
    Effect.gen(function* () {
      const whole = journalBytes([openedRecord(), settled("a"), settled("b", "ä😀")])
      const start = Buffer.byteLength(journalLines([openedRecord(), settled("a")]).join("\n")) + 1
      for (let end = start + 1; end < whole.length; end += 1) {
        for (const newline of end % 9 === 0 ? ["", "\n"] : [""]) {
          const file = yield* makeFile
          const torn = Buffer.concat([whole.subarray(start, end), Buffer.from(newline)])
          writeFileSync(file, Buffer.concat([whole.subarray(0, start), torn]))
          const content = yield* readJournal(file)
          const writer = yield* openJournal(file, content)
          yield* writer.append(settled("next"))
          expect(yield* keysOf(file)).toEqual(["a", "next"])
          expect(readFileSync(`${file}.torn-3`)).toEqual(torn)
        }
      }
    })
  )

  it.effect("keeps what each crash left at the same line, and once what was set aside and not yet cut off", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const whole = journalBytes([openedRecord(), settled("a")])
      const crashed = Effect.fnUntraced(function* (torn: string) {
        writeFileSync(file, Buffer.concat([whole, Buffer.from(torn)]))
        yield* Effect.scoped(openJournal(file, yield* readJournal(file)))
        expect(readFileSync(file)).toEqual(Buffer.from(whole))
      })
      for (const torn of ["first", "second", "first", "third"]) yield* crashed(torn)
      const aside = readdirSync(dirname(file)).toSorted().slice(1)
      expect(aside.map((name) => [name, readFileSync(`${dirname(file)}/${name}`, "utf8")])).toEqual([
        ["journal.jsonl.torn-3", "first"],
        ["journal.jsonl.torn-3-2", "second"],
        ["journal.jsonl.torn-3-3", "third"]
      ])
    })
  )

  it.effect("goes on where the journal ends, and leaves no torn file when nothing was torn", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      writeFileSync(file, journalBytes([openedRecord(), settled("a")]))
      const writer = yield* openJournal(file, yield* readJournal(file))
      yield* writer.append(settled("b"))
      expect(yield* keysOf(file)).toEqual(["a", "b"])
      expect(readdirSync(dirname(file))).toEqual(["journal.jsonl"])
    })
  )

  for (const code of ["ENOSPC", "EIO", "EROFS"]) {
    it.effect(`fails on ${code}, cuts off what was half written and never goes on`, () =>
      Effect.gen(function* () {
        const file = yield* makeFile
        let writes = 0
        yield* Effect.gen(function* () {
          const writer = yield* openNew(file)
          yield* writer.append(settled("a"))
          const waits = yield* Effect.forkChild(writer.append(settled("b")), { startImmediately: true })
          const { message, reason } = yield* Effect.flip(writer.failed)
          expect(reason).toEqual({ _tag: "WriteFailed", code, safe: 2 })
          expect(message).toContain(`the system says ${code}. 2 records are safe`)
          yield* writer.enqueue(settled("c"))
          yield* untilQuiet
          expect(waits.pollUnsafe()).toBe(undefined)
        }).pipe(
          Effect.scoped,
          withFiles((real) => ({
            writeAll: (bytes) => {
              writes += 1
              if (writes !== 3) return real.writeAll(bytes)
              return Effect.andThen(real.writeAll(bytes.subarray(0, 20)), Effect.fail(diskError(code)))
            }
          }))
        )
        expect(readFileSync(file)).toEqual(
          Buffer.from(readFileSync(file)).subarray(0, readFileSync(file).lastIndexOf(0x0a) + 1)
        )
        expect(yield* keysOf(file)).toEqual(["a"])
      })
    )
  }

  it.effect("trusts nothing that could not be flushed", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      let syncs = 0
      yield* Effect.gen(function* () {
        const writer = yield* openNew(file)
        yield* writer.enqueue(settled("a"))
        expect((yield* Effect.flip(writer.failed)).reason).toEqual({ _tag: "WriteFailed", code: "EIO", safe: 1 })
      }).pipe(
        Effect.scoped,
        withFiles((real) => ({
          sync: Effect.suspend(() => {
            syncs += 1
            return syncs === 2 ? Effect.fail(diskError("EIO")) : real.sync
          })
        }))
      )
      expect(yield* keysOf(file)).toEqual([])
    })
  )

  it.effect("says what is safe when a journal cannot be opened again", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      writeFileSync(file, journalBytes([openedRecord(), settled("a")]))
      const content = yield* readJournal(file)
      const { reason } = yield* Effect.flip(openJournal(`${file}/x`, content))
      expect(reason).toEqual({ _tag: "WriteFailed", code: "ENOTDIR", safe: 2 })
    })
  )

  it.effect("breaks the run off instead of waiting for ever when a record cannot be written down", () =>
    Effect.gen(function* () {
      const file = yield* makeFile
      const exit = yield* Effect.gen(function* () {
        const writer = yield* openNew(file)
        const usage = { promptTokens: Number.NaN } as never
        const call = { stage: "plan", round: 0, attempt: 1 } as const
        yield* writer.enqueue({ type: "event", event: { type: "model.finished", call, usage } })
        return yield* Effect.exit(Effect.raceFirst(writer.append(settled("a")), writer.failed))
      }).pipe(Effect.scoped)
      expect(Exit.hasDies(exit)).toBe(true)
      expect(yield* keysOf(file)).toEqual([])
    })
  )
})
