import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaultLimits } from "../../../../src/domain/configuration/Limits.ts"
import { plainTask } from "../../../../src/domain/plan/Task.ts"
import { Commands } from "../../../../src/services/commands/Commands.ts"
import { selfReviewText } from "../../../../src/domain/documents/SelfReview.ts"
import type { TaskOrder } from "../../../../src/services/pipeline/TaskStage.ts"
import { layerOnCopy } from "../../../support/OpenChecks.ts"
import { briefing, openStages, type OpenStages } from "../../../support/OpenStages.ts"
import { makeFolder } from "../../../support/Project.ts"
import { resultSaying } from "../../../support/TestRun.ts"

/** Runs the tests in the process of the runner: a second process for each file would take most of the time. */
const testRunner = [process.execPath, "--test", "--test-isolation=none"] as const
const before = `export const slug = (text, max) => {
  return text.slice(0, max)
}
`
const after = `export const slug = (text, max) => {
  const words = text.split(" ")
  let kept = ""
  for (const word of words) if ((kept + word).length < max) kept = kept === "" ? word : \`\${kept}-\${word}\`
  return kept
}
`
const files = {
  "src/slug.mjs": before,
  "src/page.mjs": 'import { slug } from "./slug.mjs"\nexport const address = (title) => `/p/${slug(title, 40)}`\n',
  "src/words.mjs":
    "export const wordLimit = 1\nexport const a = wordLimit\nexport const b = wordLimit\nexport const c = wordLimit\n",
  "test/slug.test.mjs": `import test from "node:test"
import assert from "node:assert"
import { slug } from "../src/slug.mjs"
test("cuts", () => assert.ok(slug("a b", 2).length <= 2))
`
}
const block = (path: string, old: string, text: string): string =>
  `${path}\n<<<<<<< OLD\n${old}=======\n${text}>>>>>>> NEW\n`
const fixed = block("src/slug.mjs", "  return text.slice(0, max)\n", after.split("\n").slice(1, -2).join("\n") + "\n")
const testing = (assertion: string): string =>
  block(
    "test/slug.test.mjs",
    'test("cuts", () => assert.ok(slug("a b", 2).length <= 2))\n',
    `test("cuts", () => assert.ok(slug("a b", 2).length <= 2))\ntest("more", () => ${assertion})\n`
  )

const task = plainTask("Edit 1", "edit-files", "Keep words whole.", "The change.")
const order: TaskOrder = { briefing, task, round: 1, step: 0, finished: [] }

const open = (answers: NonNullable<OpenStages["answers"]>, more: Partial<OpenStages> = {}) =>
  Effect.gen(function* () {
    const commands = Commands.layer({
      environment: { PATH: process.env["PATH"] },
      home: yield* makeFolder,
      scratch: yield* makeFolder,
      hidden: [],
      sandbox: { mode: "off" }
    })
    return yield* openStages({
      ...more,
      answers,
      files: { ...files, ...more.files },
      commands: Layer.orDie(Layer.provide(layerOnCopy, commands)).pipe(Layer.provide(NodeServices.layer)),
      settings: { checks: [testRunner], ...more.settings }
    })
  })

const first = resultSaying("The words stay whole.")
const isQuestion = (text: string | undefined): boolean => text?.startsWith("## Look back") ?? false

/** The last message of each call of the model. */
const lastOf = (messages: ReadonlyArray<ReadonlyArray<string>>) => messages.map((all) => all.at(-1))

