/**
 * Records docs/terminal.svg: the built program in a terminal, with the story of `story.ts`. The keys are typed by the script; everything
 * on the screen is what the program shows.
 *
 *   npm run build && node scripts/recording/record.ts
 */
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { FakeOllama } from "../../test/support/FakeOllama.ts"
import { fakeModel } from "../../test/support/FakeOllamaPaths.ts"
import { chatLine } from "../../test/support/FakeOllamaReply.ts"
import { recordFrames } from "./TerminalFrames.ts"
import { terminalSvg } from "./TerminalSvg.ts"
import { answer, files, request } from "./story.ts"

const [columns, rows] = [84, 26]
const root = resolve(import.meta.dirname, "../..")

/** The model's speed: reading time and time for each word, in ms. */
const speed = { reading: 900, word: 22 }

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))

/** Releases the words of an answer one by one. */
const slowly = (text: string, call: number, release: (latch: string) => void) => {
  const words = text.match(/\s*\S+\s*/g) ?? []
  const lines = words.map((word) => `${chatLine(fakeModel, { content: word })}\n`)
  const last = `${chatLine(fakeModel, {}, { done: true, done_reason: "stop", prompt_eval_count: 1900, eval_count: words.length * 2 })}\n`
  const drips = [...lines, last].map((bytes, index) => ({ latch: `${call}-${index}`, bytes }))
  void (async () => {
    await pause(speed.reading)
    for (const { latch } of drips) {
      release(latch)
      await pause(speed.word)
    }
  })()
  return drips
}

const record = Effect.gen(function* () {
  let calls = 0
  const server = yield* FakeOllama.make((body) => {
    const drips = slowly(answer(body), (calls += 1), (latch) => void Effect.runPromise(server.release(latch)))
    return { drips, end: true }
  })
  const folder = mkdtempSync(join(tmpdir(), "recording-"))
  const project = join(folder, "project")
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const bin = join(folder, "bin")
  mkdirSync(bin)
  writeFileSync(
    join(bin, "task-conductor"),
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, "bin/task-conductor.cjs")}" "$@"\n`,
    {
      mode: 0o755
    }
  )
  const line = `task-conductor run --model ${fakeModel} "${request}"`
  const frames = yield* Effect.promise(() =>
    recordFrames({
      file: "/bin/sh",
      words: ["-c", `printf '$ %s\\n' '${line}'; ${line}`],
      cwd: project,
      env: {
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        HOME: folder,
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
        OLLAMA_HOST: server.url,
        OLLAMA_NUM_PARALLEL: "2"
      },
      columns,
      rows,
      typing: [{ when: "Allow?", keys: "y", after: 3000 }]
    })
  )
  rmSync(folder, { recursive: true })
  return frames
}).pipe(Effect.scoped)

const frames = await Effect.runPromise(record)
const title = `A terminal: task-conductor plans, searches, shows two changes and asks, makes them, and answers`
writeFileSync(join(root, "docs/terminal.svg"), terminalSvg(frames, { columns, rows, title }))
console.log(`docs/terminal.svg: ${frames.length} screens, ${((frames.at(-1)?.at ?? 0) / 1000).toFixed(1)} s`)
