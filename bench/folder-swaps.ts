/**
 * Writes and reads files through a folder while another process replaces the folder by a link to another place, again
 * and again. Nothing may be written or read at that place. For comparison, the same rounds with code that first checks
 * a path and then uses it: this code sometimes loses the race. Linux only.
 *
 *   node bench/folder-swaps.ts [ROUNDS]
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { realpath, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { replaceFile } from "../src/services/files/AtomicWrite.ts"
import { readTextFile } from "../src/services/files/TextFile.ts"
import { swapping } from "../test/support/FolderSwaps.ts"

const rounds = Number(process.argv[2] ?? "10000")
const folder = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-swaps-")))
const [root, outside] = [join(folder, "project"), join(folder, "outside")]
mkdirSync(join(root, "src"), { recursive: true })
mkdirSync(outside)
const reset = (): void => writeFileSync(join(outside, "a.txt"), "outside")
writeFileSync(join(root, "src/a.txt"), "inside")
reset()

const file = join(root, "src/a.txt")
const isTouched = (): boolean => readFileSync(join(outside, "a.txt"), "utf8") !== "outside"

/** For comparison: resolves the folder, checks that it is inside, and writes to the checked path. */
const naive = Effect.promise(async () => {
  try {
    const real = await realpath(join(root, "src"))
    if (!real.startsWith(`${root}/`)) return false
    await writeFile(file, "written")
    return true
  } catch {
    /** For a short time, the folder is missing. */
    return false
  }
})

const count = Effect.fnUntraced(function* (
  what: string,
  round: Effect.Effect<boolean, never, NodeServices.NodeServices>
) {
  let [done, breaches] = [0, 0]
  for (let index = 0; index < rounds; index += 1) {
    if (yield* round) done += 1
    if (!isTouched()) continue
    breaches += 1
    reset()
  }
  console.log(`| ${what} | ${rounds} | ${done} | ${breaches} |`)
  return breaches
})

let outsideRead = 0
const write = Effect.map(Effect.exit(replaceFile(file, "written")), ({ _tag }) => _tag === "Success")
const read = Effect.map(Effect.exit(readTextFile(file, 1000)), (exit) => {
  if (exit._tag === "Success" && exit.value === "outside") outsideRead += 1
  return exit._tag === "Success"
})

const bench = Effect.gen(function* () {
  yield* swapping(root, outside)
  console.log(`${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}\n`)
  console.log("| | rounds | succeeded | written outside |\n|---|---:|---:|---:|")
  yield* count("a path that is checked, then written", naive)
  const breaches = (yield* count("writing as tools do", write)) + (yield* count("reading as tools do", read))
  console.log(`\nread outside: ${outsideRead}`)
  if (breaches + outsideRead > 0) process.exitCode = 1
})

await Effect.runPromise(bench.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
rmSync(folder, { recursive: true })
