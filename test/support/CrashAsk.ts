/**
 * A conversation of the real binary that changes three files and is killed at a system call, and what must hold then: every
 * file is whole, as it was before or as it was to become, and the next conversation in the project is not held up.
 */
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { scopedSandbox } from "./binary.ts"
import { type CrashKind, type Crashed, strace, wasKilled } from "./CrashPoints.ts"
import { FakeOllama } from "./FakeOllama.ts"
import { fakeModel } from "./FakeOllamaPaths.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import type { FakeToolCall, Reply } from "./FakeOllamaReply.ts"

const long = Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join("")

/** Each file with its text before the conversation, if it exists, and after. */
const files: Readonly<Record<string, readonly [before: string | undefined, after: string]>> = {
  "one.txt": [undefined, "one\n"],
  "deep/er/two.txt": [undefined, long],
  "other.md": ["# Other\n", "# Other and more\n"]
}

const write = (path: string): FakeToolCall => ({
  name: "write_file",
  arguments: { path, content: files[path]?.[1] ?? "" }
})
const edit = { name: "edit_file", arguments: { path: "other.md", old_text: "# Other", new_text: "# Other and more" } }

/** Depends on nothing but the conversation: the first one writes and edits, the other one writes everything. */
const answer = ({ messages }: ChatBody): Reply => {
  const last = messages.findLastIndex(({ content }) => /^(?:Change the files|Once more)\.$/m.test(content))
  const done = messages.slice(last).filter(({ role }) => role === "assistant").length
  if (messages.some(({ content }) => content.includes("Once more.")))
    return done === 0 ? { toolCalls: Object.keys(files).map(write) } : { text: "All is written." }
  if (done === 0) return { toolCalls: [write("one.txt"), write("deep/er/two.txt")] }
  return done === 1 ? { toolCalls: [edit] } : { text: "All is done." }
}

/** The calls of the system at which a conversation is killed; `isSeeded` has no meaning here. */
export const askCrashKinds: ReadonlyArray<CrashKind> = [
  { what: "flushes of all files and folders", calls: "fsync,fdatasync", isSeeded: false },
  { what: "writes of files", calls: "pwrite64", isSeeded: false },
  { what: "renames", calls: "rename", isSeeded: false },
  { what: "new folders", calls: "mkdir", isSeeded: false }
]

const flags = ["--model", fakeModel, "--json", "--allow", "write_file", "--allow", "edit_file", "--allow", "read_file"]

/** Kills a conversation at the call with this number, counted from 1, and holds another one after it. */
export const crashAskAt = Effect.fnUntraced(function* ({ calls }: CrashKind, when: number) {
  const server = yield* FakeOllama.make(answer)
  const sandbox = yield* scopedSandbox()
  const project = join(sandbox.root, "project")
  for (const [name, [before]] of Object.entries(files))
    if (before !== undefined) sandbox.write(`project/${name}`, before)
  const talk = (message: string, under: ReadonlyArray<string>) =>
    Effect.promise(
      () =>
        sandbox.start(["ask", ...flags, message], {
          env: { OLLAMA_HOST: server.url, UV_THREADPOOL_SIZE: "1" },
          ...(under.length === 0 ? {} : { under })
        }).ended
    )
  const textOf = (name: string): string | undefined =>
    existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8") : undefined
  const breaches: Array<string> = []

  const killed = yield* talk("Change the files.", strace(calls, `signal=SIGKILL:when=${when}`, undefined))
  const kills = wasKilled(killed) ? 1 : 0
  for (const [name, whole] of Object.entries(files))
    if (!whole.includes(textOf(name))) breaches.push(`${name} is neither the old nor the new text`)
  const begun = readdirSync(project, { recursive: true }).filter((name) => String(name).endsWith(".tmp"))
  if (begun.length > kills) breaches.push(`${begun.length} files of writes that never finished are left`)

  const next = yield* talk("Once more.", [])
  if (next.code !== 0) breaches.push(`the next conversation ended with ${next.code}: ${next.stderr.slice(0, 500)}`)
  for (const [name, [, after]] of Object.entries(files))
    if (textOf(name) !== after) breaches.push(`${name} was not written by the next conversation`)
  const crashed: Crashed = { kills, breaches }
  return crashed
}, Effect.scoped)
