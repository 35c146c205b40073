/**
 * Checks by the host: commands of the project that tell whether a change is good. A person allows each of them once. A
 * failure counts as new when the same command does not show it without the changes.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as path from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import {
  CheckCommand,
  type CheckEnd,
  CheckOutcome,
  checkText,
  notRun,
  outcomeOf,
  withNewTests
} from "../../domain/checks/CheckOutcome.ts"
import { isSourceFile } from "../../domain/files/ChangedNames.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import { splitCommand } from "../../domain/configuration/CommandSplit.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { exactPattern, placePrefix } from "../../domain/permissions/TargetPattern.ts"
import { activityName, checkKey, seenKey } from "../../domain/runs/ActivityKey.ts"
import { heartbeatEvery } from "../../domain/runs/RunEvent.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import { type CanonicalCommand, Commands } from "../commands/Commands.ts"
import { decodeText } from "../../domain/text/TextEncoding.ts"
import { infoAt } from "../files/FileLook.ts"
import { FileVersions, mostKept } from "../files/FileVersions.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import type { MayRead } from "../files/ProjectMap.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate, redeem } from "../permissions/Gate.ts"
import { PermissionDenied, SavedDenial } from "../permissions/GateQuestion.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** The checks for changed files, by their paths relative to the project. */
export type ChooseChecks = (
  changed: ReadonlyArray<string>,
  mayRead: MayRead
) => Effect.Effect<ReadonlyArray<CheckCommand>, never, Workspace>

/** A feature chooses checks from what the project says about itself; else only those are known that a person names. */
export const ProjectChecks = Context.Reference<ChooseChecks>("task-conductor/services/checks/ProjectChecks", {
  defaultValue: () => () => Effect.succeed([])
})

/** The task and the turn that a check belongs to. */
export interface CheckScope {
  readonly task: string
  readonly round: number
  readonly turn: number
}

/** A check as events name it. */
interface NamedCheck {
  readonly task: string
  readonly round: number
  readonly command: string
}

/** A check that failed and took longer is not run again to see whether it is flaky. */
const longestRepeat = 60

/** After a check that took longer it is not tried whether changed tests fail without the changed source code. */
const longestTrial = 30

/** A tool of the host, which the question of the gate names. */
const tool = "run_command"

