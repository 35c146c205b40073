/**
 * Runs the commands of checks: on copies of the project with and without the changes of a task. How a command ends without
 * changes is known once for each state of the project.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as path from "node:path"
import * as Result from "effect/Result"
import type { CheckEnd } from "../../domain/checks/CheckEnd.ts"
import { type CheckOutcome, withNewTests } from "../../domain/checks/CheckOutcome.ts"
import { isSourceFile } from "../../domain/files/ChangedNames.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import { heartbeatEvery } from "../../domain/runs/RunEvent.ts"
import { decodeText } from "../../domain/text/TextEncoding.ts"
import { type CanonicalCommand, Commands } from "../commands/Commands.ts"
import { infoAt } from "../files/FileLook.ts"
import { mostKept } from "../../domain/files/FileEntry.ts"
import { FileVersions } from "../files/FileVersions.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** A check as events name it. */
export interface NamedCheck {
  readonly task: string
  readonly round: number
  readonly command: string
}

/** After a check that took longer it is not tried whether changed tests fail without the changed source code. */
const longestTrial = 30

const wordsOf = ({ argv, cwd }: CanonicalCommand): string => hashOf([argv, cwd])

/** Makes what runs the commands of the checks of a run. */
export const makeCheckRuns = Effect.gen(function* () {
  const commands = yield* Commands
  const events = yield* RunEvents
  const fs = yield* FileSystem.FileSystem
  const workspace = yield* Workspace
  const versions = yield* FileVersions
  const { askFirst: asksFirst = false, limits } = yield* RunSettings
  /** How a command ended without changes, by its words and the state of the project. */
  const baselines = new Map<string, CheckEnd>()
  /** How a command ended before anything was changed, by its words. */
  const first = new Map<string, CheckEnd>()
  /** Whether a command failed with changed tests alone, by its words, these tests and the state of the project. */
  const trials = new Map<string, boolean>()

  /** The state of the project without the changes of a task: the files with their sizes and times. */
  const projectState = Effect.gen(function* () {
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    const infos = yield* Effect.forEach(files, (file) => infoAt(path.join(workspace.root, file)), {
      concurrency: 16
    })
    const stamps = infos.map((info) => info && `${info.size} ${Option.getOrUndefined(info.mtime)?.getTime()}`)
    return hashOf(files.map((file, index) => `${file} ${stamps[index] ?? ""}`))
  }).pipe(Effect.provideService(CurrentCopy, undefined), Effect.provideService(FileSystem.FileSystem, fs))

  /** Says again and again that a check runs; never ends. */
  const signsOf = (named: NamedCheck) => {
    let seconds = 0
    const sign = Effect.suspend(() => {
      seconds += heartbeatEvery / 1000
      return events.publish({ type: "check.running", ...named, seconds, endsAtSeconds: limits.checkSeconds })
    })
    return Effect.forever(Effect.andThen(Effect.sleep(Duration.millis(heartbeatEvery)), sign))
  }

  /** Runs a command to its end on a working copy of its own: what a check writes is no change of the task. */
  const carryOut = Effect.fnUntraced(function* (
    command: CanonicalCommand,
    named: NamedCheck | undefined,
    files: ReadonlyArray<ProposedFile>
  ) {
    const copy = makeWorkingCopy(files)
    const startedAt = yield* Clock.currentTimeMillis
    const run = commands.run(command, {
      seconds: limits.checkSeconds,
      limit: "limits.checkSeconds",
      isQuiet: named === undefined
    })
    const ended = yield* run.pipe(
      Effect.raceFirst(named === undefined ? Effect.never : signsOf(named)),
      Effect.provideService(CurrentCopy, copy),
      Effect.catchIf(
        ({ type }) => type === "timeout",
        ({ message }) => Effect.succeed(message)
      )
    )
    const seconds = ((yield* Clock.currentTimeMillis) - startedAt) / 1000
    if (typeof ended === "string") {
      const [stopped = "", ...output] = ended.split("\n")
      return { exitCode: null, output: output.join("\n"), seconds, stopped } satisfies CheckEnd
    }
    const { exitCode, limitHint, output, sandboxHint, stopped } = ended
    const hint = sandboxHint ?? limitHint
    return {
      exitCode,
      output,
      seconds,
      ...(stopped === undefined ? {} : { stopped }),
      ...(hint === undefined ? {} : { hint })
    } satisfies CheckEnd
  })

  /** The files that this run has changed in the project itself, as they were before; nothing when one is not known. */
  const filesBefore = Effect.gen(function* () {
    if (!versions.isComplete() || (yield* commands.copies).mechanism === "none") return undefined
    const first = new Map(
      versions
        .changes()
        .toReversed()
        .map((change) => [change.path, change])
    )
    const found = yield* Effect.forEach(first.values(), ({ path: file, was }) =>
      Effect.gen(function* () {
        const bytes = typeof was === "string" ? yield* versions.read(was) : undefined
        const text = was === null ? null : bytes && Result.getOrUndefined(decodeText(bytes))
        const base = yield* Effect.orElseSucceed(workspace.readText(file, mostKept), () => null)
        return text === undefined ? [] : [{ path: file, base, text }]
      })
    )
    return found.every((one) => one.length > 0) ? found.flat() : undefined
  })

  /** How the command ends where these files are as they were, and all others as they are in the project. */
  const baselineOf = Effect.fnUntraced(function* (
    command: CanonicalCommand,
    named: NamedCheck | undefined,
    before: ReadonlyArray<ProposedFile>
  ) {
    const texts = before.map(({ path, text }) => [path, text])
    const key = hashOf([command.argv, command.cwd, asksFirst ? texts : yield* projectState])
    const known = baselines.get(key)
    if (known !== undefined) return known
    const end = yield* carryOut(command, named, before)
    baselines.set(key, end)
    return end
  })

  const nameOf = (file: ProposedFile): string => path.relative(workspace.root, file.path)

  /** Tries a check that passed with the changed tests and without the changed source code. */
  const withoutSource = Effect.fnUntraced(function* (
    command: CanonicalCommand,
    named: NamedCheck,
    files: ReadonlyArray<ProposedFile>,
    passed: CheckOutcome
  ) {
    const tests = files.filter((file) => file.text !== null && isTestFile(nameOf(file)))
    const isUntested = files.every((file) => tests.includes(file) || !isSourceFile(nameOf(file)))
    if (tests.length === 0 || isUntested || passed.seconds > longestTrial) return passed
    const texts = tests.map(({ path, text }) => [path, text])
    const key = hashOf([command.argv, command.cwd, texts, yield* projectState])
    const known = trials.get(key)
    const end = known === undefined ? yield* carryOut(command, named, tests) : undefined
    if (end?.stopped !== undefined) return passed
    const failWithout = known ?? end?.exitCode !== 0
    trials.set(key, failWithout)
    return withNewTests(passed, tests.map(nameOf), failWithout)
  })

  /** How the command ends before anything is changed; it says nothing while it runs. */
  const tryOut = Effect.fnUntraced(function* (command: CanonicalCommand) {
    const end = yield* baselineOf(command, undefined, [])
    first.set(wordsOf(command), end)
    return end
  })

  /** How the command ends without the changes of `files`; nothing when that cannot be known. */
  const before = Effect.fnUntraced(function* (
    command: CanonicalCommand,
    named: NamedCheck,
    files: ReadonlyArray<ProposedFile>
  ) {
    const known = first.get(wordsOf(command))
    if (asksFirst && known !== undefined) return known
    const filesThen = asksFirst ? yield* filesBefore : files.length > 0 ? [] : undefined
    return filesThen === undefined ? known : yield* baselineOf(command, named, filesThen)
  })

  return { before, carryOut, tryOut, withoutSource }
})
