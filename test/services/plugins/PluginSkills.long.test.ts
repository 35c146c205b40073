/** Skills that plugins bring. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { definePlugin } from "../../../src/services/tools/Plugin.ts"
import { checkPlugin } from "../../../src/testing.ts"
import { makeSandbox, type Sandbox } from "../../support/binary.ts"
import { packageFiles } from "../../support/PluginFiles.ts"

const sandboxes: Array<Sandbox> = []
const folder = mkdtempSync(join(tmpdir(), "task-conductor-skills-"))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  for (const sandbox of sandboxes) sandbox.remove()
})

const skill = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: Counts the rows of a table. Use it when a number of rows is asked for.\nallowed-tools: count_rows\n${more}---\n\n## How to work\n\n- Call \`count_rows\` once.\n\n## How to report\n\n- Give the number.\n`

const module = (skills: string): string => `import { definePlugin, tool } from "task-conductor/plugin"

export default definePlugin({
  name: "rows",
  skills: new URL(${JSON.stringify(skills)}, import.meta.url),
  tools: {
    count_rows: tool({
      description: "Counts the rows.",
      parameters: { type: "object", properties: {} },
      risk: "safe",
      effect: "pure",
      execute: async () => 3
    })
  }
})
`

type Files = Readonly<Record<string, string>>

const open = (files: Files, user: ReadonlyArray<string>) => {
  const sandbox = makeSandbox()
  sandboxes.push(sandbox)
  for (const [path, text] of Object.entries(files)) sandbox.write(path, text)
  sandbox.write("config/task-conductor/config.json", JSON.stringify({ plugins: user }))
  return sandbox
}

const skillsOf = async (sandbox: Sandbox) => {
  const { stdout } = await sandbox.run(["skills", "list", "--json"])
  const { notes, skills } = JSON.parse(stdout) as {
    readonly skills: ReadonlyArray<{ readonly name: string; readonly origin: string; readonly path: string }>
    readonly notes: ReadonlyArray<string>
  }
  return { all: skills, notes: notes.join("\n") }
}

const home = "config/node_modules/rows"

describe.concurrent("skills of a plugin", () => {
  it("are listed, replace none that there is, and take the place of one made for its tools", async () => {
    const sandbox = open(
      {
        ...packageFiles(home, module("./skills/")),
        [`${home}/skills/count-rows/SKILL.md`]: skill("count-rows"),
        [`${home}/skills/edit-files/SKILL.md`]: skill("edit-files")
      },
      ["rows"]
    )
    const { all, notes } = await skillsOf(sandbox)
    expect(all.filter(({ origin }) => origin === "plugin").map(({ name, path }) => [name, path])).toStrictEqual([
      ["count-rows", `<root>/${home}/skills/count-rows/SKILL.md`]
    ])
    expect(all.some(({ name }) => name === "use-rows")).toBe(false)
    expect(all.find(({ name }) => name === "edit-files")?.origin).toBe("package")
    expect(notes).toMatch(
      /The skill "edit-files" in \S+ replaces the one in <root>\/config\/node_modules\/rows\/skills\/edit-files/
    )
  })

  it("are left out when they are not a part of the package, or not there", async () => {
    const sandbox = open(
      {
        ...packageFiles(home, module("../skills/")),
        "config/node_modules/skills/count-rows/SKILL.md": skill("count-rows"),
        "config/task-conductor/none.mjs": module("./none/")
          .replace('"rows"', '"none"')
          .replace("count_rows", "count_none")
      },
      ["rows", "./none.mjs"]
    )
    const { all } = await skillsOf(sandbox)
    expect(all.some(({ origin }) => origin === "plugin")).toBe(false)
    const { stdout } = await sandbox.run(["plugins", "list"])
    expect(stdout).toContain(
      'The plugin "rows" is used, but its skills are left out: <root>/config/node_modules/skills is not a part of <root>/config/node_modules/rows, so nobody was asked about them.'
    )
    expect(stdout).toContain('The plugin "none" is used, but its skills are left out: there is no folder')
  })
})

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const withSkills = (name: string) => definePlugin({ name: "rows", skills: pathToFileURL(`${join(folder, name)}/`) })

describe("the check of a plugin with skills", () => {
  it("finds nothing when they are fine, also without tools", async () => {
    write(
      "fine/count-rows/SKILL.md",
      skill("count-rows").replace("allowed-tools: count_rows", "allowed-tools: read_file")
    )
    expect(await checkPlugin(withSkills("fine"))).toStrictEqual([])
  })

  it("finds one that cannot be read, one whose name exists, and a folder that does not", async () => {
    write("wrong/count-rows/SKILL.md", "no skill")
    write("wrong/edit-files/SKILL.md", skill("edit-files"))
    const problems = await checkPlugin(withSkills("wrong"))
    expect(problems.some((problem) => problem.includes("count-rows/SKILL.md"))).toBe(true)
    expect(problems.some((problem) => problem.startsWith('The skill "edit-files" in '))).toBe(true)
    expect((await checkPlugin(withSkills("none")))[0]).toContain("there is no folder")
  })
})
