/**
 * Checks by the host: commands of the project that tell whether a change is good. A person allows each of them once. A
 * failure counts as new when the same command does not show it without the changes.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as path from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import {
  CheckCommand,
  CheckOutcome,
  checkText,
  heldTo,
  notChecked,
  notRun,
  outcomeOf,
  statusOf,
  triedCheck,
  TriedCheck
} from "../../domain/checks/CheckOutcome.ts"
import { checksPlanKey } from "../../domain/permissions/ApprovalItem.ts"
import { splitCommand } from "../../domain/commands/CommandSplit.ts"
import { exactPattern, placePrefix } from "../../domain/permissions/TargetPattern.ts"
import { activityName, checkKey, seenKey } from "../../domain/runs/ActivityKey.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Commands } from "../commands/Commands.ts"
import type { MayRead } from "../files/ProjectMap.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate, redeem, approveStep, foreseeDenial, mayRead } from "../permissions/Gate.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { PermissionDenied, SavedDenial, questionOfCall } from "../permissions/GateQuestion.ts"
import { makeCheckRuns, type NamedCheck } from "./CheckRuns.ts"
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
  /** What the prompt and the plan ask for: what they want to pass has to pass. */
  readonly request?: string
}

/** A check that failed and took longer is not run again to see whether it is flaky. */
const longestRepeat = 60

/** A check that nobody named is stopped after so many seconds when it is tried: it can start, then. */
const longestTry = 30

/** A tool of the host, which the question of the gate names. */
const tool = "run_command"

/** More checks are not tried before the plan. */
const mostTried = 4

/** All of a check of which a part was chosen. */
const wholeCheck = ({ argv, whole = argv, ...check }: CheckCommand): CheckCommand => ({ ...check, argv: whole })

/** The call whose permission a check needs. */
const callOf = (uid: string, { argv, cwd }: Pick<CheckCommand, "argv" | "cwd">): ToolCall => ({
  uid,
  name: tool,
  arguments: { argv, ...(cwd === undefined ? {} : { cwd }) }
})

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
    /**
     * Runs each check on the project as it is, as far as that needs no question, and reports how it ended. Of checks that
     * nobody named, those for the whole project are tried. It ends when a check of changes begins.
     */
    readonly tryOut: Effect.Effect<void>
  }
