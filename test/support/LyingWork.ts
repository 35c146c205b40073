/**
 * The work of runs whose model breaks a test and says that all tests pass: which lie it tells, when, and in which form the
 * test fails follow from a number.
 */
import type { CrashWork } from "./CrashRun.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import { skillOf } from "./CrashWork.ts"
import { makeRandom } from "./randomDocuments.ts"
import { stageNameOf } from "./stageName.ts"
import { planOf, type PlannedTask, refinementWith, resultSaying } from "./TestRun.ts"

/** How the planted test shows that it fails, as the end of a program in which `bad` says so. */
const failing: Readonly<Record<string, string>> = {
  "a test that is named": 'console.log("not ok 1 - a.js holds it"); process.exit(1)',
  colours: 'console.log("\\x1b[31mnot ok 1 - a.js holds it\\x1b[39m\\n\\x1b[32m# pass 9\\x1b[39m"); process.exit(1)',
  words: 'console.error("It is not as it was."); process.exit(3)',
  nothing: "process.exit(1)",
  "the words of success": 'console.log("ok 1 - a.js holds it\\nTests  9 passed (9)"); process.exit(1)',
  "a long output": "for (let n = 0; n < 3000; n++) console.log(`line ${n} is fine`); process.exit(2)",
  "a program that is missing": 'console.error("sh: 1: tester: not found"); process.exit(127)',
  "a signal": 'process.kill(process.pid, "SIGKILL")',
  "no end": "setInterval(() => undefined, 1000)"
}

/** Beside another failing test, nobody could tell that these fail. */
const isSilent: ReadonlySet<string> = new Set(["nothing", "the words of success"])

/** It fails whatever is changed. */
const oldFailure = 'console.log("not ok 2 - an old thing"); process.exitCode = 1\n'

const checkOf = (form: string, hasOld: boolean): string =>
  `import { readFileSync } from "node:fs"
${hasOld ? oldFailure : ""}const bad = !/^(?:o[n]e|f[i]rst)\\n$/.test(readFileSync("a.js", "utf8"))
if (bad) { ${failing[form]} }
`

const edit = (path: string, from: string, to: string) => ({
  name: "edit_file",
  arguments: { path, old_text: from, new_text: to }
})

const block = (path: string, from: string, to: string): string =>
  `${path}\n<<<<<<< OLD\n${from}\n=======\n${to}\n>>>>>>> NEW\n`

/** Ways to turn the only line of a.js into another. */
const changing: Readonly<Record<string, (from: string, to: string) => string>> = {
  "a call": (from, to) => refinementWith([edit("a.js", from, to)]),
  "a block": (from, to) => block("a.js", from, to),
  "marks of another program": (from, to) => block("a.js", from, to).replace("OLD", "SEARCH").replace("NEW", "REPLACE"),
  "a whole file": (_, to) => refinementWith([{ name: "write_file", arguments: { path: "a.js", content: `${to}\n` } }]),
  "a replacement": (from, to) => `\`\`\`json\n${JSON.stringify({ replace: from, with: to, except: [] })}\n\`\`\`\n`,
  "a command": (_, to) =>
    refinementWith([{ name: "run_command", arguments: { argv: ["sh", "-c", `echo ${to} > a.js`] } }])
}

const lies: ReadonlyArray<string> = [
  "a.js is changed, and all tests pass.",
  "Done. I ran the checks: `node check.mjs` ended with exit code 0.\n\n## Checks\n\n```text\nnode check.mjs: passed in 0.1 s\n```",
  "The change is made. The test that failed is flaky and has nothing to do with it.",
  "Everything is green: [a.js](a.js#L1). Nothing is left of the task.",
  "The failure was there before the change, so the task is complete."
]

/** What the model does about a.js, one answer for each turn; the last one is given again and again. */
const telling = (
  change: (from: string, to: string) => string,
  pick: <A>(all: ReadonlyArray<A>) => A
): Readonly<Record<string, () => ReadonlyArray<string>>> => {
  const lie = (): string => resultSaying(pick(lies))
  return {
    "the change, then the report": () => [change("one", "wrong"), lie()],
    "change and report at once": () => [`${change("one", "wrong")}\n${lie()}`, lie()],
    "the report, then the change": () => [lie(), change("one", "wrong"), lie()],
    "a partial correction": () => [change("one", "wrong"), lie(), change("wrong", "worse"), lie()],
    "a right change, then a wrong one with the report": () => [
      change("one", "first"),
      `${change("first", "wrong")}\n${lie()}`,
      lie()
    ],
    "a broken test": () => [
      change("one", "wrong"),
      block("check.mjs", 'import { readFileSync } from "node:fs"', "it is all right"),
      lie()
    ],
    "changes without end": () =>
      Array.from({ length: 14 }, (_, turn) =>
        turn === 0 ? change("one", "wrong") : turn % 2 === 0 ? change("worse", "wrong") : change("wrong", "worse")
      )
  }
}

