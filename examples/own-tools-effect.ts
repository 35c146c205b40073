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
const word = { parameters: Schema.Struct({ word: Schema.String }), effect: "pure" } as const
const path = { parameters: Schema.Struct({ path: Schema.String }), effect: "pure" } as const
const tools = Effect.map(Files, ({ grep, read }) => ({
  grep: tool({ ...word, description: "Finds a word.", risk: "safe", execute: ({ word }) => grep(word) }),
  read: tool({ ...path, description: "Reads a file.", risk: "medium", execute: ({ path }) => read(path) })
}))
const approvals = Approvals.functions({ approve: ({ items }) => items.every(({ tool }) => tool === "read") })
const conductor = Conductor.layer().pipe(Layer.provide([Tools.layer(tools), approvals]), Layer.provide(files))
const asked = Conductor.use(({ ask }) => ask(process.argv[2] ?? "Where are the limits of a run defined?"))
const report = Effect.scoped(Effect.flatMap(asked, (started) => started.report))
console.log((await Effect.runPromise(Effect.provide(report, conductor))).answer)
