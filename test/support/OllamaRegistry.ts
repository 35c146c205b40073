/**
 * A server that says what a real Ollama said while it got a model of two parts, or how that failed.
 */
import * as Effect from "effect/Effect"
import type { ServerResponse } from "node:http"
import { serve } from "./WebServer.ts"

/** What Ollama 0.33 wrote while it got a model of two parts. */
const [layer, config] = ["sha256:a3de86cd1c13", "sha256:05a61d37b084"]
const part = (digest: string, total: number, completed?: number) => ({
  status: `pulling ${digest.slice(7)}`,
  digest,
  total,
  ...(completed === undefined ? {} : { completed })
})
const begun = [{ status: "pulling manifest" }, part(layer, 1000), part(layer, 1000, 250), part(layer, 1000, 300)]
const rest = [
  { status: "pulling manifest" },
  part(layer, 1000, 300),
  part(layer, 1000, 1000),
  part(config, 500, 500),
  { status: "verifying sha256 digest" },
  { status: "writing manifest" },
  { status: "success" }
]

const write = (response: ServerResponse, lines: ReadonlyArray<object>) =>
  response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))

/** A server that answers each request for a model by the next of these; the last one holds. */
export const registry = Effect.fnUntraced(function* (answers: ReadonlyArray<(response: ServerResponse) => void>) {
  const asked: Array<unknown> = []
  const port = yield* serve((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      asked.push({ path: request.url, ...JSON.parse(Buffer.concat(chunks).toString()) })
      answers[Math.min(asked.length, answers.length) - 1]?.(response)
    })
  })
  return { url: `http://127.0.0.1:${port}`, asked }
})

export const whole = (response: ServerResponse) => (write(response, rest), response.end())
export const breaking = (response: ServerResponse) => (write(response, begun), setTimeout(() => response.destroy(), 20))
export const failing = (error: string) => (response: ServerResponse) => (
  write(response, [{ status: "pulling manifest" }, { error }]),
  response.end()
)

export const begunAndFailed = (response: ServerResponse) => (
  write(response, [...begun, { error: "max retries exceeded: unexpected EOF" }]),
  response.end()
)
