/**
 * Prints the commands that the map names for the projects in these folders. One line for each command: its kind, how it
 * can be narrowed, and whether its program is installed. `node bench/map-commands.ts [--kind tests] FOLDER...`
 */
import { readFileSync, accessSync, constants, statSync } from "node:fs"
import { basename, join } from "node:path"
import { execFileSync } from "node:child_process"
import { parseArgs } from "node:util"
import { manifestsOf, projectCommands } from "../src/domain/map/MainFiles.ts"
import { byUse, folderOf, type ProjectCommand, programOf, runnableCommands } from "../src/domain/map/ProjectCommands.ts"
import { mappedFiles } from "../src/domain/map/ProjectMap.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { kind: { type: "string" } } })

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

const shown = (command: ProjectCommand, isHere: boolean): string => {
  const cwd = folderOf(command.from) === "" ? "" : ` in ${folderOf(command.from)}`
  const before = (command.prepare ?? []).map((run) => `${run}; `).join("")
  const narrow =
    command.narrow === undefined ? "" : ` | ${command.narrow.argv.join(" ")} ${command.narrow.of.toUpperCase()}`
  return `  ${command.kind ?? "-"}: ${before}${command.run}${cwd}${narrow}${isHere ? "" : " (no program here)"}`
}

for (const root of positionals) {
  const listed = execFileSync("git", ["-C", root, "ls-files", "-z"], { maxBuffer: 64 * 1_048_576 }).toString()
  const files = mappedFiles(listed.split("\0").filter((path) => path !== "")).toSorted()
  const all = new Set(files)
  const manifests = manifestsOf(files).map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
    files: all
  }))
  const has = (program: string, folder: string): boolean =>
    program.includes("/")
      ? isProgram(join(root, folder, program))
      : (process.env["PATH"] ?? "").split(":").some((one) => isProgram(join(one, program)))
  console.log(`${basename(root)}: ${files.length} files`)
  const wanted = byUse(projectCommands(manifests)).filter(
    ({ kind }) => values.kind === undefined || kind === values.kind
  )
  for (const command of wanted) {
    const [here] = runnableCommands([command], has)
    console.log(shown(here ?? command, here !== undefined && programOf(here) !== ""))
  }
}
