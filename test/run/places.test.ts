/**
 * Runs of a task over many places of files: the host shows numbered places, the model answers by number, and every place is accounted for.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { answerIn, planOf, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const task = "Give each call of open an encoding."
const each = "call of `open` in `src/*.py`"
const plan = planOf([[{ name: "Open", skill: "edit-files", each, needed: task }]])

const python = (name: string, calls: number): string =>
  [
    `"""${name}: open( in a text is none."""`,
    ...Array.from(
      { length: calls },
      (_, at) => `def load_${at}(path):\n    with open(path, ${at}) as f:\n        return f.read()\n`
    ),
    "def other():\n    return urlopen(1), Popen(2)\n"
  ].join("\n")

const handler = (name: string) => `def ${name}():\n    try:\n        b()\n    except A:\n        c(open(1))\n\n\n`

/** The numbers and lines of the places that a first message shows. */
const shownIn = (text: string): ReadonlyArray<readonly [number: number, line: string]> =>
  [...text.matchAll(/^\[(\d+)\] \d+: (.*)$/gm)].map(([, number, line = ""]) => [Number(number), line])

/** A model that answers each prompt about places with these lines, one answer after the other. */
const model = (answers: (prompt: FilledPrompt, turn: number) => string) => {
  const prompts: Array<FilledPrompt> = []
  const answer = (prompt: FilledPrompt): string => {
    const stage = stageName(prompt)
    if (stage !== "places") return answerIn(stage, { creation: plan })
    prompts.push(prompt)
    return answers(prompt, prompts.length)
  }
  return { answer, prompts }
}

const withEncoding = (line: string): string => line.trim().replace(/open\((.*?)\)/, 'open($1, encoding="utf-8")')

/** An answer that changes each place that is shown. */
const changingAll = (user: string): string =>
  shownIn(user)
    .map(([number, line]) => `${number} change: ${withEncoding(line)}`)
    .join("\n")

const numbersIn = ({ user }: FilledPrompt) => shownIn(user).map(([number]) => number)

const block = (old: string, now: string) => ["src/a.py", "<<<<<<< OLD", old, "=======", now, ">>>>>>> NEW"].join("\n")

const makeRun = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: task })
  yield* fs.makeDirectory(`${run.project}/src`)
  for (const [name, text] of Object.entries(files)) yield* fs.writeFileString(`${run.project}/src/${name}`, text)
  return { ...run, text: (name: string) => fs.readFileString(`${run.project}/src/${name}`) }
})

type Report = Effect.Success<ReturnType<Effect.Success<ReturnType<typeof makeRun>>["session"]>>["report"]

const itemsOf = (report: Report) => report?.results[0]?.items ?? []
const statesOf = (report: Report) => itemsOf(report).map(({ state }) => state)

/** A run of a willing user on these files, with these answers about places and to other prompts. */
const answered = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  answers: (prompt: FilledPrompt, turn: number) => string,
  other: (prompt: FilledPrompt) => string | undefined = () => undefined
) {
  const run = yield* makeRun(files)
  const { answer, prompts } = model(answers)
  const approver = willingApprover()
  const { report } = yield* run.session({ answer: (prompt) => other(prompt) ?? answer(prompt), approver })
  return { prompts, report, states: statesOf(report), text: run.text }
})

