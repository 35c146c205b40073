import { afterAll, afterEach, assert, describe, it } from "@effect/vitest"
import { rmSync } from "node:fs"
import { projectMarkers } from "../../../src/plugins/check-tools/check.ts"
import { makeSandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"
import { wordsModule } from "../../support/PluginFiles.ts"
import { planOf } from "../../support/TestRun.ts"

const real = makeSandbox()
const sandbox = inProcess(real)
const unheardOf = planOf([[{ name: "Talk 1", skill: "unheard-of" }]])

afterAll(sandbox.remove)
afterEach(() => {
  for (const marker of projectMarkers) rmSync(`${sandbox.root}/project/${marker}`, { recursive: true, force: true })
})

const check = async (...args: ReadonlyArray<string>) =>
  (await sandbox.run(["check", "-", ...args], { stdin: unheardOf })).code

describe("the project of check", () => {
  it("is none in a folder without anything of a project", async () => {
    assert.strictEqual(await check(), 0)
  })

  it("is the current folder when it has something that only a project has", async () => {
    for (const marker of projectMarkers) {
      const content = marker.endsWith(".json") ? "{}" : ""
      sandbox.write(/^\.[a-z-]+$/.test(marker) ? `project/${marker}/x` : `project/${marker}`, content)
      assert.strictEqual(await check(), 1, marker)
      rmSync(`${sandbox.root}/project/${marker}`, { recursive: true })
    }
  })

  it("is none with --no-project, and the named folder with --project", async () => {
    sandbox.write("project/AGENTS.md", "# Shop\n")
    assert.deepStrictEqual([await check(), await check("--no-project")], [1, 0])
    assert.deepStrictEqual([await check("--project", "."), await check("-p", "../project")], [1, 1])
  })

  it("cannot be named and left out", async () => {
    const { code, stderr } = await sandbox.run(["check", "-", "--project", ".", "--no-project"], { stdin: unheardOf })
    assert.strictEqual(code, 2)
    assert.isTrue(stderr.startsWith("--project and --no-project exclude each other."))
  })

  it("shares its modules with the plugins that are configured", async () => {
    const skill =
      "---\nname: count\ndescription: Counts words.\nallowed-tools: word_count\n---\n\n## Execution\n\nCount.\n"
    sandbox.write("project/.agents/skills/count/SKILL.md", skill)
    const counting = planOf([[{ name: "Count 1", skill: "count" }]])
    const before = await real.run(["check", "-"], { stdin: counting })
    assert.deepStrictEqual([before.code, before.stderr], [1, ""])
    sandbox.write("config/task-conductor/words.js", wordsModule())
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ plugins: ["./words.js"] }))
    assert.deepStrictEqual(await real.run(["check", "-"], { stdin: counting }), {
      code: 0,
      stdout: "stdin: accepted in the project <root>/project\n",
      stderr: ""
    })
  })
})
