/**
 * Appending: order, one flush for many, nothing told before it is on the disk, nothing lost when the run ends, and what
 * happens when the disk fails. The file system is the real one with some operations watched or held.
 */
import { describe, expect } from "@effect/vitest"
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
import { nodeTest } from "../../support/nodeTest.ts"

type Operations = Partial<Pick<FileSystem.File, "writeAll" | "sync" | "truncate">>

const replaced = (file: FileSystem.File, operations: Operations): FileSystem.File =>
  Object.create(
    file,
    Object.fromEntries(Object.entries(operations).map(([name, value]) => [name, { value }]))
  ) as FileSystem.File

/** What happens at a write or a flush of the journal, by its number from 1; the real one when absent. */
interface Watch {
  readonly write?: (number: number, real: FileSystem.File["writeAll"], bytes: Uint8Array) => FileSystem.File["sync"]
  readonly flush?: (number: number, real: FileSystem.File["sync"]) => FileSystem.File["sync"]
}

/** Counts the writes and flushes of the journal in an effect, and has them watched. */
const watching = ({ flush = (_, real) => real, write = (_, real, bytes) => real(bytes) }: Watch = {}) => {
  const counts = { writes: 0, flushes: 0 }
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(FileSystem.FileSystem, (real) =>
      Effect.provideService(effect, FileSystem.FileSystem, {
        ...real,
        open: (path, options) =>
          Effect.map(real.open(path, options), (file) =>
            path.endsWith("journal.jsonl")
              ? replaced(file, {
                  writeAll: (bytes) => write((counts.writes += 1), (all) => file.writeAll(all), bytes),
                  sync: Effect.suspend(() => flush((counts.flushes += 1), file.sync))
                })
              : file
          )
      })
    )
  return { counts, within }
}

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

