import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

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

describe("the launcher", () => {
  it("starts the bundle that starts faster where no plugin can be named", () => {
    expect(bundleFor("run", "Fix it")).toBe("cli")
    expect(bundleFor("run", "Fix the plugin")).toBe("library")
  })

  it("takes a prompt that is too long for the name of a file for no folder with settings", () => {
    expect(bundleFor("run", "Fix it. ".repeat(100))).toBe("cli")
  })
})
