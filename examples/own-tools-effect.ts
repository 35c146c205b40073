/** The same with Effect: the tools use a service of the program. `node examples/own-tools-effect.ts` */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Approvals, Conductor, tool, Tools } from "task-conductor/effect"

type Search = (text: string) => Effect.Effect<string>
class Files extends Context.Service<Files, { readonly grep: Search; readonly read: Search }>()("Files") {}
const files = Layer.succeed(Files)({
  grep: (text) => Effect.sync(() => execFileSync("git", ["grep", "-n", text], { encoding: "utf8" }).slice(0, 4000)),
  read: (text) => Effect.sync(() => readFileSync(text, "utf8").slice(0, 8000))
})
const shared = { parameters: Schema.Struct({ text: Schema.String }), effect: "pure" } as const
const tools = Effect.map(Files, ({ grep, read }) => ({
  grep: tool({ ...shared, description: "Finds a word.", risk: "safe", execute: ({ text }) => grep(text) }),
  read: tool({ ...shared, description: "Reads a path.", risk: "medium", execute: ({ text }) => read(text) })
}))
const approvals = Approvals.functions({ approve: ({ items }) => items.every(({ tool }) => tool === "read") })
const answer = Conductor.use(({ ask }) => ask(process.argv[2] ?? "Where are the limits of a run defined?")).pipe(
  Effect.flatMap(({ report }) => report),
  Effect.scoped,
  Effect.provide(Conductor.layer().pipe(Layer.provide([Tools.layer(tools), approvals]), Layer.provide(files)))
)
console.log((await Effect.runPromise(answer)).answer)
