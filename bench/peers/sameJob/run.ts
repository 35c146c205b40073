/**
 * Does the same job with each peer, in four cases, and prints tables: lines of the program, installed size, and what became of it.
 *
 *   node bench/peers/sameJob/run.ts [FOLDER]
 *
 * FOLDER has the packages of bench/peers/package.json and the packed program installed; the programs are copied there. Needs `npm run build`.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { startJobServer } from "./server.ts"

const [folder = "."] = process.argv.slice(2)
const work = join(folder, "sameJob")
rmSync(work, { recursive: true, force: true })
mkdirSync(work, { recursive: true })
cpSync(import.meta.dirname, work, { recursive: true })

const peers = ["ours", "oursEffect", "frameworks/aiSdk", "frameworks/langGraph", "frameworks/mastra"]

/** Lines without blank ones and comments. */
const linesOf = (name: string): number =>
  readFileSync(join(work, `${name}.ts`), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*(?:\/\/|\/\*|\*)/.test(line)).length

const start = (name: string, url: string, kind: string): Promise<string> =>
  new Promise((resolve) => {
    const env = { ...process.env, XDG_STATE_HOME: join(work, "state"), XDG_CONFIG_HOME: join(work, "config") }
    execFile(
      process.execPath,
      [join(work, `${name}.ts`), url, kind],
      { cwd: work, env, timeout: 240_000, maxBuffer: 10_000_000 },
      (error, stdout, stderr) => {
        const wrong = /^\s*(\w*Error\b.*)$/m.exec(stderr)?.[1] ?? stderr.trim().split("\n").at(-1) ?? ""
        resolve(
          error === null
            ? stdout.trim()
            : `${stdout.trim()} ends with ${error.code ?? "a signal"}: ${wrong.slice(0, 300)}`
        )
      }
    )
  })

for (const name of peers) console.log(`${name}: ${linesOf(name)} lines`)
for (const kind of ["plain", "malformed", "large", "denied"]) {
  for (const name of peers) {
    const { close, seen, url } = await startJobServer(kind)
    const before = performance.now()
    const said = await start(name, url, kind)
    const seconds = ((performance.now() - before) / 1000).toFixed(1)
    console.log(
      `${kind} · ${name} · ${seen.calls} calls, largest prompt ${seen.largest} characters, ${seconds} s · ${said}`
    )
    close()
  }
}
