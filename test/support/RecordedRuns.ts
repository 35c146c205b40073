/**
 * Records the journals of test/fixtures/journals with the real binary: a run that was done after a person approved a step,
 * one with a call that was denied, and one that was killed and went on. Called by scripts/record-journals.ts.
 */
import * as Effect from "effect/Effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { scopedSandbox, program, type Sandbox } from "./binary.ts"
import { FakeOllama, type FakeServer } from "./FakeOllama.ts"
import { fakeModel } from "./FakeOllamaPaths.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import { openTerminal } from "./PseudoTerminal.ts"
import { answerIn, planOf, refinementWith, resultSaying } from "./TestRun.ts"
import { stageNameOf } from "./stageName.ts"

/** The skill of the runs; it stays with their journals. */
const skill = new URL("../fixtures/journals/v1/skills/any/SKILL.md", import.meta.url)

const calls: Readonly<Record<string, Parameters<typeof refinementWith>[0]>> = {
  "Read 1": [{ name: "read_file", arguments: { path: "notes.md" } }],
  "Look 1": [{ name: "get_current_time", arguments: {} }],
  "Write 1": [{ name: "write_file", arguments: { path: "summary.md", content: "# Summary\n\nTea is hot.\n" } }]
}

const plan = planOf([
  [{ name: "Read 1" }, { name: "Look 1" }],
  [{ name: "Write 1", references: "[a](#read-1-results) [notes](notes.md)" }]
])

const stageOf = ({ messages }: ChatBody): string => stageNameOf(messages)
const taskOf = ({ messages }: ChatBody): string =>
  /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(messages[1]?.content ?? "")?.[1] ?? ""

/** What the model says; it depends on nothing but the stage and the task. */
export const recordedAnswer = (body: ChatBody): string =>
  answerIn(stageOf(body), {
    creation: plan,
    refinement: refinementWith(calls[taskOf(body)] ?? []),
    execution: resultSaying(`${taskOf(body)} is done.`)
  })

const isWriting = (body: ChatBody): boolean => stageOf(body) === "execution" && taskOf(body) === "Write 1"

interface Ground {
  readonly sandbox: Sandbox
  readonly server: FakeServer
}

const prompt = "Summarize the notes."
const words = ["run", "--model", fakeModel, "--parallel", "2"]
const allowed = ["--allow", "read_file", "--allow", "write_file", "--yes-this-run"]

/** A person reads the calls of the step on a terminal and approves them. */
const approved = async ({ sandbox, server }: Ground): Promise<void> => {
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(sandbox.root, "home"),
    XDG_CONFIG_HOME: join(sandbox.root, "config"),
    OLLAMA_HOST: server.url
  }
  const set = Object.entries(environment).map(([name, value]) => `${name}='${value}'`)
  const given = [...words, "--allow", "read_file", prompt].map((word) => `'${word}'`).join(" ")
  const terminal = openTerminal(
    `cd ${sandbox.root}/project; exec env -i ${set.join(" ")} TERM=xterm '${process.execPath}' '${program}' ${given}`
  )
  await terminal.shows("Answer")
  terminal.type("1\r")
  await terminal.ended
}

/** Nobody can be asked: reading is denied. */
const denied = async ({ sandbox, server }: Ground): Promise<void> => {
  await sandbox.run([...words, "--yes-this-run", "--allow", "write_file", prompt], {
    env: { OLLAMA_HOST: server.url }
  })
}

/** Killed while the model writes the last result, then resumed. */
const resumed = async ({ sandbox, server }: Ground): Promise<void> => {
  const { child, ended } = sandbox.start([...words, ...allowed, prompt], { env: { OLLAMA_HOST: server.url } })
  await Effect.runPromise(server.until(({ chats }) => chats.some(isWriting)))
  child.kill("SIGKILL")
  await ended
  await sandbox.run(["resume", "last", ...allowed], { env: { OLLAMA_HOST: server.url } })
}

/** How each journal is made, by its name. */
const recordings = { approved, denied, resumed }
export type RecordingName = keyof typeof recordings
export const recordingNames = Object.keys(recordings) as ReadonlyArray<RecordingName>

/** Carries out the run of this name; gives its journal with the texts in it that belong to this machine. */
export const record = Effect.fnUntraced(function* (name: RecordingName) {
  let held = name === "resumed"
  const server = yield* FakeOllama.make((body) => {
    if (!held || !isWriting(body)) return recordedAnswer(body)
    held = false
    return { text: recordedAnswer(body), hold: "for ever" }
  })
  const sandbox = yield* scopedSandbox()
  sandbox.write("config/task-conductor/skills/any/SKILL.md", readFileSync(skill))
  sandbox.write("project/notes.md", "# Notes\n\nTea is hot.\n")
  yield* Effect.promise(() => recordings[name]({ sandbox, server }))
  const state = join(sandbox.root, "home/.local/state/task-conductor")
  const [file = ""] = globSync("runs/*/journal.jsonl", { cwd: state })
  return {
    journal: readFileSync(join(state, file), "utf8"),
    machine: { [join(sandbox.root, "project")]: "/project", [server.url]: "http://127.0.0.1:11434" }
  }
})
