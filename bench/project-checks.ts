/**
 * Runs the checks that the map names for real projects, in the default sandbox and on a working copy. A scripted model
 * adds an empty line to a file. The program checks that change. The change is then not approved. A second run uses the
 * cache of the first.
 *
 *   node bench/project-checks.ts FOLDER:FILE...      (FILE is a source file, relative to the FOLDER of its project)
 *
 * Prints one line for each check: seconds, exit code, and what the program says about it. First install the
 * dependencies of the project as its developers do. State and caches go into a new folder, so that the first run has
 * none.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { run } from "../src/index.ts"
import { slotModel, startSlotServer } from "./SlotServer.ts"

const change = (file: string, text: string): string =>
  `${file}\n\`\`\`\n<<<<<<< OLD\n${text}\n=======\n${text}\n\n>>>>>>> NEW\n\`\`\`\n`

const measure = async (folder: string, file: string, state: string, pass: number): Promise<void> => {
  const lines = readFileSync(join(folder, file), "utf8").split("\n")
  const once = lines.find((line) => line.trim().length > 20 && lines.filter((other) => other === line).length === 1)
  if (once === undefined) throw new Error(`${file} has no line that stands in it once.`)
  const server = await startSlotServer({
    slots: 1,
    latency: 0,
    answer: (_, user) => (user.includes("### Changed") ? "## Result summary\n\nDone.\n" : change(file, once))
  })
  try {
    const work = run({
      project: folder,
      stateFolder: state,
      host: server.url,
      model: slotModel,
      prompt: `Add an empty line to ${file}.`,
      skill: "edit-files",
      allow: ["run_command", "read_file"]
    })
    for await (const event of work.events) {
      if (event.type !== "check.finished") continue
      const { command, exitCode, seconds, text } = event
      console.log(`${basename(folder)}, run ${pass}, ${command}: ${seconds} s, exit ${exitCode}, ${text.slice(0, 400)}`)
    }
    await work.report
  } finally {
    await server.close()
  }
}

for (const project of process.argv.slice(2)) {
  const [folder = "", file = ""] = project.split(":")
  const state = mkdtempSync(join(tmpdir(), "project-checks-"))
  try {
    for (const pass of [1, 2]) await measure(folder, file, state, pass)
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}
