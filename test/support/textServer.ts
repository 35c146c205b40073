/** A server that speaks no API that task-conductor knows, and a project for it. */
import * as Effect from "effect/Effect"
import { noonAnswer } from "./TestRun.ts"
import { stageName } from "./stageName.ts"
import { serve } from "./WebServer.ts"

export { sandbox } from "./OneModelServer.ts"

/** A server that speaks nothing but text: the prompt is the body of a request, the answer that of the response. */
export const textServer = Effect.gen(function* () {
  const keys: Array<string | undefined> = []
  const port = yield* serve((request, response) => {
    keys.push(request.headers.authorization)
    let text = ""
    request.on("data", (piece) => (text += piece))
    request.on("end", () => {
      const prompt = text.replaceAll("\\n", "\n")
      response.end(noonAnswer(stageName({ system: prompt, user: prompt })))
    })
  })
  return { url: `http://127.0.0.1:${port}`, keys }
})

export const order = ["--model", "acme:small", "What time is it?"]
