import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { check, checkSkill, fix, issuesForModel, type SkillLint, spanOf, toSarif } from "../src/check.ts"
import { type SourceModule, sourceModules } from "./support/sourceImports.ts"
import { version } from "../src/app/version.ts"

const plan = readFileSync(new URL("fixtures/checks/five-mistakes.md", import.meta.url), "utf8")

/** A module that only passes on what others export: a bundle has of it what is imported. */
const isKit = (path: string): boolean => path.startsWith("kit/") || path === "plugin-kit.ts"

/** Every module that a module loads when it is bundled, ours and others. */
const graphOf = (path: string): ReadonlyArray<string> => {
  const modules = new Map(sourceModules().map((module): [string, SourceModule] => [module.path, module]))
  const found = new Set<string>()
  const visit = (one: string): void => {
    if (found.has(one)) return
    found.add(one)
    for (const { isType, names = [], target } of modules.get(one)?.imports ?? []) {
      if (isType) continue
      if (!isKit(target)) visit(target)
      else
        for (const kept of modules.get(target)?.imports ?? []) {
          if (!kept.isType && kept.names?.some((name) => names.includes(name)) === true) visit(kept.target)
        }
    }
  }
  visit(path)
  return [...found].sort()
}

it("checks a task list unless it is told another kind", () => {
  const { issues, verdict } = check(plan)
  assert.deepStrictEqual([verdict, issues.length], ["rejected", 5])
  assert.deepStrictEqual(check("## Result summary\n\nIt is 8042.\n", { kind: "result" }), {
    kind: "result",
    verdict: "accepted",
    issues: [],
    repairs: [],
    value: { summary: "It is 8042.", links: [] }
  })
})

it("numbers the issues for the next attempt of a model", () => {
  assert.match(
    issuesForModel(check(plan)),
    /^1\. In section "Task section 1", .*\n {3}You wrote: `\[all sources\]\(src/
  )
  assert.strictEqual(issuesForModel({ issues: [] }), "")
})

it("fixes what has one meaning only", () => {
  assert.strictEqual(fix(plan).text, plan)
  const { report, text } = fix("# Answer\r\n## Result summary\r\nIt is 8042.\r\n", { kind: "result" })
  assert.deepStrictEqual([report.verdict, text.includes("\r")], ["repaired", false])
})

it("tells where a finding is, also in a log for code hosts, with its own version", () => {
  const [issue] = check(plan).issues
  assert.isDefined(issue)
  assert.deepStrictEqual(spanOf(plan, issue), { line: 16, column: 18, endLine: 16, endColumn: 44 })
  const log = toSarif([{ path: "plan.md", text: plan, report: check(plan) }])
  assert.deepStrictEqual([log.runs[0]?.tool.driver.version, log.runs[0]?.results.length], [version, 5])
})

it("loads the domain and pure modules, and nothing of the command line, the services or the platform", () => {
  const graph = graphOf("check.ts")
  const ours = graph.filter((path) => path.endsWith(".ts"))
  const others = graph.filter((path) => !path.endsWith(".ts"))
  assert.isAbove(ours.length, 20)
  assert.deepStrictEqual(
    ours.filter((path) => !path.startsWith("domain/")),
    [
      "app/version.ts",
      "check.ts",
      ...["SarifLog", "SkillLint", "SkillScripts", "TextSpan"].map((name) => `plugins/check-tools/${name}.ts`)
    ]
  )
  assert.deepStrictEqual(
    others.filter((name) => name.startsWith("node:") || /^(@effect|effect\/(cli|ai|http|process)|ollama)/.test(name)),
    []
  )
})

const codes = ({ issues, repairs }: SkillLint) => [...issues, ...repairs].map(({ code }) => code)

it("checkSkill finds in a skill what `skills lint` finds, without the disk", () => {
  const text =
    "---\nname: read\ndescription: Reads. Use it for code.\nallowed-tools: read_fil\n---\n\nSee [a](a.md). TODO\n"
  assert.deepStrictEqual(codes(checkSkill(text, "read")), ["skill-placeholder"])
  assert.deepStrictEqual(codes(checkSkill(text, "read", ["read_file"])), ["skill-placeholder", "skill-tool-unknown"])
})
