/**
 * Finds out whether the sandbox made a command fail. Uses the command's output and the files that the command could not
 * see. Names the setting that would help.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as path from "node:path"
import type { SandboxSettings } from "../../domain/commands/CommandSettings.ts"
import { listedHosts } from "../../domain/commands/NetworkHosts.ts"
import { saysNoNetwork } from "../../domain/commands/NetworkTrouble.ts"
import { secretFolders } from "../../domain/files/SensitivePath.ts"
import { belowHome } from "../../domain/text/Format.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { entriesIn, isFolder, realPath, realPaths } from "../files/FileLook.ts"
import { emptied, isOfSystem } from "./ToolchainPlaces.ts"

/** A sentence about a setting of "sandbox" in the user's configuration. `value` is JSON. */
const sentence = (what: string, setting: keyof SandboxSettings, value: string): string =>
  `The sandbox is the likely cause: ${what}. Only the user can allow it, in ~/.config/task-conductor/config.json: "sandbox": { "${setting}": ${value} }.`

const noUnixSocket = /address family not supported|EAFNOSUPPORT/i

const readOnly = /read-only file system|EROFS/i
const unfound =
  /no such file|not found|cannot (?:open|find|access|load|stat)|can't (?:open|find)|ENOENT|does ?n[o']t exist|not accessible|unable to|could not|couldn't|failed to|bad interpreter|not a valid/i

