/**
 * For random projects and random answers: the tree afterwards is what the report says was done, and a task is done only when every
 * change was made that was asked for. A model of the tree, written apart, says what that is.
 */
import { expect } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { endedClean, missingChanges } from "../../src/domain/runs/NotDone.ts"
import { plainTask } from "../../src/domain/plan/Task.ts"
import type { TaskResult } from "../../src/domain/plan/TaskResult.ts"
import { liveTest } from "../support/liveTest.ts"
import { briefing, openStages } from "../support/OpenStages.ts"
import { makeChooser, randomRules, randomTree, randomWish, trackedFile, wishText } from "../support/RandomChanges.ts"
import { randomFrom } from "../mutations/Damage.ts"
import { resultSaying } from "../support/TestRun.ts"
import {
  contentsOf,
  contentsOfTree,
  grant,
  isGranted,
  putTree,
  type Tree,
  type TreeRules,
  type Wish
} from "../support/TreeModel.ts"

/** `CHANGE_CASES=2000` tries as many, in about three minutes of a processor. */
const cases = Number(process.env["CHANGE_CASES"] ?? 200)
const firstSeed = Number(process.env["CHANGE_SEED"] ?? 1)
/** Cases in which something went wrong once. */
const wrongBefore = [533, 1025, 1717]
/** A gate remembers what it was asked, so that it does not live for all of them. */
const casesAtOnce = 100

const claim = "All of it is done."
const isOwn = (name: string): boolean => name === ".git" || name === ".task-conductor"

/** A skill that only changes files, so that nothing is searched for before its first answer. */
const changing = {
  ".task-conductor/skills/changing/SKILL.md":
    "---\nname: changing\ndescription: Changes files. Use it in tests.\nallowed-tools: edit_file write_file remove_file\n---\n\n## Execution\n\nChange the files.\n"
}

interface Case {
  readonly before: Tree
  readonly after: Tree
  readonly answers: ReadonlyArray<ReadonlyArray<{ readonly wish: Wish; readonly isMade: boolean }>>
}

/** What git ignores is listed once the task has changed it. */
const rulesOf = (before: Tree, after: Tree): TreeRules => ({
  ...randomRules,
  isIgnored: (path) => randomRules.isIgnored(path) && before.get(path) === after.get(path)
})

const caseOf = (seed: number): Case => {
  const chooser = makeChooser(randomFrom(seed))
  const before = randomTree(chooser)
  const after: Tree = new Map(before)
  const answers = Array.from({ length: chooser.count(2) }, () =>
    Array.from({ length: chooser.count(4) }, () => {
      const wish = randomWish(chooser, after)
      return { wish, isMade: grant(after, wish, rulesOf(before, after)) }
    })
  )
  return { before, after, answers }
}

const textOf = ({ answers }: Case): ReadonlyArray<string> =>
  answers.map((wishes) => wishes.map(({ wish }) => wishText(wish)).join("\n"))

const reset = (project: string, tree: Tree): void => {
  for (const name of readdirSync(project)) if (!isOwn(name)) rmSync(join(project, name), { recursive: true })
  putTree(project, tree)
}

/** The paths that differ, with how. */
const differences = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])]
    .flatMap((path) => {
      if (before.get(path) === after.get(path)) return []
      return [`${path} ${!before.has(path) ? "new" : after.has(path) ? "changed" : "removed"}`]
    })
    .toSorted()

/** What may stand for a change that was not made: it is so all the same, or a later answer wrote or removed the file. */
const isMadeUp = ({ after, answers, before }: Case, at: number, wish: Wish): boolean => {
  const rules = rulesOf(before, after)
  const later = answers.slice(at + 1).flat()
  if (isGranted(after, wish, rules)) return true
  return wish.do === "edit" && later.some((one) => one.isMade && "path" in one.wish && one.wish.path === wish.path)
}

