/** The built library of this project, with its prompts, checks and gate. Has a journal unless that is switched off. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { measured } from "../measured.ts"
import { model, type Order, skillName, toolName, toolOutput } from "../Workload.ts"

const built = (name: string): string => fileURLToPath(new URL(`../../../dist/library/${name}.js`, import.meta.url))

const folder = mkdtempSync(join(tmpdir(), "task-conductor-peers-"))
for (const [name, path] of Object.entries({ CONFIG: "config", STATE: "state", CACHE: "cache" }))
  process.env[`XDG_${name}_HOME`] = join(folder, path)
const project = join(folder, "project")
const skill = join(project, ".task-conductor/skills", skillName)
mkdirSync(skill, { recursive: true })
writeFileSync(join(project, "README.md"), "# Items\n")
writeFileSync(
  join(skill, "SKILL.md"),
  `---\nname: ${skillName}\ndescription: Looks at one item.\nallowed-tools: ${toolName}\n---\n\n## How to work\n\nCall \`${toolName}\` once.\n\n## How to report\n\nSay what matters.\n`
)

const { run }: typeof import("../../../src/index.ts") = await import(built("index"))
const kit: typeof import("../../../src/plugin-kit.ts") = await import(built("plugin-kit"))
const Effect = await import("effect/Effect")
const Schema = await import("effect/Schema")

const plugin = kit.definePlugin({
  name: "bench",
  tools: Effect.succeed({
    [toolName]: kit.tool({
      description: "Reads an item.",
      parameters: Schema.Struct({}),
      risk: "safe",
      effect: "pure",
      example: {},
      execute: () => Effect.succeed(toolOutput)
    })
  })
})

await measured(async ({ slots, url }: Order) => {
  const { message, results, status } = await run({
    prompt: "Look at all items.",
    project,
    model,
    host: url,
    parallel: slots === 0 ? 64 : slots,
    contextWindow: 262_144,
    keep: !process.argv.includes("--no-journal"),
    plugins: [plugin]
  }).report
  rmSync(folder, { recursive: true, force: true })
  if (status !== "done") throw new Error(`${status}: ${message}`)
  return results.map((result) => JSON.stringify(result))
})
