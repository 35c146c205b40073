/**
 * Finds out whether a command failed because of its sandbox, by what is on the machine and the command could not see.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as path from "node:path"
import {
  failsInRepository,
  fixedPathHint,
  fixedPaths,
  fixedRepositoryHint,
  hiddenPathHint,
  switchedOffHint,
  unfoundPaths
} from "../../domain/commands/SandboxHint.ts"
import type { SandboxSettings } from "../../domain/commands/CommandSettings.ts"
import { secretFolders } from "../../domain/files/SensitivePath.ts"
import { belowHome } from "../../domain/text/Format.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { entriesIn, isFolder, realPath, realPaths } from "../files/FileLook.ts"
import { emptied, isOfSystem } from "./ToolchainPlaces.ts"

interface FailedCommand {
  readonly root: string
  readonly home: string
  readonly cwd: string
  /** The path of the program. */
  readonly program: string
  readonly exitCode: number
  readonly output: string
  /** What the sandbox showed beside the system. */
  readonly shown: ReadonlyArray<string>
  /** Folders that no setting shows. */
  readonly hidden: ReadonlyArray<string>
  readonly settings: SandboxSettings
}

/** Exit codes of a shell for a program that it could not start. */
const unstarted: ReadonlySet<number> = new Set([126, 127])
/** The first line of a script is not longer. */
const maxShebang = 256

/** The program that a script names in its first line. */
const interpreterOf = Effect.fnUntraced(function* (program: string) {
  const fs = yield* FileSystem.FileSystem
  const start = yield* Effect.scoped(
    Effect.flatMap(fs.open(program, { flag: "r" }), (file) => file.readAlloc(maxShebang))
  ).pipe(Effect.orElseSucceed(() => Option.none<Uint8Array>()))
  const text = Option.match(start, { onNone: () => "", onSome: (bytes) => new TextDecoder().decode(bytes) })
  return /^#!\s*(\/\S+)/.exec(text)?.[1]
})

/** The folder to show for a file: the installation around a program, else the folder that holds it. */
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

/** Installed packages of the project that are links and of which the output speaks. */
const linkedPackages = Effect.fnUntraced(function* ({ cwd, output, root }: FailedCommand) {
  const folders = [...new Set([root, cwd])].map((folder) => path.join(folder, "node_modules"))
  const listed = yield* Effect.forEach(folders, entriesIn)
  return folders.flatMap((folder, index) =>
    (listed[index] ?? [])
      .filter(({ name, type }) => type === "SymbolicLink" && output.includes(name))
      .map(({ name }) => path.join(folder, name))
  )
})

/** The sentence that names the setting that helps; nothing when the command failed by itself. */
export const sandboxFailure = Effect.fn("sandboxFailure")(function* (command: FailedCommand) {
  const { exitCode, hidden, home, output, program, root, settings, shown } = command
  if (exitCode === 0) return undefined
  const keys = [...secretFolders].map((name) => path.join(home, name))
  const isKept = (one: string) => [...hidden, ...keys, "/proc", "/dev"].some((folder) => isWithin(folder, one))
  const isSeen = (one: string) =>
    isOfSystem(one) || [root, ...shown, ...emptied].some((folder) => isWithin(folder, one))
  const inTerms = (one: string) => belowHome(one, home)

  const hiddenHint = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
    const real = yield* realPaths(paths)
    const first = real.find((one) => !isSeen(one) && !isKept(one) && !isWithin(one, home))
    return first === undefined ? undefined : hiddenPathHint(inTerms(yield* folderToShow(first, home)))
  })

  if (unstarted.has(exitCode)) {
    const interpreter = yield* interpreterOf(program)
    const hint = yield* hiddenHint([program, ...(interpreter === undefined ? [] : [interpreter])])
    if (hint !== undefined) return hint
  }
  if (settings.git !== true && failsInRepository(output)) return fixedRepositoryHint
  for (const one of fixedPaths(output)) {
    if (isWithin(root, one) || isKept(one) || isOfSystem(one)) continue
    const folder = (yield* realPath(one)) ?? path.dirname(one)
    if (!isWithin(folder, home)) return fixedPathHint(inTerms(folder))
  }
  const off = switchedOffHint(output, {
    network: settings.network === true,
    unixSockets: settings.unixSockets === true
  })
  if (off !== undefined) return off
  return yield* hiddenHint([...unfoundPaths(output), ...(yield* linkedPackages(command))])
})
