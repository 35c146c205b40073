/**
 * Runs check commands on copies of the project, with and without the changes of a task. The result without the changes
 * is cached for each state of the project.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type * as Schema from "effect/Schema"
import type { CheckEnd } from "../../domain/checks/CheckEnd.ts"
import { type CheckCommand, type CheckOutcome, outcomeOf, withNewTests } from "../../domain/checks/CheckOutcome.ts"
import { newTestsIn } from "../../domain/checks/RanTests.ts"
import { mayRunTest } from "../../domain/map/TestArguments.ts"
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
import { makeJoinedRuns } from "./JoinedRuns.ts"

export interface NamedCheck {
  readonly task: string
  readonly round: number
  readonly command: string
}

/** A command to run on the project with these files. Without `named`, no progress is reported. */
interface CheckRun {
  readonly command: CanonicalCommand
  readonly files: ReadonlyArray<ProposedFile>
  readonly named?: NamedCheck
  /** True if one command may check these changes together with the changes of other runs. */
  readonly mayJoin?: boolean
}

/** In seconds. A check that took longer is not run again with the changed tests and the old source code. */
const longestTrial = 30

/** The maximum duration, in seconds, of a failed check that is run again to see whether it is flaky. */
const longestRepeat = 60

const signOf = ({ argv, cwd }: CanonicalCommand, ...others: ReadonlyArray<Schema.Json>): string =>
  hashOf([argv, cwd, ...others])

const textsOf = (files: ReadonlyArray<ProposedFile>) => files.map(({ path, text }) => [path, text])

