import { expect, it } from "@effect/vitest"
import { fitDescription, fitRulesAndReadme } from "../../../src/domain/models/ProjectDescription.ts"
import { charactersIn } from "../../../src/domain/models/PromptSize.ts"

const paragraph = "The shop sells tea and keeps its stock in a table."
const long = Array.from({ length: 100 }, () => paragraph).join("\n\n")

it("leaves alone what has room, and names its files", () => {
  expect(fitDescription([{ path: "AGENTS.md", text: long }], 32_768)).toEqual({ text: long, files: ["AGENTS.md"] })
  expect(fitDescription([], 8192)).toEqual({ text: "", files: [] })
})

it("ends a longer one at a paragraph, says so in it, and tells the user", () => {
  const { note, text } = fitDescription([{ path: "GEMINI.md", text: long }], 4096)
  const shown = text.split("\n\n")
  expect(text.length).toBeLessThanOrEqual(charactersIn(4096 / 8))
  expect(shown.slice(0, -1).every((one) => one === paragraph)).toBe(true)
  const left = long.length - shown.slice(0, -1).join("\n\n").length
  expect(shown.at(-1)).toBe(
    `(The beginning of GEMINI.md; ${left} characters are left out. Refer to the file for them.)`
  )
  expect(note).toContain(`only the beginning of GEMINI.md (${long.length} characters)`)
})

it("takes of a README what stands before the sections on its use", () => {
  const lead = `# Shop\n\n[badge]\n\n## About\n\n${paragraph} ${paragraph} ${paragraph} ${paragraph}`
  const use = "## Use\n\n```sh\n# not a heading\nnpm start\n```\n"
  const shown = fitDescription([{ path: "README.md", text: `${lead}\n\n${use}` }], 32_768)
  expect(shown.text.startsWith(`${lead}\n\n(The beginning of README.md;`)).toBe(true)
  expect(shown.text).not.toContain("npm start")
  expect(shown).toMatchObject({ files: ["README.md"] })
  expect(shown.note).toBeUndefined()
  expect(fitDescription([{ path: "README.md", text: long }], 32_768).text.length).toBeLessThan(1400)
  expect(fitDescription([{ path: "README.md", text: "# Shop\n\nTea.\n" }], 32_768).text).not.toContain("beginning")
})

it("leaves out badges and pictures of a README, not what it quotes", () => {
  const badges = [
    '<p align="center">\n  <img src="logo.svg">\n</p>',
    "[![npm version][npm-src]][npm-href] ![build](https://example.test/build.svg)",
    "[![docs](https://example.test/docs.svg)](https://example.test/docs) <br/>"
  ]
  const rest = `# Shop\n\n${paragraph}\n\n\`\`\`html\n<img src="tea.png">\n\`\`\`\n\nSee <b>this</b>.`
  const text = `${badges[0]}\n\n# Shop\n\n${badges.slice(1).join("\n\n")}\n\n${rest.slice(8)}`
  expect(fitDescription([{ path: "README.md", text }], 32_768).text).toBe(rest)
  expect(fitDescription([{ path: "AGENTS.md", text }], 32_768).text).toBe(text)
})

it("gives the nearest its room first, and shows it last", () => {
  const near = { path: "src/shop/AGENTS.md", text: "Prices are in cents." }
  const { files, note, text } = fitDescription([near, { path: "AGENTS.md", text: long }], 4096)
  expect(text.endsWith("(From src/shop/AGENTS.md, for what is below src/shop:)\n\nPrices are in cents.")).toBe(true)
  expect(text.startsWith(paragraph)).toBe(true)
  expect(text.length).toBeLessThanOrEqual(charactersIn(4096 / 8))
  expect(files).toEqual(["src/shop/AGENTS.md", "AGENTS.md"])
  expect(note).toContain("AGENTS.md")
})

it("leaves out what has no room at all, and tells the user", () => {
  const near = { path: "a/AGENTS.md", text: long }
  const { files, note } = fitDescription([near, { path: "AGENTS.md", text: long }], 2048)
  expect(files).toEqual(["a/AGENTS.md"])
  expect(note).toContain("a/AGENTS.md (5198 characters), AGENTS.md (5198 characters)")
})

it("keeps a README apart from the rules of folders, in what they leave of the budget", () => {
  const readme = { path: "README.md", text: "# Shop\n\nSells tea." }
  const rules = { path: "src/AGENTS.md", text: "Use tabs." }
  const text = "(From src/AGENTS.md, for what is below src:)\n\nUse tabs."
  expect(fitRulesAndReadme([rules, readme], 8192)).toEqual({ text, readme: readme.text, files: ["src/AGENTS.md"] })
  const both = [rules, readme].map(({ path }) => ({ path, text: long }))
  const fitted = fitRulesAndReadme(both, 8192)
  expect(fitted.text.length + fitted.readme.length).toBeLessThanOrEqual(8192 / 2)
})
