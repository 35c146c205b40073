import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { check } from "../src/index.ts"
import { examplesIn } from "./support/declarationDocs.ts"
import { linksOf } from "./support/pageLinks.ts"

const root = new URL("../", import.meta.url)
const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/**/*.md", { cwd: fileURLToPath(root) })]

it("shows a plan that is accepted", () => {
  const plan = /```markdown plan\.md\n(.*?)```/s.exec(readFileSync(new URL("docs/guide/plans.md", root), "utf8"))?.[1]
  assert.strictEqual(check(plan ?? "").verdict, "accepted")
})

it("shows scripts that compile, also in the texts of what is exported", () => {
  const source = fileURLToPath(root)
  const folder = mkdtempSync(join(tmpdir(), "task-conductor-documentation-"))
  symlinkSync(join(source, "node_modules"), join(folder, "node_modules"))
  const scripts = [
    "README.md",
    "docs/guide/scripts-and-ci.md",
    "docs/reference/runs.md",
    "docs/reference/reports.md",
    "docs/reference/models.md",
    "docs/reference/ask.md",
    "docs/reference/several-machines.md",
    "docs/reference/plugins.md",
    "docs/reference/programs.md"
  ].flatMap((page) =>
    Array.from(readFileSync(new URL(page, root), "utf8").matchAll(/```ts\n(.*?)```/gs), ([, text = ""]) => text)
  )
  const declarations = ["dist/types", "src/plugins/cluster/dist/types/plugins/cluster"].flatMap((types) =>
    globSync(`${types}/**/*.d.ts`, { cwd: source }).map((file) => join(source, file))
  )
  const examples = declarations.flatMap(examplesIn)
  for (const [index, text] of [...scripts, ...examples].entries())
    writeFileSync(join(folder, `script-${index}.ts`), text)
  const { compilerOptions } = JSON.parse(readFileSync(new URL("tsconfig.json", root), "utf8")) as {
    readonly compilerOptions: object
  }
  const from = (module: string) => [join(source, "dist/types", module)]
  const paths = {
    "task-conductor": from("index.d.ts"),
    "task-conductor/kit/*": from("kit/*.d.ts"),
    "task-conductor/check": from("check.d.ts"),
    "task-conductor-cluster": [join(source, "src/plugins/cluster/dist/types/plugins/cluster/scripts.d.ts")],
    "task-conductor/effect": from("effect.d.ts"),
    "task-conductor/plugin": from("plugin-kit.d.ts")
  }
  const options = {
    ...compilerOptions,
    rootDir: "/",
    paths,
    plugins: [],
    noUnusedLocals: false,
    typeRoots: ["node_modules/@types"]
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }))
  const { stdout } = spawnSync(join(source, "node_modules/.bin/tsc"), [], { cwd: folder, encoding: "utf8" })
  rmSync(folder, { recursive: true, force: true })
  assert.isAtLeast(scripts.length, 4)
  assert.isAtLeast(examples.length, 19)
  assert.strictEqual(stdout, "")
})

it("starts the program by npx in a clone alone: the name is not on the registry yet", () => {
  const examples = globSync("examples/**/*.{md,sh,yml}", { cwd: fileURLToPath(root), exclude: ["**/node_modules"] })
  const elsewhere = [...pages, ...examples].filter(
    (page) => page !== "README.md" && readFileSync(new URL(page, root), "utf8").includes("npx task-conductor")
  )
  assert.deepStrictEqual(elsewhere, [])
})

it("links to files that exist", () => {
  const broken = pages.flatMap((page) =>
    linksOf(readFileSync(new URL(page, root), "utf8"))
      .filter((target) => !existsSync(new URL(target, new URL(page, root))))
      .map((target) => `${page} -> ${target}`)
  )
  assert.deepStrictEqual(broken, [])
})

it("names tests and sources that exist", () => {
  const lost = pages.flatMap((page) =>
    Array.from(readFileSync(new URL(page, root), "utf8").matchAll(/\(`((?:src|test|scripts)\/[^`*\s]+)`\)/g))
      .filter(([, path = ""]) => !existsSync(new URL(path, root)))
      .map(([, path]) => `${page}: ${path}`)
  )
  assert.deepStrictEqual(lost, [])
})
