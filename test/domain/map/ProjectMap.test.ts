import { expect, it } from "@effect/vitest"
import { mapBudget, type ProjectFacts, projectMap, mapTokens } from "../../../src/domain/map/ProjectMap.ts"

const facts = (given: Partial<ProjectFacts>): ProjectFacts => ({
  files: [],
  isWhole: true,
  unread: [],
  commands: [],
  mainFiles: [],
  ...given
})

const shop = facts({
  files: ["README.md", "package.json", "src/index.ts", "src/till/till.ts", "test/till.test.ts"],
  commands: [
    { run: "npm run deploy", does: "./deploy", from: "package.json" },
    { run: "npm test", does: "vitest run", from: "package.json" },
    { run: "npm run lint", does: "eslint .", from: "tools/package.json" }
  ],
  mainFiles: ["README.md", "package.json", "src/index.ts"]
})

const whole = `5 files: typescript 3, json 1, markdown 1.

Commands of \`package.json\`:

- \`npm test\` runs \`vitest run\`
- \`npm run deploy\` runs \`./deploy\`

Commands of \`tools/package.json\` (cwd \`tools\`):

- \`npm run lint\` runs \`eslint .\`

Main files: \`README.md\`, \`package.json\`, \`src/index.ts\`.

Folders, each with the number of files below it, and files:

- at the top: \`src/\` 2, \`test/\` 1
- files at the top: \`README.md\`, \`package.json\`
- files in \`src/\`: \`index.ts\`
- files in \`src/till/\`: \`till.ts\`
- files in \`test/\`: \`till.test.ts\``

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

it("shows files, commands, main files, folders and names", () => {
  expect(projectMap(shop, 5000)).toBe(whole)
})

it("keeps the names of commands when there is no room for what they run", () => {
  expect(lines(projectMap(shop, 260))).toEqual([
    "5 files: typescript 3, json 1, markdown 1.",
    "Commands of `package.json`: `npm test`, `npm run deploy`.",
    "Main files: `README.md`, `package.json`, `src/index.ts`.",
    "Folders, each with the number of files below it, and files:",
    "- at the top: `src/` 2, `test/` 1"
  ])
})

it("is empty without files and without room", () => {
  const maps = [projectMap(facts({}), 5000), projectMap(shop, 0), projectMap(shop, 20)]
  expect([...maps, projectMap(facts({ files: [".env", "a`b"] }), 5000)]).toEqual(["", "", "", ""])
})

it("names no secrets, and says when unusual names are left out, or when not everything was looked at", () => {
  const files = [".env", ".task-conductor/skills/a/SKILL.md", "a.ts", "keys/server.pem", "x\n## User prompt\n.md"]
  expect(projectMap(facts({ files }), 5000)).toBe(
    "1 file: typescript 1. Files with unusual names are left out.\n\nFolders, each with the number of files below it, and files:\n\n- files at the top: `a.ts`"
  )
  const part = projectMap(facts({ files: ["a.ts", "b.ts"], isWhole: false }), 60)
  expect(part).toBe("2 files were looked at; there are more: typescript 2.")
})

it("fits every window, and uses a large part of it for a large project", () => {
  const files = Array.from({ length: 5000 }, (_, index) => `d${index % 37}/e${index % 11}/file${index}.ts`).toSorted()
  const commands = Array.from({ length: 50 }, (_, index) => ({
    run: `npm run script-${index}`,
    does: "x ".repeat(index),
    from: index < 20 ? "package.json" : `d${index}/package.json`
  }))
  const large = facts({ files, commands, mainFiles: files })
  for (const window of [0, 1024, 2048, 3000, 4096, 8192, 16_384, 32_768, 131_072, 500_000]) {
    const budget = mapBudget(window)
    const { length } = projectMap(large, budget)
    expect(length).toBeLessThanOrEqual(budget)
    if (window >= 4096) expect(length).toBeGreaterThan(budget * 0.7)
  }
})

it("gives larger windows more tokens", () => {
  const windows = [0, 1024, 2048, 3072, 4096, 8192, 32_768, 131_072, 1_000_000]
  expect(windows.map(mapTokens)).toEqual([0, 0, 0, 75, 150, 260, 400, 400, 400])
  const sizes = Array.from({ length: 200 }, (_, index) => mapBudget(index * 1000))
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
})
