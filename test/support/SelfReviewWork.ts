/** A task that changes code with a test, and is asked to look back. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Layer from "effect/Layer"
import { plainTask } from "../../src/domain/plan/Task.ts"
import type { TaskOrder } from "../../src/services/pipeline/TaskStage.ts"
import { layerCommands } from "./layerWorld.ts"
import { layerOnCopy } from "./OpenChecks.ts"
import { briefing, openStages, type OpenStages } from "./OpenStages.ts"
import { resultSaying } from "./TestRun.ts"

/** Runs the tests in the process of the runner: a second process for each file would take most of the time. */
export const testRunner = [process.execPath, "--test", "--test-isolation=none"] as const
export const before = `export const slug = (text, max) => {
  return text.slice(0, max)
}
`
export const after = `export const slug = (text, max) => {
  const words = text.split(" ")
  let kept = ""
  for (const word of words) if ((kept + word).length < max) kept = kept === "" ? word : \`\${kept}-\${word}\`
  return kept
}
`
export const files = {
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
export const block = (path: string, old: string, text: string): string =>
  `${path}\n<<<<<<< OLD\n${old}=======\n${text}>>>>>>> NEW\n`

export const fixed = block(
  "src/slug.mjs",
  "  return text.slice(0, max)\n",
  after.split("\n").slice(1, -2).join("\n") + "\n"
)

export const testing = (assertion: string): string =>
  block(
    "test/slug.test.mjs",
    'test("cuts", () => assert.ok(slug("a b", 2).length <= 2))\n',
    `test("cuts", () => assert.ok(slug("a b", 2).length <= 2))\ntest("more", () => ${assertion})\n`
  )

export const task = plainTask("Edit 1", "edit-files", "Keep words whole.", "The change.")
export const order: TaskOrder = { briefing, task, round: 1, step: 0, finished: [] }

export const open = (answers: NonNullable<OpenStages["answers"]>, more: Partial<OpenStages> = {}) =>
  openStages({
    ...more,
    answers,
    files: { ...files, ...more.files },
    commands: Layer.orDie(Layer.provide(layerOnCopy, layerCommands({ sandbox: { mode: "off" } }))).pipe(
      Layer.provide(NodeServices.layer)
    ),
    settings: { checks: [testRunner], ...more.settings }
  })

export const first = resultSaying("The words stay whole.")
export const isQuestion = (text: string | undefined): boolean => text?.startsWith("## Look back") ?? false

/** The last message of each call of the model. */
export const lastOf = (messages: ReadonlyArray<ReadonlyArray<string>>) => messages.map((all) => all.at(-1))
