/**
 * A PostgreSQL server of Debian's package in a folder of its own, reached over a socket in that folder only.
 */
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const installed = "/usr/lib/postgresql"

/** The folder of the server's programs; tests that need it fail where it is not installed. */
const programs = (): string => {
  const [newest] = readdirSync(installed).toSorted((a, b) => Number(b) - Number(a))
  return join(installed, newest ?? "", "bin")
}

/** The server refuses to be run by root: then the user of its package runs it. */
const identity = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(spawnSync("id", [flag, "postgres"]).stdout.toString()))
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

/** A server that starts up listens before it takes anybody. */
const isReady = (folder: string): boolean => spawnSync(join(programs(), "pg_isready"), ["-h", folder]).status === 0

const start = async () => {
  const folder = mkdtempSync(join(tmpdir(), "pg-"))
  const who = identity()
  if (who !== undefined) chownSync(folder, who.uid, who.gid)
  const data = join(folder, "data")
  const words = ["-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C"]
  const made = spawnSync(join(programs(), "initdb"), words, { ...who, cwd: folder })
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  const settings = ["listen_addresses=", "fsync=off", "max_connections=100"].flatMap((one) => ["-c", one])
  const server = spawn(join(programs(), "postgres"), ["-D", data, "-k", folder, ...settings], {
    ...who,
    cwd: folder,
    stdio: "ignore"
  })
  while (!isReady(folder)) {
    if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      server.on("exit", () => {
        rmSync(folder, { recursive: true, force: true })
        resolve()
      })
      server.kill("SIGINT")
    })
  return { url: `postgres://tester@localhost/postgres?host=${folder}`, stop }
}

/** The address of a new server; it ends with the scope. */
export const makePostgres = Effect.map(
  Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop)),
  ({ url }) => url
)
