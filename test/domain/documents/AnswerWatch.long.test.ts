import { expect, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { watchAnswer } from "../../support/watchAnswer.ts"

const root = new URL("../../../", import.meta.url)
/** The examples of rules hold texts that repeat themselves. */
const examples = "ruleExamples.json"

const textFiles = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(folder, root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|md|json|cjs)$/.test(entry.name) && entry.name !== examples)
    .map((entry) => `${entry.parentPath}/${entry.name}`)

it("AnswerWatch lets every text of this repository pass", () => {
  const files = ["src", "test", "docs", "prompts", "skills", "examples", "schema"].flatMap(textFiles)
  expect(files.length).toBeGreaterThan(400)
  const stopped = files.filter((file) => watchAnswer(readFileSync(file, "utf8"), undefined, 5000) !== undefined)
  expect(stopped).toEqual([])
})
