/**
 * A run that edits three long files of a package which the model does not know. The model writes only what it can copy
 * from the prompt of the same call: what it does not see it asks for, and without a way to ask it says so.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "../support/EventLog.ts"
import { makeFolder, makeProject } from "../support/Project.ts"
import { willingApprover } from "../support/ScriptedApprover.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { resultsIn, type StageName, stageOf, taskIn } from "./PromptView.ts"

const window = 8192
const marker = "  // Traced."

/** Functions of the package `effect` (MIT) in files of more than 2,000 lines. */
const targets = [
  { path: "src/Duration.ts", name: "isNegative" },
  { path: "src/BigDecimal.ts", name: "normalize" },
  { path: "src/Chunk.ts", name: "compact" }
]
type Target = (typeof targets)[number]

const sources = Object.fromEntries(
  targets.map(({ path }) => [path, readFileSync(new URL(`../../node_modules/effect/${path}`, import.meta.url), "utf8")])
)

const headOf = ({ name }: Target): string => `export const ${name} = `

/** The files with the marker in them. */
const expected = Object.fromEntries(
  targets.map((target) => {
    const lines = (sources[target.path] ?? "").split("\n")
    const at = lines.findIndex((line) => line.startsWith(headOf(target)))
    return [target.path, lines.toSpliced(at + 1, 0, marker).join("\n")]
  })
)

const list = targets.map(({ name, path }) => `\`${name}\` in ${path}`).join(", ")
const request = `Put the line \`${marker.trim()}\`, indented, first into the body of each of these functions: ${list}.`

/** A line of a prompt without the number in front of it. */
const plain = (line: string): string => line.replace(/^\s*\d+:(?: |$)/, "")

/** The first lines of a function as they stand in a prompt; nothing when it does not show all three. */
const seenHead = ({ user }: FilledPrompt, target: Target): ReadonlyArray<string> | undefined => {
  const rows = user.split("\n").map(plain)
  const at = rows.findIndex(
    (row, index) => row.startsWith(headOf(target)) && /^ {2}\S/.test(rows[index + 1] ?? "") && index + 2 < rows.length
  )
  const head = rows.slice(at, at + 3)
  return at < 0 || head.some((row) => row.startsWith("```")) ? undefined : head
}

