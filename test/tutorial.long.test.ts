/**
 * The tutorial of the guide (docs/guide/first-change.md) with its project and its scripted models: it goes as the page says.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { makeSandbox } from "./support/binary.ts"
import { inProcess } from "./support/inProcess.ts"
import { needs } from "./support/needs.ts"

const tutorial = join(import.meta.dirname, "../examples/tutorial")
const page = readFileSync(join(import.meta.dirname, "../docs/guide/first-change.md"), "utf8")

describe("the tutorial", needs("bwrap"), () => {
  const sandbox = inProcess(makeSandbox())
  let server: ChildProcess
  let host = ""
  beforeAll(async () => {
    server = spawn(process.execPath, [join(tutorial, "model.js")], { env: { ...process.env, PORT: "0" } })
    host = await new Promise((resolve) =>
      server.stdout?.once("data", (line: Buffer) => resolve(String(line).trim().replace("OLLAMA_HOST=", "")))
    )
  })
  afterAll(() => {
    server.kill()
    sandbox.remove()
  })

  const fix = (model: string) => {
    cpSync(join(tutorial, "project"), join(sandbox.root, "project"), { recursive: true })
    const words = ["run", "--plain", "--model", model, "--allow", "edit_file:src/**", "--allow", "read_file"]
    return sandbox.run([...words, "--check", "npm test", "The test of the discount fails. Fix src/price.js."], {
      env: { OLLAMA_HOST: host }
    })
  }

  it("shows a check that fails, and a model that corrects its change", async () => {
    const { code, stderr, stdout } = await fix("hasty")
    assert.strictEqual(code, 0, stderr)
    for (const line of ["the task asks for it to pass: takes 10 percent off", "passed npm test: 2 passed"]) {
      assert.include(stderr, line)
    }
    assert.include(page, "passed npm test: 2 passed")
    assert.include(stdout, "divides the percentage by 100 now")
    assert.include(readFileSync(join(sandbox.root, "project/src/price.js"), "utf8"), "(cents * percent) / 100")
  })

  it("shows a model that is given up", async () => {
    const { code, stderr } = await fix("lost")
    assert.strictEqual(code, 3)
    assert.include(stderr, "3 answers in a row were of no use")
    assert.include(page, "3 answers in a row were of no use")
  })
})
