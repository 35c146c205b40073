import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { open } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { makeSandbox } from "../../support/binary.ts"

/** A model server that takes requests and never answers them. */
const silent: Server = createServer((request) => void request.resume())
const sandbox = makeSandbox()
let host = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
  host = `127.0.0.1:${(silent.address() as AddressInfo).port}`
})
afterAll(() => {
  silent.closeAllConnections()
  silent.close()
  sandbox.remove()
})

const waitingRun = async () => {
  const running = sandbox.start(["run", "--json", "--model", "qwen3", "hi"], { env: { OLLAMA_HOST: host } })
  await running.says("model.started")
  return running
}

const lastLine = (stdout: string) =>
  JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as {
    type: string
    exit_code: number
    report: { status: string }
  }

for (const [signal, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 143]
] as const) {
  it(`ends the run and the stream on ${signal} with ${exitCode}`, async () => {
    const running = await waitingRun()
    running.child.kill(signal)
    const { code, stderr, stdout } = await running.ended
    const last = lastLine(stdout)
    assert.deepStrictEqual(
      [code, stderr, last.type, last.exit_code, last.report.status],
      [exitCode, "", "run.finished", exitCode, "interrupted"]
    )
  })
}

it("says how to resume a run that was stopped", async () => {
  const running = sandbox.start(["run", "--model", "qwen3", "hi"], { env: { OLLAMA_HOST: host } })
  await running.says("with qwen3")
  running.child.kill("SIGINT")
  const { code, stderr } = await running.ended
  const [, runId = ""] = /^run (\S+) with/m.exec(stderr) ?? []
  assert.strictEqual(code, 130)
  assert.isTrue(stderr.endsWith(`Resume it: task-conductor resume ${runId}\n`), stderr)
})

it("takes the same signal twice at once, as npx sends it, for one", async () => {
  const running = await waitingRun()
  running.child.kill("SIGINT")
  running.child.kill("SIGINT")
  const { code, stdout } = await running.ended
  assert.deepStrictEqual([code, lastLine(stdout).type], [130, "run.finished"])
})

it("ends on a further signal while it reads a pipe that nobody writes to", async () => {
  const pipe = `${sandbox.root}/project/pipe`
  execFileSync("mkfifo", [pipe])
  const writer = await open(pipe, "r+")
  const running = sandbox.start(["check", "/dev/stdin"], { under: ["sh", "-c", 'exec "$@" 0<"$0"', pipe] })
  const signals = setInterval(() => running.child.kill("SIGTERM"), 50)
  const { code } = await running.ended
  clearInterval(signals)
  await writer.close()
  assert.strictEqual(code, "SIGTERM")
})
