/** A server that speaks no API that task-conductor knows, and a project for it. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import { makeSandbox } from "./binary.ts"
import { inProcess } from "./inProcess.ts"
import { noonAnswer, testSkills } from "./TestRun.ts"
import { stageName } from "./stageName.ts"

/** Does the work of one task. */
export const answerTo = (body: string): string => {
  const prompt = body.replaceAll("\\n", "\n")
  return noonAnswer(stageName({ system: prompt, user: prompt }))
}

export interface Asked {
  readonly url: string
  readonly keys: ReadonlyArray<string | undefined>
}

/** A server that speaks nothing but text: the prompt is the body of a request, the answer that of the response. */
export const textServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const keys: Array<string | undefined> = []
    const server = createServer((request, response) => {
      keys.push(request.headers.authorization)
      let text = ""
      request.on("data", (piece) => (text += piece))
      request.on("end", () => response.end(answerTo(text)))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const asked: Asked = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys }
    return { asked, server }
  }),
  ({ server }) =>
    Effect.promise(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    })
).pipe(Effect.map(({ asked }) => asked))

export const sandbox = Effect.acquireRelease(
  Effect.sync(() => {
    const made = inProcess(makeSandbox())
    for (const [path, text] of Object.entries(testSkills)) made.write(`project/${path}`, text)
    return made
  }),
  ({ remove }) => Effect.sync(remove)
)

export const order = ["--model", "acme:small", "What time is it?"]
