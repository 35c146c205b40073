/**
 * The program without each of its features: built from a list that lacks the line of one, it does the main job.
 */
import { afterAll, assert, it } from "@effect/vitest"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { bundle } from "../rolldown.config.ts"
import { demoLine, makeSandbox } from "./support/binary.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const list = join(root, "src/app/features.ts")
const text = readFileSync(list, "utf8")

/** Each feature by its folder, with the name that the list has for it. */
const features = [
  ...text.matchAll(/^import \{ (\w+) \} from "(?:\.\.\/plugins\/([\w-]+)\/index|\.\/(\w+)Package)\.ts"$/gm)
].map(([line, name = "", folder, packaged = ""]) => ({ folder: folder ?? packaged, name, line }))

/** Words that only the help of a program with the feature has. */
const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
  "check-tools": ["check", "explain", "refine", "execute", "iterate"],
  report: ["report"],
  replay: ["replay"],
  mcp: ["mcp"],
  acp: ["acp"],
  cluster: ["worker", "attach", "cancel"]
}

const folderOf = (folder: string) => join(root, "dist", `without-${folder}`)
const sandbox = makeSandbox()
afterAll(() => {
  sandbox.remove()
  for (const { folder } of features) rmSync(folderOf(folder), { recursive: true, force: true })
})

/** Builds the program without a feature; returns the modules of the feature that are in it all the same. */
const buildWithout = async ({ folder, line, name }: (typeof features)[number]) => {
  const base = bundle(`without-${folder}`, { main: "src/main.ts" }, [/^effect(?:\/|$)/])
  const without = {
    name: "without-feature",
    load: (id: string) =>
      id === list ? text.replace(`${line}\n`, "").replace(new RegExp(`^  ${name},?\\n`, "m"), "") : undefined
  }
  const { output } = await build({ ...base, plugins: [without] })
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []))
  return modules.filter((id) => id.startsWith(join(root, "src/plugins", folder, "/")))
}

it("names every folder of features", () => {
  assert.strictEqual(features.length, 11)
  for (const { name } of features) assert.match(text, new RegExp(`^  ${name},?$`, "m"))
})

it.each(features)("leaves $folder out of the program", async (feature) => {
  const { folder } = feature
  assert.deepStrictEqual(await buildWithout(feature), [])
  const module = join(folderOf(folder), "main.js")
  const help = await sandbox.run(["--help"], { module })
  assert.strictEqual(help.code, 0)
  for (const command of commands[folder] ?? []) assert.notMatch(help.stdout, new RegExp(`^  ${command} `, "m"))
  sandbox.write("project/limits.md", "The limit of a run is 40 calls.\n")
  const run = await sandbox.run(["run", "--allow", "read_file", "Where is the limit of a run?"], { module })
  if (folder === "tools") {
    /* The demo has nothing to search with. */
    assert.notInclude(run.stdout, "40 calls")
    assert.notInclude(run.stderr, "bug")
    return
  }
  assert.strictEqual(run.code, 0, run.stderr)
  assert.include(run.stdout, "40 calls")
  assert.include(run.stderr, demoLine)
})