const lineOf = ({ user }: FilledPrompt, { path }: Target): number | undefined => {
  const found = [...user.matchAll(/\]\((\S+?)#L(\d+)\)/g)].find(([, linked]) => linked === path)
  return found === undefined ? undefined : Number(found[2])
}

/** One call of the model: what it saw of the functions, and what it did about that. */
export interface Saw {
  readonly stage: StageName
  readonly task: string
  readonly characters: number
  /** Names of the functions whose first lines stood in the prompt. */
  readonly shown: ReadonlyArray<string>
  readonly did: string
  /** Texts to be replaced that do not stand in the prompt. */
  readonly blind: ReadonlyArray<string>
}

interface Answer {
  readonly text: string
  readonly did: string
  readonly quotes?: ReadonlyArray<string>
}

const find = "Find the functions"
const trace = "Trace the functions"

const plan = planOf([
  [{ name: find, skill: "search-code", needed: `Find the lines that declare ${list}.` }],
  [
    {
      name: trace,
      skill: "edit-files",
      needed: request,
      references: "[places](#find-the-functions-results)",
      gated: true
    }
  ]
])

const refined = (prompt: FilledPrompt): Answer => {
  if (taskIn(prompt).name === find) {
    const calls = targets.map((target) => ({
      name: "search_files",
      arguments: { pattern: headOf(target).trim(), path: target.path }
    }))
    return { text: refinementWith(calls), did: "searched" }
  }
  const heads = targets.map((target) => ({ target, head: seenHead(prompt, target) }))
  const unseen = heads.filter(({ head }) => head === undefined)
  if (unseen.length > 0) {
    const text = refinementWith(
      unseen.map(({ target }) => {
        const line = lineOf(prompt, target) ?? 1
        return { name: "read_file", arguments: { path: target.path, start_line: line, end_line: line + 8 } }
      })
    )
    return { text, did: "looked" }
  }
  const edits = heads.map(({ head = [], target: { path } }) => ({
    path,
    old_text: head.join("\n"),
    new_text: head.toSpliced(1, 0, marker).join("\n")
  }))
  return {
    text: refinementWith(edits.map((edit) => ({ name: "edit_file", arguments: edit }))),
    did: "edited",
    quotes: edits.map((edit) => edit.old_text)
  }
}

const executed = (prompt: FilledPrompt): Answer => {
  if (taskIn(prompt).name === find) {
    const places = targets.map((target) => {
      const [, line] = new RegExp(`^${target.path}:(\\d+): ${headOf(target)}`, "m").exec(prompt.user) ?? []
      return `- \`${target.name}\`: [${target.path}](${target.path}#L${line})`
    })
    return { text: resultSaying(places.join("\n")), did: "reported places" }
  }
  const changes = prompt.user.split(`+${marker}`).length - 1
  if (changes === 0 && !prompt.user.includes("### Not changed: ")) return refined(prompt)
  const files = targets.map(({ path }) => `[${path}](${path})`).join(", ")
  return changes === targets.length
    ? { text: resultSaying(`The line is in ${files}. Nothing is left of the task.`), did: "reported the edits" }
    : { text: resultSaying(`Not done: ${changes} of ${targets.length} edits were made.`), did: "reported what is left" }
}

const answered = (prompt: FilledPrompt): Answer => {
  switch (stageOf(prompt)) {
    case "creation":
      return { text: plan, did: "planned" }
    case "refinement":
      return refined(prompt)
    case "execution":
      return executed(prompt)
    case "iteration":
      return { text: planOf([]), did: "planned nothing more" }
    default:
      return { text: resultsIn(prompt).get(trace) ?? "Nothing was done.", did: "answered" }
  }
}

/** A line for each call. */
export const transcriptOf = (calls: ReadonlyArray<Saw>): string =>
  calls
    .map(({ characters, did, shown, stage, task }) => {
      const what = shown.length === 0 ? "no function" : shown.join(", ")
      return `${stage}${task === "" ? "" : ` of "${task}"`}: ${characters} characters, saw the lines of ${what}; ${did}`
    })
    .join("\n")

/** Carries out the run; gives the report, the files that are not as they must be, and what each call saw. */
export const editBlindly = Effect.gen(function* () {
  const calls: Array<Saw> = []
  const model = ScriptedModel.layer((prompt) => {
    const { did, quotes = [], text } = answered(prompt)
    const visible = prompt.user.split("\n").map(plain).join("\n")
    calls.push({
      stage: stageOf(prompt) ?? "conclusion",
      task: taskIn(prompt).name,
      characters: prompt.system.length + prompt.user.length,
      shown: targets.filter((target) => seenHead(prompt, target) !== undefined).map(({ name }) => name),
      did,
      blind: quotes.filter((quote) => !visible.includes(quote))
    })
    return text
  })
  const project = yield* makeProject(sources)
  const run = Effect.gen(function* () {
    const report = yield* (yield* Pipeline).run({ runId: "run-1", prompt: request })
    return { report, events: (yield* EventLog).events() }
  })
  const { events, report } = yield* run.pipe(
    Effect.provide(
      layerTestRun({
        at: { project, home: yield* makeFolder },
        settings: { contextWindow: window },
        approver: willingApprover()
      }).pipe(Layer.provide(model))
    )
  )
  const fs = yield* FileSystem.FileSystem
  const wrongFiles = yield* Effect.filter(Object.keys(expected), (path) =>
    Effect.map(fs.readFileString(`${project}/${path}`), (text) => text !== expected[path])
  )
  const sizes = events.flatMap((event) => (event.type === "model.started" ? [event.estimatedTokens] : []))
  return { report, wrongFiles, calls, largestPrompt: Math.max(...sizes), window }
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