>()("task-conductor/services/checks/Checks") {
  static readonly layer = Layer.effect(
    Checks,
    Effect.gen(function* () {
      const activities = yield* Activities
      const commands = yield* Commands
      const events = yield* RunEvents
      const gate = yield* Gate
      const readTexts = yield* ReadTexts
      const chooseChecks = yield* ProjectChecks
      const registry = yield* ToolRegistry
      const workspace = yield* Workspace
      const { checks: given } = yield* RunSettings
      const services = yield* Effect.context<Workspace>()
      const runs = yield* makeCheckRuns
      const trialsEnd = yield* Deferred.make<void>()
      const oneAtATime = (yield* Semaphore.make(1)).withPermits(1)
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
        const chosen = yield* Effect.provideContext(chooseChecks(paths, mayRead(gate)), services)
        return yield* Effect.filter(chosen, (check) =>
          check.isGuess === true ? Effect.map(Effect.result(canonical(check)), Result.isSuccess) : Effect.succeed(true)
        )
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
        const prepared = yield* registry.prepare(callOf(place, { ...check, argv }))
        for (const access of [command, ...prepared.accesses]) {
          const denial = yield* foreseeDenial(gate, access)
          /* What is protected is denied when it runs. Only the whole command has to be allowed; the narrower one must not be denied. */
          if (
            denial === undefined ||
            denial.reason !== undefined ||
            (access === command && denial.rules.length === 0 && check.whole !== undefined)
          ) {
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
          const { approved } = yield* approveStep(gate, { title: checkText(check), planKey: checksPlanKey, tasks })
          if (!approved) return yield* refuse(refusal)
        }
        const part = check.whole === undefined ? {} : { part: checkText(check) }
        const asked = { task: scope.task, place, ...part }
        const permit = yield* Effect.catch(gate.authorize(questionOfCall(asked, prepared)), refuse)
        if (!redeem(permit)) return yield* Effect.die("a check was run without a fresh permit")
        return command
      })

      const execute = Effect.fnUntraced(function* (
        scope: CheckScope,
        place: string,
        check: CheckCommand,
        earlier: ReadonlyArray<CheckOutcome>
      ) {
        const { request = "", round, task } = scope
        const allowed = yield* Effect.result(allow(scope, place, check))
        if (Result.isFailure(allowed)) {
          if (allowed.failure._tag === "PermissionDenied") return yield* allowed.failure
          return notChecked(check, { cause: "program missing", reason: allowed.failure.message })
        }
        const command = allowed.success
        const files = (yield* CurrentCopy)?.files() ?? []
        const named: NamedCheck = { task, round, command: checkText(check) }
        yield* events.publish({ type: "check.started", ...named })
        /* A check of changes does not wait for one that is only tried. */
        yield* Deferred.succeed(trialsEnd, undefined)
        const work = Effect.gen(function* () {
          const end = yield* runs.carryOut(command, named, files)
          if (end.exitCode === 0) {
            const passed = outcomeOf(check, end)
            return check.kind === "types" || passed.notRun !== undefined
              ? passed
              : yield* runs.withoutSource(command, named, files, passed)
          }
          const before = yield* runs.before(command, named, files)
          const compared = outcomeOf(check, end, { before, earlier })
          const isRepeated =
            compared.newFailures.length > 0 &&
            check.kind !== "types" &&
            end.exitCode !== null &&
            end.seconds <= longestRepeat
          const again = isRepeated ? yield* runs.carryOut(command, named, files) : undefined
          return outcomeOf(check, end, { before, again, earlier })
        })
        const outcome = yield* Effect.catchTag(oneAtATime(work), "ToolFailure", ({ message }) =>
          Effect.succeed(notChecked(check, { cause: "sandbox", reason: message }))
        )
        return heldTo(outcome, request)
      })

      const report = ({ round, task }: CheckScope, outcome: CheckOutcome) => {
        const { command, exitCode, newFailures, seconds, text } = outcome
        const status = statusOf(outcome)
        return events.publish({
          type: "check.finished",
          task,
          round,
          command,
          status,
          exitCode,
          seconds,
          newFailures,
          text
        })
      }

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
            Effect.tap(({ text }) => readTexts.noteRead(text, "command"))
          )
      })

      /** The checks to try: those that are named, else those for all files of the project. */
      const trials = Effect.gen(function* () {
        const files = given === undefined ? yield* Effect.orElseSucceed(workspace.tree, () => []) : ["."]
        const chosen = yield* commandsFor(files)
        return [...new Map(chosen.map(wholeCheck).map((check) => [checkText(check), check])).values()].slice(
          0,
          mostTried
        )
      })

      /** How a check ends on the project as it is; nothing when it would be asked about, or is given up. */
      const tryOne = Effect.fnUntraced(function* (check: CheckCommand) {
        const found = yield* Effect.result(canonical(check))
        if (Result.isFailure(found)) return triedCheck(check, found.failure.message)
        const prepared = yield* registry.prepare(callOf("trial", check))
        const scope = { task: "", place: "" }
        const question = questionOfCall(scope, prepared)
        if ((yield* gate.decide(question))._tag !== "Allow") return null
        const permit = yield* gate.authorize(question)
        if (!redeem(permit)) return null
        const end = oneAtATime(runs.tryOut(found.success))
        if (check.kind === "given") return triedCheck(check, yield* end)
        return Option.match(yield* Effect.timeoutOption(end, Duration.seconds(longestTry)), {
          onNone: () => null,
          onSome: (ended) => triedCheck(check, ended)
        })
      })

      const tryAll = Effect.gen(function* () {
        const chosen = yield* activities.record({ key: seenKey.trials, success: Schema.Array(CheckCommand) }, trials)
        for (const [index, check] of chosen.entries()) {
          const tried = yield* activities.record(
            { key: seenKey.trial(index + 1), success: Schema.NullOr(TriedCheck) },
            Effect.orElseSucceed(tryOne(check), () => null)
          )
          if (tried !== null) yield* events.publish({ type: "check.tried", ...tried })
        }
      }).pipe(Effect.provideService(CurrentCopy, makeWorkingCopy()))

      return Checks.of({
        commandsFor,
        tryOut: Effect.raceFirst(tryAll, Deferred.await(trialsEnd)),
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
