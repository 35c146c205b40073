import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Approvals, Conductor, tool, Tools } from "task-conductor/effect"
import { isAllowed, print, prompt, readPath, search } from "./job.ts"

type Find = (text: string) => Effect.Effect<string>
class Files extends Context.Service<Files, { readonly grep: Find; readonly read: Find }>()("Files") {}
const files = Layer.succeed(Files)({
  grep: (word) => Effect.promise(() => search(word)),
  read: (path) => Effect.promise(() => readPath(path))
})
const word = { parameters: Schema.Struct({ word: Schema.String }), effect: "pure" } as const
const path = { parameters: Schema.Struct({ path: Schema.String }), effect: "pure" } as const
const tools = Effect.map(Files, ({ grep, read }) => ({
  grep: tool({ ...word, description: "Lists files with a word.", risk: "safe", execute: ({ word }) => grep(word) }),
  read: tool({ ...path, description: "Reads a file.", risk: "medium", execute: ({ path }) => read(path) })
}))
const parts = Layer.merge(Tools.layer(tools), Approvals.functions({ approve: () => isAllowed }))
const conductor = Conductor.layer({ model: "openai:bench" }).pipe(Layer.provide(parts), Layer.provide(files))
const outputSchema = Schema.Struct({ file: Schema.String, rounds: Schema.Int })
const asked = Conductor.use(({ ask }) => ask({ prompt, outputSchema }))
const report = Effect.scoped(Effect.flatMap(asked, (started) => started.report))
print(await Effect.runPromise(Effect.provide(report, conductor)))