export class Checks extends Context.Service<
  Checks,
  {
    /** The commands that check these changed paths, relative to the project; none when nothing is known or checks are off. */
    commandsFor(paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<CheckCommand>>
    /**
     * Checks what the working copy of the fiber changes, one command after another. A check that is not allowed or cannot
     * be run has an outcome that says why. What failed before the changes by an `earlier` check of them is not new.
     */
    run(
      scope: CheckScope,
      paths: ReadonlyArray<string>,
      earlier?: ReadonlyArray<CheckOutcome>
    ): Effect.Effect<ReadonlyArray<CheckOutcome>>
  }
>()("task-conductor/services/checks/Checks") {
  static readonly layer = Layer.effect(
    Checks,
    Effect.gen(function* () {
      const activities = yield* Activities
      const commands = yield* Commands
      const events = yield* RunEvents
      const fs = yield* FileSystem.FileSystem
      const gate = yield* Gate
      const chooseChecks = yield* ProjectChecks
      const registry = yield* ToolRegistry
      const workspace = yield* Workspace
      const { askFirst: asksFirst = false, checks: given, limits } = yield* RunSettings
      const services = yield* Effect.context<Workspace>()
      const versions = yield* FileVersions
      const oneAtATime = (yield* Semaphore.make(1)).withPermits(1)
      /** How a command ended without changes, by its words and the state of the project. */
      const baselines = new Map<string, CheckEnd>()
      /** Whether a command failed with changed tests alone, by its words, these tests and the state of the project. */
      const trials = new Map<string, boolean>()
      /** What a person denied in this run; they are not asked again. */
      const denied = new Map<string, PermissionDenied>()

      const canonical = ({ argv, cwd }: Pick<CheckCommand, "argv" | "cwd">) =>
        commands.canonical({ _tag: "RunCommand", argv, ...(cwd === undefined ? {} : { cwd }) })

      const commandsFor = Effect.fn("Checks.commandsFor")(function* (paths: ReadonlyArray<string>) {
        if (given === false || paths.length === 0) return []
        const named = (given ?? []).flatMap((line): ReadonlyArray<CheckCommand> => {
          const argv = typeof line === "string" ? splitCommand(line) : line
          return typeof argv === "string" ? [] : [{ argv, kind: "given" }]
        })
        if (named.length > 0) return named
        const chosen = yield* Effect.provideContext(chooseChecks(paths, gate.mayRead), services)
        return yield* Effect.filter(chosen, (check) =>
          check.isGuess === true ? Effect.map(Effect.result(canonical(check)), Result.isSuccess) : Effect.succeed(true)
        )
      })

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
        named: NamedCheck,
        files: ReadonlyArray<ProposedFile>
      ) {
        const copy = makeWorkingCopy(files)
        const startedAt = yield* Clock.currentTimeMillis
        const run = commands.run(command, { seconds: limits.checkSeconds, limit: "limits.checkSeconds" })
        const ended = yield* run.pipe(
          Effect.raceFirst(signsOf(named)),
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
        const { exitCode, output, stopped } = ended
        return { exitCode, output, seconds, ...(stopped === undefined ? {} : { stopped }) } satisfies CheckEnd
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
        named: NamedCheck,
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

      /** Asks about the whole command; a rule that denies what is run in fact denies the check. */
      const allow = Effect.fnUntraced(function* (scope: CheckScope, place: string, check: CheckCommand) {
        const argv = check.whole ?? check.argv
        const key = hashOf([argv, check.cwd ?? "."])
        const before = denied.get(key)
        if (before !== undefined) return yield* before
        const refuse = (denial: PermissionDenied) => {
          denied.set(key, denial)
          return Effect.fail(denial)
        }
        const command = yield* canonical(check)
        const prepared = yield* registry.prepare({
          uid: place,
          name: tool,
          arguments: check.cwd === undefined ? { argv } : { argv, cwd: check.cwd }
        })
        for (const access of [command, ...prepared.accesses]) {
          const denial = yield* gate.foresee(access)
          /* Only the whole command has to be allowed; the narrower one must not be denied. */
          if (denial === undefined || (access === command && denial.rules.length === 0 && check.whole !== undefined)) {
            continue
          }
          const folder = path.relative(workspace.root, command.cwd) || "."
          const prefix = placePrefix({ folder, sandboxed: command.sandboxed }, exactPattern)
          const target = accessTarget(access)
          const refusal = new PermissionDenied({
            tool,
            targets: [target],
            by: denial.rules.length > 0 ? "rule" : "nobody",
            patterns: [`${prefix}${exactPattern(target)}`]
          })
          if (denial.rules.length > 0) return yield* refuse(refusal)
          /* A person who approved all steps beforehand approved what checks their changes. */
          const tasks = [{ task: scope.task, gatedBy: "risk" as const, calls: [prepared] }]
          const { approved } = yield* gate.approveStep({ title: checkText(check), planKey: "checks", tasks })
          if (!approved) return yield* refuse(refusal)
        }
        const part = check.whole === undefined ? {} : { part: checkText(check) }
        const asked = { task: scope.task, place, ...part }
        const permit = yield* Effect.catch(gate.authorize(asked, prepared), refuse)
        if (!redeem(permit)) return yield* Effect.die("a check was run without a fresh permit")
        return command
      })

      const execute = Effect.fnUntraced(function* (
        scope: CheckScope,
        place: string,
        check: CheckCommand,
        earlier: ReadonlyArray<CheckOutcome>
      ) {
        const { round, task } = scope
        const allowed = yield* Effect.result(allow(scope, place, check))
        if (Result.isFailure(allowed)) {
          if (allowed.failure._tag === "PermissionDenied") return yield* allowed.failure
          return notRun(check, allowed.failure.message)
        }
        const command = allowed.success
        const files = (yield* CurrentCopy)?.files() ?? []
        const named: NamedCheck = { task, round, command: checkText(check) }
        yield* events.publish({ type: "check.started", ...named })
        const work = Effect.gen(function* () {
          const end = yield* carryOut(command, named, files)
          if (end.exitCode === 0) {
            const passed = outcomeOf(check, end)
            return check.kind === "types" || passed.notRun !== undefined
              ? passed
              : yield* withoutSource(command, named, files, passed)
          }
          const filesOfBefore = asksFirst ? yield* filesBefore : files.length > 0 ? [] : undefined
          const before = filesOfBefore && (yield* baselineOf(command, named, filesOfBefore))
          const compared = outcomeOf(check, end, { before, earlier })
          const isRepeated =
            compared.newFailures.length > 0 &&
            check.kind !== "types" &&
            end.exitCode !== null &&
            end.seconds <= longestRepeat
          const again = isRepeated ? yield* carryOut(command, named, files) : undefined
          return outcomeOf(check, end, { before, again, earlier })
        })
        return yield* Effect.catchTag(oneAtATime(work), "ToolFailure", ({ message }) =>
          Effect.succeed(notRun(check, message))
        )
      })

      const report = ({ round, task }: CheckScope, { command, exitCode, newFailures, seconds, text }: CheckOutcome) =>
        events.publish({ type: "check.finished", task, round, command, exitCode, seconds, newFailures, text })

      const runOne = Effect.fnUntraced(function* (
        scope: CheckScope,
        check: CheckCommand,
        index: number,
        { earlier, paths }: { readonly earlier: ReadonlyArray<CheckOutcome>; readonly paths: ReadonlyArray<string> }
      ) {
        const copy = yield* CurrentCopy
        const key = checkKey({ ...scope, index })
        const input = hashOf([
          check.argv,
          check.cwd ?? ".",
          copy === undefined ? paths : copy.files().map(({ path, text }) => [path, text])
        ])
        return yield* activities
          .run({
            key,
            input,
            success: CheckOutcome,
            error: SavedDenial,
            execute: execute(scope, activityName({ key, input }), check, earlier),
            publish: (outcome) => report(scope, outcome)
          })
          .pipe(
            Effect.catchTag("PermissionDenied", ({ forModel, message }) => {
              const outcome = notRun(check, message, forModel)
              return Effect.as(report(scope, outcome), outcome)
            }),
            Effect.tap(({ text }) => gate.noteRead(text, "command"))
          )
      })

      return Checks.of({
        commandsFor,
        run: Effect.fn("Checks.run")(function* (scope, paths, earlier = []) {
          const chosen = yield* activities.record(
            { key: seenKey.checks(scope.task, scope.round, scope.turn), success: Schema.Array(CheckCommand) },
            commandsFor(paths)
          )
          return yield* Effect.forEach(chosen, (check, index) => runOne(scope, check, index + 1, { earlier, paths }))
        })
      })
    })
  )
}
