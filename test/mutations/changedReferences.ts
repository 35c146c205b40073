/**
 * Damage to the references of tasks after which they cannot be resolved. Applied to strict documents only.
 */
import { choose, damages, freeLines, pick, type Random, splice, strictField, type Whole } from "./Damage.ts"

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

export const changedReferences = damages({
  "prose for references": (document, random) =>
    withReferences(
      document,
      random,
      choose(
        random,
        "see src/main.ts and the docs",
        "the file main.ts",
        "all results of the search",
        "src/main.ts if it exists",
        document.kind === "task-list" ? "as given" : "whatever the plan gives"
      )
    ),
  "a pattern as reference": (document, random) =>
    withReferences(document, random, `[all](${choose(random, "src/*.ts", "src/**", "docs/{a,b}.md", "test/?.ts")})`),
  "a folder as reference": (document, random) =>
    withReferences(document, random, `[all](${choose(random, "src/", ".", "docs/plans/", "../")})`),
  "a link without target": (document, random) =>
    withReferences(document, random, choose(random, "[main.ts]()", "[main.ts](#)", "[main.ts](<>)")),
  "a target of another kind": (document, random) =>
    withReferences(
      document,
      random,
      `[it](${choose(random, "ftp://a.example/b", "mailto:a@b.example", "https://", "git://a/b")})`
    ),
  "a target with blanks": (document, random) => withReferences(document, random, "[notes](my own notes.md)"),
  "the result of an unknown task": (document, random) =>
    document.kind === "task-list"
      ? withReferences(
          document,
          random,
          `[r](${choose(random, "#nobody-knows-results", "output:nobody", "task://nobody.md")})`
        )
      : undefined,
  "the own result": (document, random) => {
    const task = document.kind === "task-list" ? pick(named(document), random) : undefined
    return task === undefined ? undefined : withReferences(document, random, `[r](#${task.slug}-results)`, task.skill)
  },
  "the result of a later task": (document, random) => {
    const tasks = document.kind === "task-list" ? named(document) : []
    const [first, last] = [tasks[0], tasks.at(-1)]
    return first === undefined || last === undefined || first === last
      ? undefined
      : withReferences(document, random, `[r](#${last.slug}-results)`, first.skill)
  }
})
