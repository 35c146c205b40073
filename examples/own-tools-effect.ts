/** The same with Effect: the tools use a service of the program. `node examples/own-tools-effect.ts` */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Approvals, Conductor, tool, Tools } from "../src/effect.ts"

class Files extends Context.Service<Files, { grep: (word: string) => string; read: (path: string) => string }>()(
  "Files"
) {}
const files = Layer.succeed(Files)({
  grep: (word) => execFileSync("git", ["grep", "-n", "-e", word], { encoding: "utf8" }).slice(0, 4000),
  read: (path) => readFileSync(path, "utf8").slice(0, 8000)
})
const tools = Effect.map(Files, ({ grep, read }) => ({
  grep: tool({
    description: "Lists the lines of the project that hold a word.",
    parameters: Schema.Struct({ word: Schema.String }),
    risk: "safe",
    effect: "pure",
    execute: ({ word }) => Effect.sync(() => grep(word))
  }),
  read: tool({
    description: "Reads a file of the project.",
    parameters: Schema.Struct({ path: Schema.String }),
    risk: "medium",
    effect: "pure",
    execute: ({ path }) => Effect.sync(() => read(path))
  })
}))
const approvals = Approvals.functions({ approve: ({ items }) => items.every(({ tool }) => tool === "read") })
const answer = Conductor.use(({ ask }) => ask(process.argv[2] ?? "Where are the limits of a run defined?")).pipe(
  Effect.flatMap(({ report }) => report),
  Effect.scoped,
  Effect.provide(Conductor.layer().pipe(Layer.provide([Tools.layer(tools), approvals]), Layer.provide(files)))
)
console.log((await Effect.runPromise(answer)).answer)
