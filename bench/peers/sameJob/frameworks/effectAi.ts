import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai-compat"
// oxlint-disable-next-line no-restricted-imports -- as its pages import it
import { Effect, Layer, Schema } from "effect"
import { Chat, Prompt, Tool, Toolkit } from "effect/unstable/ai"
import { FetchHttpClient } from "effect/unstable/http"
import { isAllowed, print, prompt, readPath, search, url } from "../job.ts"

const grep = Tool.make("grep", {
  description: "Lists the files that hold a word.",
  parameters: Schema.Struct({ word: Schema.String }),
  success: Schema.String
})
const read = Tool.make("read", {
  description: "Reads a file.",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  needsApproval: true
})
const toolkit = Toolkit.make(grep, read)
const handlers = toolkit.toLayer({
  grep: ({ word }) => Effect.promise(() => search(word)),
  read: ({ path }) => Effect.promise(() => readPath(path))
})
const schema = Schema.Struct({ file: Schema.String, rounds: Schema.Int })
const job = Effect.gen(function* () {
  const chat = yield* Chat.fromPrompt(prompt)
  for (let turn = 0; turn < 10; turn++) {
    const { content, toolCalls } = yield* chat.generateText({ prompt: [], toolkit })
    if (toolCalls.length === 0)
      return (yield* chat.generateObject({ prompt: "Give the answer.", schema, toolkit })).value
    const requests = content.filter((part) => part.type === "tool-approval-request")
    const answers = requests.map(({ approvalId }) =>
      Prompt.toolApprovalResponsePart({ approvalId, approved: isAllowed })
    )
    if (answers.length > 0) yield* chat.generateText({ prompt: [{ role: "tool", content: answers }], toolkit })
  }
})
const client = Layer.provide(OpenAiClient.layer({ apiUrl: url }), FetchHttpClient.layer)
const model = Layer.provide(OpenAiLanguageModel.layer({ model: "bench" }), client)
print({ status: "ended", value: await Effect.runPromise(Effect.provide(job, [handlers, model])) })
