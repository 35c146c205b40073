/**
 * What a program of a user prints of an error of the built library that nobody catches: a line of code, not a whole bundle,
 * and with source maps the place in the sources.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "task-conductor-maps-"))
afterAll(() => rmSync(folder, { recursive: true }))

const bundles = ["check", "cli", "library"].map((name) => join(root, "dist", name))
const script = join(folder, "script.mjs")
const library = pathToFileURL(join(root, "dist/library/index.js")).href
writeFileSync(
  script,
  `import { checkInProject } from ${JSON.stringify(library)}\nawait checkInProject("## Tasks", { projekt: "." })\n`
)

const failing = (...flags: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [...flags, script], { encoding: "utf8" })

describe("an error that nobody catches", () => {
  it("is printed with one line of code", () => {
    const { status, stderr } = failing()
    assert.strictEqual(status, 1)
    assert.include(stderr, "projekt")
    assert.isAtMost(Math.max(...stderr.split("\n").map((line) => line.length)), 400, stderr)
  })

  it("names its place in the sources where source maps are read", () => {
    assert.match(failing("--enable-source-maps").stderr, /src\/library\/\w+\.ts:\d+:\d+/)
  })
})

it("the source maps are beside every bundle, with the paths of our sources and without their text", () => {
  for (const bundle of bundles) {
    const files = readdirSync(bundle, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"))
    const sources = new Set<string>()
    for (const name of files) {
      const code = readFileSync(join(bundle, name), "utf8")
      const [, link] = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(code) ?? []
      /* A part that holds nothing of ours has no map. */
      if (link === undefined) continue
      const path = join(bundle, dirname(name), link)
      const map = JSON.parse(readFileSync(path, "utf8"))
      assert.isUndefined(map.sourcesContent, path)
      for (const source of map.sources as ReadonlyArray<string>) sources.add(resolve(dirname(path), source))
    }
    const lost = [...sources].filter((source) => !source.startsWith(join(root, "src/")) || !existsSync(source))
    assert.deepStrictEqual(lost, [])
    assert.isAbove(sources.size, 50)
  }
})