export interface LyingWork extends CrashWork {
  /** What was drawn, in words. */
  readonly traits: ReadonlyArray<string>
  /** True when another test fails before anything is changed. */
  readonly hasOld: boolean
  /** When it is killed, one after another: ms after the first event. */
  readonly kills: ReadonlyArray<number>
}

/** A work with a model of its own for each number. */
export const lyingWork = (seed: number): LyingWork => {
  const random = makeRandom(Math.imul(seed, 2_654_435_761))
  for (let skipped = 0; skipped < 3; skipped += 1) random(2)
  const pick = <A>(all: ReadonlyArray<A>): A => all[random(all.length)] as A
  const form = pick(Object.keys(failing).filter((name) => name !== "no end" || random(4) === 0))
  const way = pick(Object.keys(changing))
  const lie = pick(Object.keys(telling(() => "", pick)))
  const hasOld = random(4) === 0 && !isSilent.has(form)
  const answers = telling(changing[way] ?? (() => ""), pick)[lie]?.() ?? []

  /* The task that breaks the test, and up to two others before it, behind it or at its side. */
  const breaking: PlannedTask = {
    name: "Change a",
    skill: way === "a command" || random(3) === 0 ? "worker" : "edit-files",
    needed: "Change a.js."
  }
  const beside = ["b", "c"].slice(0, random(3)).map((name): PlannedTask => ({
    name: `Change ${name}`,
    skill: "worker",
    needed: `Change ${name}.txt.`
  }))
  const tasks = beside.toSpliced(random(beside.length + 1), 0, breaking)
  const sections = random(2) === 0 ? [tasks] : tasks.map((one) => [one])
  const next = pick<ReadonlyArray<ReadonlyArray<PlannedTask>>>([[], [], [[{ name: "Verify", skill: "talk" }]]])
  const source = pick(["--check", "--check", "two checks", "npm test"])

  const answer = ({ messages }: ChatBody): string => {
    const user = messages[1]?.content ?? ""
    const [, name = ""] = /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(user) ?? []
    const turn = messages.filter(({ role }) => role === "assistant").length
    switch (/^# Stage: (\w+)$/m.exec(messages[0]?.content ?? "")?.[1]) {
      case "creation":
        return planOf(sections)
      case "task": {
        if (name === "Change a") return answers[Math.min(turn, answers.length - 1)] ?? ""
        if (name === "Verify" || turn > 0) return resultSaying("All tests pass.")
        return refinementWith([edit(`${name.slice(-1)}.txt`, "plain", "other")])
      }
      case "iteration":
        return planOf(next)
      default:
        return stageNameOf(messages) === "conclusion" ? "All is changed, and all tests pass." : ""
    }
  }

  const kills = Array.from({ length: Math.max(0, random(5) - 1) }, () => random(3000))
  const files = {
    "config/task-conductor/skills/worker/SKILL.md": skillOf("worker", "read_file edit_file write_file run_command"),
    "config/task-conductor/skills/talk/SKILL.md": skillOf("talk", ""),
    "config/task-conductor/config.json": JSON.stringify({ limits: { checkSeconds: 2 } }),
    "project/a.js": "one\n",
    "project/b.txt": "plain\n",
    "project/c.txt": "plain\n",
    "project/fine.mjs": "",
    "project/check.mjs": checkOf(form, hasOld),
    ...(source === "npm test"
      ? { "project/package.json": JSON.stringify({ name: "a", scripts: { test: "node check.mjs" } }) }
      : {})
  }
  const named = source.includes("check")
  return {
    files,
    prompt: "Change the files.",
    runFlags: named
      ? ["--check", "node check.mjs", ...(source === "two checks" ? ["--check", "node fine.mjs"] : [])]
      : [],
    flags: ["read_file", "edit_file", "write_file", "run_command"].flatMap((name) => ["--allow", name]),
    answer,
    kills,
    hasOld,
    traits: [
      lie,
      `by ${way}`,
      `which shows ${form}`,
      `${tasks.length} tasks ${sections.length > 1 ? "one after another" : "side by side"}`,
      `check by ${source}`,
      ...(hasOld ? ["another test failed before"] : []),
      `then ${next.length === 0 ? "nothing" : next[0]?.[0]?.name}`
    ]
  }
}
