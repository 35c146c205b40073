import { assert, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const here = resolve(import.meta.dirname, "../../..")

it.skipIf(process.platform === "win32")("the folder of this package is found without a look at the current one", () => {
  const folder = mkdtempSync(join(tmpdir(), "task-conductor-elsewhere-"))
  /* Whoever opens a pipe that nobody writes to waits for ever. */
  execFileSync("mkfifo", [join(folder, "package.json")])
  const script = join(folder, "script.mjs")
  const module = join(here, "src/services/files/PackageFolder.ts")
  writeFileSync(script, `console.log((await import(${JSON.stringify(module)})).packageRoot)`)
  const found = spawnSync(process.execPath, ["--input-type=module", "-"], {
    cwd: folder,
    input: `import(${JSON.stringify(script)})`,
    encoding: "utf8",
    timeout: 20_000,
    killSignal: "SIGKILL"
  })
  rmSync(folder, { recursive: true })
  assert.deepStrictEqual([found.stdout, found.stderr], [`${here}\n`, ""])
})