describe("a task for many places", () => {
  nodeTest("shows the calls of a function with numbers, and makes the changes that are answered", function* () {
    const run = yield* makeRun({ "a.py": python("a", 3), "b.py": python("b", 2) })
    const { answer, prompts } = model(({ user }) => changingAll(user).replace(/^2 .*$/m, "2 keep: it is binary"))
    const approver = scriptedApprover({ steps: ["step"] })
    const { events, report } = yield* run.session({ answer, approver: approver.layer })
    expect(prompts.map(numbersIn)).toEqual([[1, 2, 3, 4, 5]])

    expect(prompts[0]?.user).toContain(
      "in load_1:\n6: def load_1(path):\n[2] 7:     with open(path, 1) as f:\n8:         return f.read()\n\nin load_2:"
    )
    expect(report?.status).toBe("done")
    expect(statesOf(report)).toEqual(["done", "unchanged", "done", "done", "done"])
    expect(itemsOf(report)[1]?.note).toBe("it is binary")
    expect(yield* run.text("a.py")).toBe(
      python("a", 3)
        .replace("open(path, 0)", 'open(path, 0, encoding="utf-8")')
        .replace("open(path, 2)", 'open(path, 2, encoding="utf-8")')
    )
    expect(approver.asked.length).toBe(1)
    expect(events.flatMap((event) => (event.type === "task.item" ? [event.number] : []))).toEqual([1, 2, 3, 4, 5])
  })

  nodeTest("shows the declaration around a place before it is answered, and asks for what is left", function* () {
    const { prompts, states } = yield* answered({ "a.py": python("a", 3) }, (_, turn) => {
      if (turn === 1) return "1 keep: no\n3 look"
      return turn === 2 ? "3 keep: no" : "2 keep: no"
    })
    expect(states).toEqual(["unchanged", "unchanged", "unchanged"])
    const [, second, third] = prompts.map(({ user }) => user.slice(-400).trimEnd())
    expect(second).toMatch(/11:     with open\(path, 2\) as f:[^]*Answer 2-3\.$/)
    expect(third).toMatch(/Answer 2\.$/)
    expect(prompts.map(numbersIn)).toEqual([[1, 2, 3], [2, 3], [2]])
  })

  nodeTest("says what cannot be used; a place that stays unanswered has failed after a second try", function* () {
    const { prompts, report, states } = yield* answered({ "a.py": python("a", 3) }, (_, turn) =>
      turn === 1 ? "1 keep: no\n2 change:\n9 keep: no" : "1 keep: no"
    )
    expect(prompts[1]?.user).toContain("There is no place 9 here. The places are 1-3.")
    expect(prompts[1]?.user).toContain("Place 2 is to change, and no text says how.")
    expect(states).toEqual(["unchanged", "failed", "failed"])
    expect(prompts.map(numbersIn).at(-1)).toEqual([2, 3])
    expect(report?.status).not.toBe("done")
  })

  nodeTest("asks again for a place whose change was not made, and takes a place with a long line alone", function* () {
    const long = `    with open(path, ${"1 + ".repeat(120)}1) as f:`
    const files = { "a.py": python("a", 2), "b.py": `def b(path):\n${long}\n        return f\n` }
    const change = "1 change: with other(path) as f:"
    const edited = block("    with open(path, 0) as f:", "    with io.open(path) as f:")
    const { prompts, states, text } = yield* answered(
      files,
      (_, turn) => (turn === 1 ? [edited, change, "2 keep: no"].join("\n") : change),
      ({ user }) => (user.includes("the only one to work on") ? resultSaying("It stays.") : undefined)
    )
    expect(prompts.map(numbersIn)[0]).toEqual([1, 2])
    expect(states).toEqual(["done", "unchanged", "unchanged"])
    expect(yield* text("b.py")).toContain(long)
  })

  nodeTest("asks again in the same turns for a place whose edit was refused, which was no answer to it", function* () {
    const files = { "a.py": python("a", 2), "b.py": python("b", 1) }
    const { prompts, states, text } = yield* answered(files, (_, turn) => {
      if (turn === 1) return "1 change: # ... the rest of the code stays the same\n2 keep: no\n3 keep: no"
      return turn === 2 ? "2 keep: no" : "1 change: with io.open(path) as f:"
    })
    expect(prompts.length).toBe(3)
    expect(prompts[2]?.user.trimEnd()).toMatch(/Answer 1\.$/)
    expect(prompts[2]?.user).toContain("replaces other lines, which would be lost")
    expect(states).toEqual(["done", "unchanged", "unchanged"])
    expect(yield* text("a.py")).toBe(python("a", 2).replace("with open(path, 0) as f:", "with io.open(path) as f:"))
  })

  nodeTest("changes a line without a number by its path and line, and shows only what failed again", function* () {
    const files = { "a.py": handler("a") + handler("b"), "b.py": python("b", 8) }
    const edited = block("    except A:", "    except A as e:")
    const { prompts, report, text } = yield* answered(files, (_, turn) =>
      turn === 1 ? `1 change: c(open(1, e))\n2-10 keep: no\n${edited}` : "src/a.py:4 change: except A as e:"
    )
    expect(prompts.map(numbersIn)).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      [1, 2]
    ])
    expect(prompts[1]?.user).toContain("The old_text occurs 2 times")
    expect(prompts[1]?.user).not.toContain("b.py")
    expect(report?.status).toBe("done")
    expect(yield* text("a.py")).toBe(
      handler("a").replace("except A:", "except A as e:").replace("open(1)", "open(1, e)") + handler("b")
    )
  })

  nodeTest("does not count as changed what two answers changed beside each other and nobody again", function* () {
    const lines = Array.from({ length: 80 }, (_, at) => `x_${at} = open(${at})`)
    const { report, states, text } = yield* answered(
      { "a.py": `${lines.join("\n")}\n` },
      ({ user }) => changingAll(user),
      ({ user }) => (user.includes("at the same lines") ? resultSaying("It is done.") : undefined)
    )
    const now = (yield* text("a.py")).split("\n")
    expect(states.length).toBe(80)
    expect(states.flatMap((state, at) => (state === "done" && !now[at]?.includes("utf-8") ? [at] : []))).toEqual([])
    expect(states).toContain("failed")
    expect(report?.status).not.toBe("done")
  })
})