const problemsOf = (
  one: Case,
  found: ReadonlyMap<string, string>,
  result: TaskResult | undefined,
  isDone: boolean
): ReadonlyArray<string> => {
  const [before, wanted] = [contentsOfTree(one.before), contentsOfTree(one.after)]
  const changed = differences(before, found)
  /* An empty folder that goes is told, and no entry of the model. */
  const told = (result?.files ?? [])
    .flatMap(({ kind, path }) => (before.has(path) || found.has(path) ? [`${path} ${kind}`] : []))
    .toSorted()
  const asked = one.answers.flat()
  const lost = one.answers.flatMap((wishes, at) =>
    wishes.flatMap(({ isMade, wish }) => (isMade || isMadeUp(one, at, wish) ? [] : [JSON.stringify(wish)]))
  )
  const unlike = differences(wanted, found)
  const isClaimed = result?.result.summary.startsWith(claim) === true
  return [
    ...(unlike.length === 0 ? [] : [`the tree is other than the changes come to: ${unlike.join(", ")}`]),
    ...(JSON.stringify(changed) === JSON.stringify(told)
      ? []
      : [`changed: ${changed.join(", ")}; told: ${told.join(", ")}`]),
    ...(isDone && lost.length > 0 ? [`done without ${lost.join(" ")}`] : []),
    ...(!isDone && asked.every(({ isMade }) => isMade) ? ["not done, although all was made"] : []),
    ...(isClaimed && !isDone ? ["the claim stands, and it is not done"] : [])
  ]
}

const runCases = Effect.fnUntraced(function* (seeds: ReadonlyArray<number>) {
  let answers: ReadonlyArray<string> = []
  let asked = 0
  const answer = () => answers[asked++] ?? resultSaying(claim)
  const rules = [{ verdict: "deny" as const, tool: "read_file", pattern: "closed/**" }]
  const { kinds, taskAgent, project, applier } = yield* openStages({ answer, rules, files: changing })
  mkdirSync(join(project, "dist"))
  writeFileSync(join(project, trackedFile), "kept\n")
  execFileSync("git", ["init", "-q"], { cwd: project })
  execFileSync("git", ["add", "-f", trackedFile], { cwd: project })
  const wrong: Array<string> = []
  for (const seed of seeds) {
    const one = caseOf(seed)
    reset(project, one.before)
    answers = textOf(one)
    asked = 0
    const task = plainTask(`Change ${seed}`, "changing", "Change the files.", "The changes.")
    const order = { briefing, round: 1, step: 0, finished: [] }
    const work = Effect.flatMap(taskAgent.work({ ...order, task }), (outcome) => applier.apply({ ...order, outcome }))
    const ended = yield* Effect.result(work)
    const result = Result.isSuccess(ended) ? ended.success : undefined
    const rounds = [{ tasks: [task], results: result === undefined ? [] : [result], failures: [] }]
    const isDone = endedClean(rounds, kinds) && missingChanges(rounds, kinds).length === 0
    const problems = problemsOf(one, contentsOf(project, isOwn), result, isDone)
    if (problems.length === 0) continue
    const calls = result?.calls.map(
      ({ call, result: { error_message } }) => `${JSON.stringify(call)}\n    ${error_message}`
    )
    wrong.push(
      [
        `CHANGE_SEED=${seed} CHANGE_CASES=1: ${problems.join("\n  ")}`,
        `before: ${JSON.stringify([...contentsOfTree(one.before)])}`,
        ...textOf(one).map((text, at) => `answer ${at + 1}:\n${text}`),
        `calls:\n  ${calls?.join("\n  ") ?? JSON.stringify(ended)}`
      ].join("\n")
    )
  }
  return wrong
}, Effect.scoped)

liveTest(`in ${cases} random cases the tree is what the report says`, function* () {
  const seeds = [...Array.from({ length: cases }, (_, at) => firstSeed + at), ...wrongBefore]
  const groups = yield* Effect.forEach(Arr.chunksOf(seeds, casesAtOnce), runCases, { concurrency: 4 })
  const wrong = groups.flat()
  expect(wrong.slice(0, 3).join("\n\n"), `${wrong.length} of ${cases} cases`).toBe("")
})
