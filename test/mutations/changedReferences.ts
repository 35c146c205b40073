/**
 * Damage to the references of tasks after which they cannot be resolved. Applied to strict documents only.
 */
import {
  type Apply,
  choose,
  damages,
  freeLines,
  onlyIn,
  pick,
  type Random,
  splice,
  strictField,
  type Variants,
  type Whole
} from "./Damage.ts"

/** Gives a task other references; a field is added where there is none. */
const withReferences = (document: Whole, random: Random, value: string, at?: number): string | undefined => {
  const skill =
    at ??
    pick(
      freeLines(document, (line) => strictField.exec(line)?.[2] === "Skill"),
      random
    )
  if (skill === undefined) return undefined
  const next = document.text.split("\n")[skill + 1] ?? ""
  const isThere = strictField.exec(next)?.[2] === "References"
  return splice(document, skill + 1, isThere ? 1 : 0, `- **References** ${value}`)
}

const named = (document: Whole): ReadonlyArray<{ readonly slug: string; readonly skill: number }> =>
  freeLines(document, (line) => /^- \*\*Name\*\* [a-z\d -]+$/i.test(line)).flatMap((at) => {
    const lines = document.text.split("\n")
    const skill = lines.findIndex((line, index) => index > at && line.startsWith("- **Skill**"))
    const slug = (lines[at] ?? "").replace("- **Name** ", "").toLowerCase().replaceAll(" ", "-")
    return skill < 0 ? [] : [{ slug, skill }]
  })

/** A damage that gives a task one of these references. */
const referring = (variants: Variants, write = (variant: string): string => variant): Apply => {
  return (document, random) => withReferences(document, random, write(choose(random, ...variants)))
}

export const changedReferences = damages({
  "prose for references": (document, random) =>
    referring([
      "see src/main.ts and the docs",
      "the file main.ts",
      "all results of the search",
      "src/main.ts if it exists",
      document.kind === "task-list" ? "as given" : "whatever the plan gives"
    ])(document, random),
  "a pattern as reference": referring(["src/*.ts", "src/**", "docs/{a,b}.md", "test/?.ts"], (path) => `[all](${path})`),
  "a folder as reference": referring(["src/", ".", "docs/plans/", "../"], (path) => `[all](${path})`),
  "a link without target": referring(["[main.ts]()", "[main.ts](#)", "[main.ts](<>)"]),
  "a target of another kind": referring(
    ["ftp://a.example/b", "mailto:a@b.example", "https://", "git://a/b"],
    (target) => `[it](${target})`
  ),
  "a target with blanks": (document, random) => withReferences(document, random, "[notes](my own notes.md)"),
  "the result of an unknown task": onlyIn(
    "task-list",
    referring(["#nobody-knows-results", "output:nobody", "task://nobody.md"], (target) => `[r](${target})`)
  ),
  "the own result": onlyIn("task-list", (document, random) => {
    const task = pick(named(document), random)
    return task === undefined ? undefined : withReferences(document, random, `[r](#${task.slug}-results)`, task.skill)
  }),
  "the result of a later task": onlyIn("task-list", (document, random) => {
    const [first, ...others] = named(document)
    const last = others.at(-1)
    return first === undefined || last === undefined
      ? undefined
      : withReferences(document, random, `[r](#${last.slug}-results)`, first.skill)
  })
})
