import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** The bundle that the launcher of a built tree starts with these words. */
const bundleFor = (...words: ReadonlyArray<string>): string => {
  const tree = mkdtempSync(join(tmpdir(), "launcher-"))
  try {
    cpSync(fileURLToPath(new URL("../bin", import.meta.url)), join(tree, "bin"), { recursive: true })
    for (const bundle of ["cli", "library"]) {
      mkdirSync(join(tree, "dist", bundle), { recursive: true })
      writeFileSync(join(tree, "dist", bundle, "main.js"), `console.log("${bundle}")`)
    }
    writeFileSync(join(tree, "package.json"), '{ "type": "module" }')
    const { stdout } = spawnSync(process.execPath, [join(tree, "bin/task-conductor.cjs"), ...words], {
      cwd: tree,
      encoding: "utf8",
      env: { ...process.env, HOME: tree, XDG_CONFIG_HOME: tree }
    })
    return stdout.trim()
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

describe("the library on a Node that is too old", () => {
  it.each(["index", "effect", "plugin-kit", "testing"])("says so when %s is imported", (entry) => {
    const library = pathToFileURL(fileURLToPath(new URL(`../dist/library/${entry}.js`, import.meta.url))).href
    const older = "data:text/javascript,delete Map.groupBy"
    const args = ["--import", older, "--input-type=module", "-e", `import ${JSON.stringify(library)}`]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
    expect(status).toBe(1)
    expect(stderr).toContain("task-conductor needs Node 22.19 or newer, this is Node")
  })
})

describe("the launcher", () => {
  it("starts the bundle that starts faster where no plugin can be named", () => {
    expect(bundleFor("run", "Fix it")).toBe("cli")
    expect(bundleFor("run", "Fix the plugin")).toBe("library")
  })

  it("takes a prompt that is too long for the name of a file for no folder with settings", () => {
    expect(bundleFor("run", "Fix it. ".repeat(100))).toBe("cli")
  })
})