/** Runs a command in a working copy of its own. Files that the command writes do not become changes of the task. */
const makeCarryOut = Effect.gen(function* () {
  const commands = yield* Commands
  const events = yield* RunEvents
  const { limits } = yield* RunSettings

  /** Reports regularly that a check is running. This effect never ends. */
  const signsOf = (named: NamedCheck) => {
    let seconds = 0
    const sign = Effect.suspend(() => {
      seconds += heartbeatEvery / 1000
      return events.publish({ type: "check.running", ...named, seconds, endsAtSeconds: limits.checkSeconds })
    })
    return Effect.forever(Effect.andThen(Effect.sleep(Duration.millis(heartbeatEvery)), sign))
  }

  return Effect.fnUntraced(function* ({ command, files, named }: CheckRun) {
    const startedAt = yield* Clock.currentTimeMillis
    const limit = { seconds: limits.checkSeconds, limit: "limits.checkSeconds", isQuiet: named === undefined }
    const ended = yield* commands.run(command, limit).pipe(
      Effect.raceFirst(named === undefined ? Effect.never : signsOf(named)),
      Effect.provideService(CurrentCopy, makeWorkingCopy(files)),
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
    const { exitCode, limitHint, output, reports = [], sandboxHint, stopped } = ended
    const hint = sandboxHint ?? limitHint
    return {
      exitCode,
      output,
      seconds,
      ...(stopped === undefined ? {} : { stopped }),
      ...(hint === undefined ? {} : { hint }),
      ...(reports.length === 0 ? {} : { reports })
    } satisfies CheckEnd
  })
})

/** Reads two states of the project: its current files, and its files before this run. */
const makeProjectStates = Effect.gen(function* () {
  const commands = yield* Commands
  const fs = yield* FileSystem.FileSystem
  const versions = yield* FileVersions
  const workspace = yield* Workspace

  /** A hash of the paths, sizes and modification times of all project files. */
  const current = Effect.gen(function* () {
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    const infos = yield* Effect.forEach(files, (file) => infoAt(path.join(workspace.root, file)), {
      concurrency: 16
    })
    const stamps = infos.map((info) => info && `${info.size} ${info.mtime}`)
    return hashOf(files.map((file, index) => `${file} ${stamps[index] ?? ""}`))
  }).pipe(Effect.provideService(CurrentCopy, undefined), Effect.provideService(FileSystem.FileSystem, fs))

  /**
   * The files that this run changed in the project, with their original content. Undefined if one original is unknown.
   */
  const filesBefore = Effect.gen(function* () {
    if (!versions.isComplete() || (yield* commands.copies).mechanism === "none") return undefined
    const firstChanges = new Map(
      versions
        .changes()
        .toReversed()
        .map((change) => [change.path, change])
    )
    const files = yield* Effect.forEach(firstChanges.values(), ({ path: file, was }) =>
      Effect.gen(function* () {
        const bytes = typeof was === "string" ? yield* versions.read(was) : undefined
        const text = was === null ? null : bytes && Result.getOrUndefined(decodeText(bytes))
        const base = yield* Effect.orElseSucceed(workspace.readText(file, mostKept), () => null)
        return text === undefined ? undefined : { path: file, base, text }
      })
    )
    return files.every((file) => file !== undefined) ? files : undefined
  })

  return { current, filesBefore }
})

/** Runs the check commands of a run, one at a time. */
export const makeCheckRuns = Effect.gen(function* () {
  const carryOut = yield* makeCarryOut
  const project = yield* makeProjectStates
  const workspace = yield* Workspace
  const { askFirst: asksFirst = false } = yield* RunSettings
  const oneAtATime = (yield* Semaphore.make(1)).withPermits(1)
  const joined = makeJoinedRuns(carryOut, oneAtATime)
  /** For each command and project state, how the command ended without the changes. */
  const baselines = new Map<string, CheckEnd>()
  /** For each command, how it ended before the first change. */
  const firstEnds = new Map<string, CheckEnd>()
  /**
   * Whether a command failed with the changed tests and the old source code. The key combines the command, the tests
   * and the state of the project.
   */
  const trials = new Map<string, boolean>()

  /** Runs a command without the changes, once for each state of the project. */
  const baselineOf = Effect.fnUntraced(function* (run: CheckRun) {
    const key = signOf(run.command, asksFirst ? textsOf(run.files) : yield* project.current)
    const before = baselines.get(key)
    if (before !== undefined) return before
    const end = yield* carryOut(run)
    baselines.set(key, end)
    return end
  })

  /** Returns how the command ends without the changes; undefined if this cannot be determined. */
  const endBefore = Effect.fnUntraced(function* (run: CheckRun) {
    const first = firstEnds.get(signOf(run.command))
    if (asksFirst && first !== undefined) return first
    const files = asksFirst ? yield* project.filesBefore : run.files.length > 0 ? [] : undefined
    return files === undefined ? first : yield* baselineOf({ ...run, files })
  })

  const nameOf = (file: ProposedFile): string => path.relative(workspace.root, file.path)

  const withoutSource = Effect.fnUntraced(function* ({ argv }: CheckCommand, run: CheckRun, passed: CheckOutcome) {
    const isRun = (file: ProposedFile) => mayRunTest(argv, path.relative(run.command.cwd, file.path))
    const tests = run.files.filter((file) => file.text !== null && isTestFile(nameOf(file)) && isRun(file))
    const isUntested = run.files.every((file) => tests.includes(file) || !isSourceFile(nameOf(file)))
    if (tests.length === 0 || isUntested || passed.seconds > longestTrial) return passed
    const key = signOf(run.command, textsOf(tests), yield* project.current)
    const before = trials.get(key)
    const end = before === undefined ? yield* carryOut({ ...run, files: tests }) : undefined
    if (end?.stopped !== undefined) return passed
    const failWithout = before ?? end?.exitCode !== 0
    trials.set(key, failWithout)
    return withNewTests(passed, tests.map(nameOf), failWithout)
  })

  /**
   * Judges how a check ended. If it is unclear whether the changes caused the outcome, runs the command
   * again.
   */
  const judge = Effect.fnUntraced(function* (
    check: CheckCommand,
    run: CheckRun,
    earlier: ReadonlyArray<CheckOutcome>,
    end: CheckEnd
  ) {
    const isTypes = check.kind === "types"
    const declared = isTypes ? [] : newTestsIn(run.files.map((file) => ({ ...file, path: nameOf(file) })))
    if (end.exitCode === 0) {
      const passed = outcomeOf(check, end, { declared })
      return isTypes || passed.notRun !== undefined ? passed : yield* withoutSource(check, run, passed)
    }
    const before = yield* endBefore(run)
    const { newFailures } = outcomeOf(check, end, { before, earlier })
    const isRepeated = newFailures.length > 0 && !isTypes && end.exitCode !== null && end.seconds <= longestRepeat
    const again = isRepeated ? yield* carryOut(run) : undefined
    return outcomeOf(check, end, { before, again, earlier, declared })
  })

  const outcome = (check: CheckCommand, run: CheckRun, earlier: ReadonlyArray<CheckOutcome>) => {
    const judged = (end: CheckEnd) => judge(check, run, earlier, end)
    return run.mayJoin === true
      ? joined(signOf(run.command), run, judged)
      : oneAtATime(Effect.flatMap(carryOut(run), judged))
  }

  /** Runs a command before the first change, and remembers how it ends. */
  const tryOut = Effect.fnUntraced(function* (command: CanonicalCommand) {
    const end = yield* baselineOf({ command, files: [] })
    firstEnds.set(signOf(command), end)
    return end
  }, oneAtATime)

  return { outcome, tryOut }
})
