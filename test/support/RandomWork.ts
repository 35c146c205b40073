/**
 * Random plans of tasks that read, write, refer to each other, fail, need a second answer or an approval, and add tasks;
 * and a model that does them. What a task reads stands in its prompts, and its result names the hash of its prompt: when
 * two runs have the same results, every task saw the same.
 */
import { hashOf } from "../../src/services/files/Hash.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { type Random, randomFrom } from "../mutations/Damage.ts"
import { stageOf } from "./ScriptedRun.ts"
import { planOf, type PlannedTask, refinementWith, resultSaying } from "./TestRun.ts"

type Calls = Parameters<typeof refinementWith>[0]

/** What becomes of a task; the model knows it by its name. */
interface Doing {
  readonly calls: Calls
  readonly fails: boolean
  readonly isSlow: boolean
  readonly wantsApproval: boolean
}

export interface RandomWork {
  /** The plans of the rounds, the first one first. */
  readonly plans: ReadonlyArray<string>
  readonly doings: ReadonlyMap<string, Doing>
  /** The section that a person declines. */
  readonly declines: string | undefined
}

const names = ["f0.md", "f1.md", "f2.md", "f3.md"]

/** A file that a rule of the run keeps from being read. */
export const closedFile = "closed.md"

/** A skill that only reads files. */
const readSkill = `---
name: reads
description: Reads files. Use it in tests.
allowed-tools: read_file get_current_time
---

## Execution

Say what was read.
`

/** The files of the project before a run. */
export const randomFiles: Readonly<Record<string, string>> = {
  ".task-conductor/skills/reads/SKILL.md": readSkill,
  ...Object.fromEntries([...names, closedFile].map((name) => [name, `# ${name}\n`]))
}

const read = (path: string) => ({ name: "read_file", arguments: { path } })

/** A plan with at most this many sections; its tasks are named after the round. */
const planFrom = (random: Random, round: number, sections: number, doings: Map<string, Doing>): string => {
  const pick = <A>(all: ReadonlyArray<A>): A | undefined => all[Math.floor(random() * all.length)]
  const earlier: Array<string> = []
  const steps = Array.from({ length: 2 + Math.floor(random() * sections) }, (_, section) => {
    const shuffled = names.toSorted(() => random() - 0.5)
    /* Tasks of one section run side by side: none of them reads what another one writes. */
    const written = shuffled.slice(0, random() < 0.25 ? 1 : 0)
    const seen = shuffled.slice(1)
    const tasks = Array.from({ length: 1 + Math.floor(random() * 3) }, (__, index): PlannedTask => {
      const name = `Task ${round} ${section + 1} ${index + 1}`
      const target = index === 0 ? written[0] : undefined
      const skill = target === undefined ? (pick(["reads", "reads", "reads", "any", "talk", "talk"]) ?? "talk") : "any"
      const looked = [...seen.filter(() => random() < 0.4), ...(random() < 0.04 ? [closedFile] : [])].map(read)
      const change = { name: "write_file", arguments: { path: target, content: `# ${name}\n` } }
      const all = skill === "talk" ? [] : [...looked, ...(target === undefined ? [] : [change])]
      doings.set(name, {
        calls: all.length === 0 && skill !== "talk" ? [read(seen[0] ?? "f0.md")] : all,
        fails: random() < 0.05,
        isSlow: random() < 0.15,
        wantsApproval: random() < 0.05
      })
      const links = [
        ...earlier
          .filter(() => random() < 0.2)
          .map((one) => `[${one}](#${one.toLowerCase().replaceAll(" ", "-")}-results)`),
        ...seen.filter(() => random() < 0.15).map((file) => `[${file}](${file})`)
      ]
      return {
        name,
        skill,
        ...(links.length === 0 ? {} : { references: links.join(", ") }),
        ...(random() < 0.06 ? { gated: true } : {})
      }
    })
    earlier.push(...tasks.map(({ name }) => name))
    return tasks
  })
  return planOf(steps)
}

export const randomWork = (seed: number): RandomWork => {
  const random = randomFrom(seed)
  const doings = new Map<string, Doing>()
  const plans = [planFrom(random, 1, 4, doings), ...(random() < 0.5 ? [planFrom(random, 2, 2, doings)] : [])]
  return { plans, doings, declines: random() < 0.2 ? `Task section ${1 + Math.floor(random() * 3)}` : undefined }
}

const notOk = "I would rather not."

/** What the model says: it depends on the prompt only. `root` is the path of the project, which differs between runs. */
export const answerOf =
  ({ doings, plans }: RandomWork, root: string) =>
  (prompt: FilledPrompt): string => {
    const { user } = prompt
    const name = [...user.matchAll(/^- \*\*Name\*\* (Task \d \d \d)$/gm)].at(-1)?.[1] ?? ""
    const doing = doings.get(name)
    const isFirst = !/^## (?:Issues with|Your previous)/m.test(user)
    switch (stageOf(prompt)) {
      case "refine":
        if (doing === undefined || doing.fails || (doing.isSlow && isFirst)) return notOk
        return `${doing.wantsApproval ? `## Task\n\n- **Name** ${name}\n- **Requires approval**\n\n` : ""}${refinementWith(doing.calls)}`
      case "execute":
        if (doing?.isSlow === true && isFirst) return notOk
        return resultSaying(`${name} saw ${hashOf(user.replaceAll(root, "PROJECT")).slice(0, 16)}.`)
      case "iterate":
        return /Task 2 \d/.test(user) || plans[1] === undefined ? planOf([]) : plans[1]
      default:
        return `All is done: ${hashOf(user.replaceAll(root, "PROJECT")).slice(0, 16)}.`
    }
  }
