/**
 * The sessions of a documentation page: its files, its commands and what they print, executed with the packed program in
 * folders of their own. What differs from run to run is made alike in what is shown and in what was printed.
 */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { blocksOf, type PageBlock } from "./PageBlocks.ts"
import { type Machine, openMachine } from "./PackedMachine.ts"

export interface Step {
  readonly place: string
  readonly command: string
  readonly shown: ReadonlyArray<string>
  readonly printed: ReadonlyArray<string>
}

const alike = (line: string): string =>
  line
    .replaceAll(/\b\d{8}-\d{6}-[a-z0-9]{4}\b/g, "<run>")
    .replaceAll(/\bsha256:[0-9a-f]{64}/g, "sha256:<hash>")
    .replaceAll(/\b20\d\d-\d\d-\d\d\b/g, "<date>")
    .replaceAll(/\b(?:today|yesterday) \d\d:\d\d \([^)]*\)/g, "<when>")
    .replaceAll(/\b\d+ tokens (?:read, \d+ written|in, \d+ out)/g, "<tokens>")
    .replaceAll(/\b\d+(?:\.\d+)? ?(?:ms|s)\b/g, "<time>")
    .replaceAll(/\bNode \d+\.\d+\.\d+/g, "Node <version>")

const fitFrom = (shown: ReadonlyArray<string>, printed: ReadonlyArray<string>): boolean => {
  const [first, ...rest] = shown
  if (first === undefined) return printed.length === 0
  if (first === "...") return [...printed.keys(), printed.length].some((from) => fitFrom(rest, printed.slice(from)))
  return printed[0] === first && fitFrom(rest, printed.slice(1))
}

/** Whether a command printed what is shown; `...` alone on a line stands for any lines. */
export const fits = ({ printed, shown }: Pick<Step, "printed" | "shown">): boolean =>
  fitFrom(shown.map(alike), printed.map(alike))

/** Pages call the home folder /home/you, and the server that does not answer is the usual one. */
const asInPages = (text: string, { home }: Machine): string =>
  text.replaceAll(home, "/home/you").replaceAll(/127\.0\.0\.1:1\b/g, "127.0.0.1:11434")

/** A shell that stays open: the folder and the exit code of the command before hold. */
const openShell = (machine: Machine) => {
  const state = join(machine.home, "..", "folder")
  let folder = join(machine.home, "project")
  let code = 0
  mkdirSync(folder)
  const run = async (command: string): Promise<ReadonlyArray<string>> => {
    const script = `exec 2>&1\n(exit ${code})\n${command}\ncode=$?\npwd > "${state}"\nexit $code`
    const printed = await new Promise<string>((resolve) => {
      const child = execFile("bash", ["-c", script], { cwd: folder, env: machine.env }, (error, stdout) => {
        code = Number(error?.code ?? 0)
        resolve(stdout)
      })
      child.stdin?.end()
    })
    folder = readFileSync(state, "utf8").trim()
    return withoutEnd(asInPages(printed, machine).split("\n"))
  }
  return { run, folder: () => folder }
}

/** Without the empty lines at the end. */
const withoutEnd = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.slice(0, lines.findLastIndex((line) => line !== "") + 1)

/** A file of a page: below the folder of the shell, or below the home folder, which pages call `~` and /home/you. */
const writeFile = (machine: Machine, folder: string, { file = "", lines }: PageBlock): void => {
  const path = file.startsWith("~/") ? join(machine.home, file.slice(2)) : join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join("\n").replaceAll("/home/you", machine.home)}\n`, { mode: 0o600 })
}

/** The lines with `$` in front, each with the lines up to the next one. */
const stepsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Pick<Step, "command" | "shown">> => {
  const starts = lines.flatMap((line, index) => (line.startsWith("$ ") ? [index] : []))
  return starts.map((start, index) => ({
    command: (lines[start] ?? "").slice(2),
    shown: withoutEnd(lines.slice(start + 1, starts[index + 1]))
  }))
}

/** Follows a page from its first block to its last. */
export const followPage = async (root: string, page: string, more: Machine["env"]): Promise<ReadonlyArray<Step>> => {
  const machine = openMachine(root, more)
  const shell = openShell(machine)
  const done: Array<Step> = []
  for (const block of blocksOf(page)) {
    if (block.file !== undefined) writeFile(machine, shell.folder(), block)
    for (const step of block.language === "console" ? stepsOf(block.lines) : [])
      done.push({ ...step, place: block.place, printed: await shell.run(step.command) })
  }
  return done
}
