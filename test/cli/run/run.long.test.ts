/** The command line whose output cannot be written, or whose server does not answer. */
import { assert, it } from "@effect/vitest"
import { closeSync, existsSync, openSync } from "node:fs"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { unlessMissing } from "../../support/needs.ts"

const sandbox = fileSandbox()
const question = ["--model", "embedded", "--allow", "read_file", "Where is the port of the server defined?"]

const needsFullDevice = unlessMissing(existsSync("/dev/full") ? undefined : "There is no /dev/full on this system.")

sandbox.write("project/README.md", "# Weather\n\nA small weather server.\n")
sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")

const lost = "could not be written to stdout (ENOSPC)."
it("fails when something cannot be written, with advice where a run is saved", needsFullDevice, async () => {
  for (const [words, said] of [
    [["run", ...question], `The result ${lost} The run is saved: "task-conductor show last" prints its answer.`],
    [["tools", "list"], `The result ${lost}`],
    [["--version"], `The version ${lost}`]
  ] as const) {
    const full = openSync("/dev/full", "w")
    const { code, stderr } = await sandbox.start(words, { stdout: full }).ended
    closeSync(full)
    assert.deepStrictEqual([code, stderr.trimEnd().split("\n").at(-1)], [1, said])
  }
})

it("ends with 5 when no server answers, also in the stream", async () => {
  const { code, stderr, stdout } = await sandbox.start(["run", "--model", "qwen3", "--json", "hi"]).ended
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")
  assert.deepStrictEqual([code, stderr, last.exit_code, last.report.status], [5, "", 5, "unavailable"])
  assert.include(last.report.message, "No model server answers at http://127.0.0.1:1 ")
})

it("keeps its exit code when the reader of its output goes away", async () => {
  const running = sandbox.start(["run", "--json", ...question])
  await running.says("run.started")
  running.child.stdout?.destroy()
  running.child.stderr?.destroy()
  assert.strictEqual((await running.ended).code, 0)
})