describe("writing a journal", () => {
  nodeTest("writes every kind of record so that it reads back", function* () {
    const file = yield* makeFile
    const writer = yield* openJournal(file, undefined)
    for (const record of oneOfEach) yield* writer.append(record)
    expect(yield* recordsOf(file)).toEqual(oneOfEach)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  nodeTest("refuses a file that is there", function* () {
    const file = yield* makeFile
    writeFileSync(file, "mine")
    const { reason } = yield* Effect.flip(openJournal(file, undefined))
    expect(reason).toEqual({ _tag: "WriteFailed", code: "EEXIST", safe: 0 })
    expect(readFileSync(file, "utf8")).toBe("mine")
  })

  nodeTest("keeps the order of what is handed over and flushes it together", function* () {
    const file = yield* makeFile
    const { counts, within } = watching()
    const writing = Effect.gen(function* () {
      const writer = yield* openNew(file)
      counts.flushes = 0
      const keys = Array.from({ length: 500 }, (_, index) => `key-${index}`)
      yield* Effect.forEach(keys, (key, index) => (index % 3 === 0 ? writer.enqueue : writer.append)(settled(key)), {
        concurrency: "unbounded"
      })
      yield* writer.flush
      expect(yield* keysOf(file)).toEqual(keys)
      expect(counts.flushes).toBeLessThan(20)
    })
    yield* within(writing)
  })

  nodeTest("goes on only when the record is on the disk, and does not wait for what is only told", function* () {
    const file = yield* makeFile
    const disk = yield* Deferred.make<void>()
    const held: Watch = { flush: (number, real) => (number === 2 ? Effect.andThen(Deferred.await(disk), real) : real) }
    const { counts, within } = watching(held)
    const writing = Effect.gen(function* () {
      const writer = yield* openNew(file)
      yield* writer.enqueue(settled("told"))
      const appended = yield* Effect.forkChild(writer.append(settled("a")), { startImmediately: true })
      const flushed = yield* Effect.forkChild(writer.flush, { startImmediately: true })
      yield* waitFor("the flush", () => counts.flushes === 2)
      yield* untilQuiet
      expect([appended.pollUnsafe(), flushed.pollUnsafe()]).toEqual([undefined, undefined])
      yield* Deferred.succeed(disk, undefined)
      yield* Fiber.join(appended)
      yield* Fiber.join(flushed)
      expect(yield* keysOf(file)).toEqual(["told", "a"])
    })
    yield* within(writing)
  })

  nodeTest("writes what was handed over while the disk was busy when it is closed", function* () {
    const file = yield* makeFile
    const disk = yield* Deferred.make<void>()
    const { counts, within } = watching({
      write: (number, real, bytes) => (number === 2 ? Effect.andThen(Deferred.await(disk), real(bytes)) : real(bytes))
    })
    const writing = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const writer = yield* Scope.provide(openNew(file), scope)
      yield* writer.enqueue(settled("busy"))
      yield* waitFor("the write", () => counts.writes === 2)
      for (const key of ["a", "b", "c"]) yield* writer.enqueue(settled(key))
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* untilQuiet
      yield* Deferred.succeed(disk, undefined)
      yield* Fiber.join(closed)
    })
    yield* within(writing)
    expect(yield* keysOf(file)).toEqual(["busy", "a", "b", "c"])
  })

  nodeTest("sets a torn last line aside at every byte, and glues nothing to it", function* () {
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

  nodeTest("keeps what each crash left at a line, and once what was set aside and not cut off", function* () {
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

  nodeTest("goes on where the journal ends, and leaves no torn file when nothing was torn", function* () {
    const file = yield* makeFile
    writeFileSync(file, journalBytes([openedRecord(), settled("a")]))
    const writer = yield* openJournal(file, yield* readJournal(file))
    yield* writer.append(settled("b"))
    expect(yield* keysOf(file)).toEqual(["a", "b"])
    expect(readdirSync(dirname(file))).toEqual(["journal.jsonl"])
  })

  nodeTest("fails with the disk, cuts off what was half written and never goes on", function* () {
    for (const code of ["ENOSPC", "EIO", "EROFS"]) {
      const file = yield* makeFile
      const { within } = watching({
        write: (number, real, bytes) =>
          number === 3 ? Effect.andThen(real(bytes.subarray(0, 20)), Effect.fail(diskError(code))) : real(bytes)
      })
      const writing = Effect.gen(function* () {
        const writer = yield* openNew(file)
        yield* writer.append(settled("a"))
        const waits = yield* Effect.forkChild(writer.append(settled("b")), { startImmediately: true })
        const { message, reason } = yield* Effect.flip(writer.failed)
        expect(reason).toEqual({ _tag: "WriteFailed", code, safe: 2 })
        expect(message).toContain(`the system says ${code}. 2 records are safe`)
        yield* writer.enqueue(settled("c"))
        yield* untilQuiet
        expect(waits.pollUnsafe()).toBe(undefined)
      })
      yield* within(Effect.scoped(writing))
      expect(readFileSync(file, "utf8").at(-1)).toBe("\n")
      expect(yield* keysOf(file)).toEqual(["a"])
    }
  })

  nodeTest("trusts nothing that could not be flushed", function* () {
    const file = yield* makeFile
    const failing: Watch = { flush: (number, real) => (number === 2 ? Effect.fail(diskError("EIO")) : real) }
    const writing = Effect.gen(function* () {
      const writer = yield* openNew(file)
      yield* writer.enqueue(settled("a"))
      expect((yield* Effect.flip(writer.failed)).reason).toEqual({ _tag: "WriteFailed", code: "EIO", safe: 1 })
    })
    yield* watching(failing).within(Effect.scoped(writing))
    expect(yield* keysOf(file)).toEqual([])
  })

  nodeTest("says what is safe when a journal cannot be opened again", function* () {
    const file = yield* makeFile
    writeFileSync(file, journalBytes([openedRecord(), settled("a")]))
    const content = yield* readJournal(file)
    const { reason } = yield* Effect.flip(openJournal(`${file}/x`, content))
    expect(reason).toEqual({ _tag: "WriteFailed", code: "ENOTDIR", safe: 2 })
  })

  nodeTest("breaks the run off instead of waiting for ever when a record cannot be written down", function* () {
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
})