const absolute = /(?:^|[\s"'`(<[=:@])(\/[^\s"'`()<>[\]:,;*?|]+)/g

const pathsIn = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(absolute)].map(([, path = ""]) => path.replace(/[./]+$/, "")).filter((path) => path !== "")

/** The maximum number of paths that are examined. */
const maxPaths = 100

const pathsOfLines = (output: string, pattern: RegExp): ReadonlyArray<string> => {
  const lines = output.split("\n").filter((line) => line.length < 4000 && pattern.test(line))
  return [...new Set(lines.flatMap(pathsIn))].slice(0, maxPaths)
}

/** The absolute paths in lines about missing files. */
const unfoundPaths = (output: string): ReadonlyArray<string> => pathsOfLines(output, unfound)

/** The absolute paths in lines about unwritable files. */
const fixedPaths = (output: string): ReadonlyArray<string> => pathsOfLines(output, readOnly)

/** Messages about missing commits, from git and from programs that use git. */
const lacksObjects =
  /bad object|invalid object|unable to read|could not parse (?:object|commit|HEAD)|bad default revision|bad revision|unknown revision|your current branch appears to be broken|object file .* is empty|obtaining VCS status|not a valid object name/i

/** True for a line about an unwritable path in `.git`. */
const failsInRepository = (output: string): boolean =>
  output.split("\n").some((line) => readOnly.test(line) && /(?:^|[\s"'`/])\.git\//.test(line))

interface FailedCommand {
  readonly root: string
  readonly home: string
  readonly cwd: string
  readonly program: string
  readonly end: { readonly exitCode: number; readonly output: string }
  /** The paths that the sandbox showed, besides those of the system. */
  readonly shownPaths: ReadonlyArray<string>
  /** The folders of git objects that were hidden because of secrets. */
  readonly objects: ReadonlyArray<string>
  /** Folders that no setting can show. */
  readonly hidden: ReadonlyArray<string>
  readonly settings: SandboxSettings
  /** The refused hosts, written as in the user's list. */
  readonly refused: ReadonlyArray<string>
}

/** The exit codes of a shell for a program that could not start. */
const unstarted: ReadonlySet<number> = new Set([126, 127])
/** The number of bytes of a script that are read to find its first line. */
const maxShebang = 256

/** The program that is named in the first line of a script. */
const interpreterOf = Effect.fnUntraced(function* (program: string) {
  const fs = yield* FileSystem.FileSystem
  const start = yield* Effect.scoped(
    Effect.flatMap(fs.open(program, { flag: "r" }), (file) => file.readAlloc(maxShebang))
  ).pipe(Effect.orElseSucceed(() => Option.none<Uint8Array>()))
  const text = Option.match(start, { onNone: () => "", onSome: (bytes) => new TextDecoder().decode(bytes) })
  return /^#!\s*(\/\S+)/.exec(text)?.[1]
})

/**
 * The path to add to a setting so that the sandbox shows a missing file. This is the folder of the program's
 * installation, or the folder that contains the file. If that folder is too large, it is the file itself.
 */
const folderToShow = Effect.fnUntraced(function* (file: string, home: string) {
  const isWide = (one: string) => isWithin(one, home) || one === path.join(home, ".local")
  const packages = `${file.slice(0, file.lastIndexOf("/node_modules/"))}/node_modules`
  if (isWithin(packages, file) && !isWide(packages)) return packages
  if (yield* isFolder(file)) return file
  const folder = path.dirname(file)
  const prefix = path.dirname(folder)
  if (path.basename(folder) === "bin" && !isWide(prefix)) return prefix
  return isWide(folder) ? file : folder
})

/** Installed packages that the output mentions and that are links out of the project. */
const linkedPackages = Effect.fnUntraced(function* ({ cwd, end: { output }, root }: FailedCommand) {
  const folders = [...new Set([root, cwd])].map((folder) => path.join(folder, "node_modules"))
  const listed = yield* Effect.forEach(folders, entriesIn)
  return folders.flatMap((folder, index) =>
    (listed[index] ?? [])
      .filter(({ name, type }) => type === "SymbolicLink" && output.includes(name))
      .map(({ name }) => path.join(folder, name))
  )
})

/** The setting that would help after a failed command. Undefined if the sandbox was not the cause. */
export const sandboxFailure = Effect.fn("sandboxFailure")(function* (command: FailedCommand) {
  const { end, hidden, home, objects, program, refused, root, settings, shownPaths: shownFolders } = command
  const { exitCode, output } = end
  if (exitCode === 0) return undefined
  const keys = [...secretFolders].map((name) => path.join(home, name))
  const isKept = (one: string) => [...hidden, ...keys, "/proc", "/dev"].some((folder) => isWithin(folder, one))
  const isSeen = (one: string) =>
    isOfSystem(one) || [root, ...shownFolders, ...emptied].some((folder) => isWithin(folder, one))

  const hiddenHint = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
    const real = yield* realPaths(paths)
    const first = real.find((one) => !isSeen(one) && !isKept(one) && !isWithin(one, home))
    if (first === undefined) return undefined
    const named = belowHome(yield* folderToShow(first, home), home)
    return sentence(`${named} is hidden from commands`, "readable", JSON.stringify([named]))
  })

  if (unstarted.has(exitCode)) {
    const interpreter = yield* interpreterOf(program)
    const hint = yield* hiddenHint([program, ...(interpreter === undefined ? [] : [interpreter])])
    if (hint !== undefined) return hint
  }
  if (objects.length > 0 && lacksObjects.test(output)) {
    const what = "the commits of the repository are hidden, because a file in them looks like a secret"
    return sentence(what, "readable", JSON.stringify(objects))
  }
  if (settings.git !== true && failsInRepository(output)) {
    return sentence("commands may not change the repository", "git", "true")
  }
  for (const one of fixedPaths(output)) {
    if (isWithin(root, one) || isKept(one) || isOfSystem(one)) continue
    const folder = (yield* realPath(one)) ?? path.dirname(one)
    const named = belowHome(folder, home)
    if (!isWithin(folder, home)) {
      return sentence(`commands may not write ${named}`, "writable", JSON.stringify([named]))
    }
  }
  const hosts = listedHosts(settings.network ?? false)
  if (refused.length > 0) {
    const list = JSON.stringify([...(hosts ?? []), ...refused])
    return sentence(`it refused ${refused.join(", ")}`, "network", list)
  }
  if (hosts !== undefined && saysNoNetwork(output)) {
    return sentence("commands reach only the listed hosts, through a proxy over HTTP", "network", "true")
  }
  if (settings.network !== true && saysNoNetwork(output)) {
    return sentence("the network is off for commands", "network", "true")
  }
  if (settings.unixSockets !== true && noUnixSocket.test(output)) {
    return sentence("Unix sockets are off for commands", "unixSockets", "true")
  }
  return yield* hiddenHint([...unfoundPaths(output), ...(yield* linkedPackages(command))])
})
