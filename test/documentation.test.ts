import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { check } from "../src/index.ts"

const root = new URL("../", import.meta.url)
const pages = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md", { cwd: fileURLToPath(root) })]

describe("documentation", () => {
  it("shows a plan that is accepted", () => {
    const plan = /```markdown\n(.*?)```/s.exec(readFileSync(new URL("README.md", root), "utf8"))?.[1]
    assert.strictEqual(check(plan ?? "").verdict, "accepted")
  })

  it("links to files that exist", () => {
    const broken = pages.flatMap((page) => {
      const text = readFileSync(new URL(page, root), "utf8")
        .replace(/^(`{3,}).*?^\1/gms, "")
        .replace(/(`+)[^`].*?\1/g, "")
      return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(new URL(target, new URL(page, root))))
        .map((target) => `${page} -> ${target}`)
    })
    assert.deepStrictEqual(broken, [])
  })
})