layer(NodeServices.layer, { excludeTestServices: true })("the look back", (it) => {
  it.effect("asks once for a case that no test treats, with the places that use the change", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([
        fixed,
        first,
        `Line: src/page.mjs:2\n\n${testing("assert.strictEqual(slug('ab cd', 3), 'ab')")}`
      ])
      const refinement = yield* taskAgent.work(order)
      expect(lastOf(messages)[2]).toBe(
        selfReviewText(["- src/page.mjs:2: export const address = (title) => `/p/${slug(title, 40)}` (calls `slug`)"])
      )
      expect(lastOf(messages).filter(isQuestion)).toHaveLength(1)
      expect(messages).toHaveLength(3)
      expect(refinement.result?.summary).toBe("The words stay whole.")
      expect(refinement.files?.map(({ path }) => path)).toEqual(["src/slug.mjs", "test/slug.test.mjs"])
    })
  )

  it.effect("comes after a report beside the change, but not beside one that fails the checks", () =>
    Effect.gen(function* () {
      const cutting = (from: string, to: string): string =>
        block("src/slug.mjs", `  return text.slice(0, ${from})\n`, `  return text.slice(0, ${to})\n`)
      const whole = block(
        "src/slug.mjs",
        "  return text.slice(0, 6)\n",
        after.split("\n").slice(1, -2).join("\n") + "\n"
      )
      const { log, taskAgent, messages } = yield* open([
        ...[cutting("max", "4"), cutting("4", "5"), cutting("5", "6")].map(
          (change) => `${change}\n${resultSaying("It is done.")}`
        ),
        `${whole}\n${first}`,
        "No such line."
      ])
      expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
      expect(lastOf(messages).map((text) => [isQuestion(text), text?.includes("exit code 1")])).toEqual([
        [false, false],
        ...[1, 2, 3].map(() => [false, true]),
        [true, false]
      ])
      expect(log.events().filter(({ type }) => type === "answer.rejected")).toEqual([])
    })
  )

  it.effect("costs one call when there is no such line, and takes the report from before", () =>
    Effect.gen(function* () {
      for (const answer of ["No such line.", first]) {
        const { taskAgent, messages } = yield* open([fixed, first, answer])
        expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
        expect(messages).toHaveLength(3)
      }
    })
  )

  it.effect("asks for another report when the test led to a change of the source code", () =>
    Effect.gen(function* () {
      const repaired = block("src/slug.mjs", '  let kept = ""\n', '  if (max === 0) return null\n  let kept = ""\n')
      const { taskAgent, messages } = yield* open([
        fixed,
        first,
        testing("assert.strictEqual(slug('a', 0), null)"),
        repaired,
        resultSaying("Nothing has room in 0 letters.")
      ])
      const refinement = yield* taskAgent.work(order)
      expect(messages).toHaveLength(5)
      expect(refinement.result?.summary).toBe("Nothing has room in 0 letters.")
    })
  )

  it.effect("asks for another report when the answer takes a change of the source code back", () =>
    Effect.gen(function* () {
      const raised = block("src/words.mjs", "export const wordLimit = 1\n", "export const wordLimit = 2\n")
      const lowered = block("src/words.mjs", "export const wordLimit = 2\n", "export const wordLimit = 1\n")
      const { taskAgent, messages } = yield* open([
        `${fixed}\n${raised}`,
        resultSaying("The words stay whole, and the limit is 2."),
        `${lowered}\n${testing("assert.strictEqual(slug('ab cd', 3), 'ab')")}`,
        first
      ])
      expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
      expect(messages).toHaveLength(4)
    })
  )

  it.effect("takes back what fails when the answers run out, and takes the report from before", () =>
    Effect.gen(function* () {
      const failing = testing("assert.fail('never')")
      const fails = resultSaying("It fails.")
      const { taskAgent, messages } = yield* open([fixed, first, failing, fails, fails, fails], {
        settings: { checks: [testRunner], limits: { ...defaultLimits, turns: 6 } }
      })
      const refinement = yield* taskAgent.work(order)
      expect(lastOf(messages)[3]).toContain("never")
      expect(refinement.result?.summary).toBe("The words stay whole.")
      expect(refinement.files?.map(({ path }) => path)).toEqual(["src/slug.mjs"])
      expect(refinement.checks?.every(({ exitCode }) => exitCode === 0)).toBe(true)
    })
  )

  const replaced = '{"replace": "wordLimit", "with": "longestWord"}'
  const small = block("src/slug.mjs", "  return text.slice(0, max)\n", "  return text.slice(0, max - 0)\n")
  const alone = block("src/alone.mjs", "", `${after.replace("slug", "alone")}alone("a b", 1)\n`)
  const prose = block("notes.md", "", "One.\nTwo.\nThree.\nFour.\nFive.\n")
  const quiet: ReadonlyArray<readonly [why: string, change: string, settings: OpenStages["settings"]]> = [
    ["a rename", replaced, {}],
    ["a change that nothing else in the code belongs to", alone, {}],
    ["a small change", small, {}],
    ["text for people", prose, {}],
    ["a change that nothing checks", fixed, { checks: false }],
    ["a person who does not want it", fixed, { lookBack: false }],
    ["the last answers", fixed, { limits: { ...defaultLimits, turns: 3 } }],
    ["three answers that are left", fixed, { limits: { ...defaultLimits, turns: 5 } }]
  ]
  for (const [why, change, settings] of quiet) {
    it.effect(`is left out for ${why}`, () =>
      Effect.gen(function* () {
        const { taskAgent, messages } = yield* open([change, first], settings === undefined ? {} : { settings })
        expect((yield* taskAgent.work(order)).result?.summary).toBe("The words stay whole.")
        expect(messages).toHaveLength(2)
      })
    )
  }

  it.effect("comes with four answers left", () =>
    Effect.gen(function* () {
      const settings = { checks: [testRunner], limits: { ...defaultLimits, turns: 6 } } as const
      const { taskAgent, messages } = yield* open([fixed, first, "No such line."], { settings })
      yield* taskAgent.work(order)
      expect(lastOf(messages).filter(isQuestion)).toHaveLength(1)
    })
  )

  it.effect("is left out for each of many items", () =>
    Effect.gen(function* () {
      const { taskAgent, messages } = yield* open([fixed, first])
      yield* taskAgent.work({ ...order, isItem: true })
      expect(messages).toHaveLength(2)
    })
  )
})
