import { expect, it } from "@effect/vitest"
import GithubSlugger, { slug } from "github-slugger"
import { forgivingSlug, makeSlugger, slugOf } from "../../../src/domain/text/Slug.ts"
import { makeDocuments, makeRandom } from "../../support/randomDocuments.ts"

const random = makeRandom(11)
const makeText = makeDocuments("task-list", random)
const lines = Array.from({ length: 300 }, () => makeText().split("\n").slice(0, 20)).flat()

it("makes the slugs of GitHub of every character below 256 and of others", () => {
  for (let code = 0; code < 0x3000; code += code < 256 ? 1 : 7) {
    const text = `A ${String.fromCharCode(code)}b`
    expect(slugOf(text)).toBe(slug(text))
  }
})

it("numbers repeated headings as GitHub does", () => {
  const [own, other] = [makeSlugger(), new GithubSlugger()]
  const headings = ["a", "a", "a-1", "A", "a-1", "", "", "-1", "a-1-1", "constructor", "constructor", "a", ...lines]
  for (const heading of headings) expect(own.slug(heading)).toBe(other.slug(heading))
})

it.each([
  ["task-section-1", "task-section-1"],
  ["Task_Section--1", "task-section-1"],
  ["-a-", "a"],
  ["a--", "a"],
  ["--a", "a"],
  ["É", "é"],
  ["a-", "a"],
  ["", ""],
  ["-", ""]
])("a forgiving reader takes %s for %s", (written, meant) => {
  expect(forgivingSlug(written)).toBe(meant)
})
