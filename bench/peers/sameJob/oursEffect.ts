import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Approvals, Conductor, tool, Tools } from "task-conductor/effect"
import { isAllowed, model, print, prompt, readPath, search, url } from "./job.ts"

const effect = "pure"
const [word, path] = [Schema.Struct({ word: Schema.String }), Schema.Struct({ path: Schema.String })]
const grep = tool({
  description: "Lists the files that hold a word.",
  parameters: word,
  risk: "safe",
  effect,
  execute: (given) => Effect.promise(() => search(given.word))
})
const read = tool({
  description: "Reads a file.",
  parameters: path,
  risk: "medium",
  effect,
  execute: (given) => Effect.promise(() => readPath(given.path))
})
const parts = Layer.merge(Tools.layer({ grep, read }), Approvals.functions({ approve: () => isAllowed }))
const settings = { model, host: url, configuration: false, toolCalls: "native", contextWindow: 8192 } as const
const outputSchema = Schema.Struct({ file: Schema.String, rounds: Schema.Int })
const answer = Conductor.use(({ ask }) => ask({ prompt, outputSchema })).pipe(
  Effect.flatMap(({ report }) => report),
  Effect.scoped,
  Effect.provide(Conductor.layer(settings).pipe(Layer.provide(parts)))
)
const { message, status, value } = await Effect.runPromise(answer)
print({ status, value, message })
