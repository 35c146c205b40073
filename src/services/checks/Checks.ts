/**
 * Runs the project's commands that check changes. The user allows each command once. A failure counts as new if it does
 * not occur without the changes.
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
import {
  CheckCommand,
  CheckOutcome,
  checkText,
  heldTo,
  notChecked,
  notRun,
  statusOf,
  triedCheck,
  TriedCheck
} from "../../domain/checks/CheckOutcome.ts"
import { commandForOtherTests, mayRunTest } from "../../domain/map/TestArguments.ts"
import { isTestFile } from "../../domain/files/TestFile.ts"
import { checksPlanKey } from "../../domain/permissions/ApprovalItem.ts"
import { splitCommand } from "../../domain/commands/CommandSplit.ts"
import { targetPattern } from "../../domain/permissions/TargetPattern.ts"
import { activityName, checkKey, seenKey } from "../../domain/runs/ActivityKey.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Commands } from "../commands/Commands.ts"
import type { MayRead } from "../files/ProjectMap.ts"
import { isFileAt, Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Gate, redeem, approveCalls, foreseeDenial, mayRead } from "../permissions/Gate.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { PermissionDenied, SavedDenial, questionOfCall } from "../permissions/GateQuestion.ts"
import { makeCheckRuns } from "./CheckRuns.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** Returns the checks for changed files, given as paths relative to the project. */
export type ChooseChecks = (
  changed: ReadonlyArray<string>,
  mayRead: MayRead
) => Effect.Effect<ReadonlyArray<CheckCommand>, never, Workspace>

/** Chooses checks for the project. The default chooses none, so that only checks that the user named run. */
export const ProjectChecks = Context.Reference<ChooseChecks>("task-conductor/services/checks/ProjectChecks", {
  defaultValue: () => () => Effect.succeed([])
})

/** The task and the turn to which a check belongs. */
export interface CheckScope {
  readonly task: string
  readonly round: number
  readonly turn: number
  /** The text of the prompt and the plan. Checks that this text asks for must pass. */
  readonly request?: string
  /** True if the changes to check are only a part of a larger change. One command may check all parts together. */
  readonly isPart?: boolean
}

/**
 * The time limit, in seconds, for the trial of a check that the user did not name. The trial only shows that the check
 * can start.
 */
const longestTry = 30

/** The tool name in the gate's question about a check. */
const tool = "run_command"

/** The maximum number of checks that are tried while the model plans. */
const mostTried = 4

/** Widens a check of a part, such as one test file, to the whole command, such as `npm test`. */
const wholeCheck = ({ argv, whole = argv, ...check }: CheckCommand): CheckCommand => ({ ...check, argv: whole })

const callOf = (uid: string, { argv, cwd }: Pick<CheckCommand, "argv" | "cwd">): ToolCall => ({
  uid,
  name: tool,
  arguments: { argv, ...(cwd === undefined ? {} : { cwd }) }
})

/** Reads a check that the user named. Empty if it is no valid command. */
const namedCheck = (line: string | CheckCommand["argv"]): ReadonlyArray<CheckCommand> => {
  const argv = typeof line === "string" ? splitCommand(line) : line
  return typeof argv === "string" ? [] : [{ argv, kind: "given" }]
}

/**
 * Returns checks for changed test files that the user's checks do not run. The permission for the user's command also
 * covers these checks.
 */
const checksOfOtherTests = Effect.fnUntraced(function* (
  named: ReadonlyArray<CheckCommand>,
  paths: ReadonlyArray<string>
) {
  const workspace = yield* Workspace
  const files = yield* Effect.filter(paths.filter(isTestFile), (file) => isFileAt(workspace, file))
  const unrun = files.filter((file) => !named.some(({ argv }) => mayRunTest(argv, file)))
  return named.flatMap(({ argv }): ReadonlyArray<CheckCommand> => {
    const other = commandForOtherTests(argv, unrun)
    return other === undefined ? [] : [{ argv: other, whole: argv, kind: "tests" }]
  })
})

const canonicalCheck = (commands: Commands["Service"], { argv, cwd }: Pick<CheckCommand, "argv" | "cwd">) =>
  commands.canonical({ _tag: "RunCommand", argv, ...(cwd === undefined ? {} : { cwd }) })

const makeChoice = Effect.gen(function* () {
  const chooseChecks = yield* ProjectChecks
  const commands = yield* Commands
  const gate = yield* Gate
  const { checks: configuredChecks } = yield* RunSettings
  const services = yield* Effect.context<Workspace>()

  return Effect.fn("Checks.commandsFor")(function* (paths: ReadonlyArray<string>) {
    if (configuredChecks === false || paths.length === 0) return []
    const named = (configuredChecks ?? []).flatMap(namedCheck)
    if (named.length > 0)
      return [...named, ...(yield* Effect.provideContext(checksOfOtherTests(named, paths), services))]
    const chosen = yield* Effect.provideContext(chooseChecks(paths, mayRead(gate)), services)
    return yield* Effect.filter(chosen, (check) =>
      check.isGuess === true
        ? Effect.map(Effect.result(canonicalCheck(commands, check)), Result.isSuccess)
        : Effect.succeed(true)
    )
  })
})

const makeAllowance = Effect.gen(function* () {
  const commands = yield* Commands
  const gate = yield* Gate
  const registry = yield* ToolRegistry
  const workspace = yield* Workspace
  /** Checks that were denied in this run. The program does not ask about them again. */
  const denied = new Map<string, PermissionDenied>()

  /**
   * Asks for permission for the whole command. If only a part of it runs, and a rule denies this part, the check is
   * denied without a question.
   */
  return Effect.fnUntraced(function* (scope: CheckScope, uid: string, check: CheckCommand) {
    const argv = check.whole ?? check.argv
    const key = hashOf([argv, check.cwd ?? "."])
    const before = denied.get(key)
    if (before !== undefined) return yield* before
    const refuse = (denial: PermissionDenied) => {
      denied.set(key, denial)
      return Effect.fail(denial)
    }
    const command = yield* canonicalCheck(commands, check)
    const prepared = yield* registry.prepare(callOf(uid, { ...check, argv }))
    for (const access of [command, ...prepared.accesses]) {
      const denial = yield* foreseeDenial(gate, access)
      /**
       * Protected files are denied later, when the check runs. The permission for the whole command also covers a part
       * that runs alone, unless a rule denies this part.
       */
      if (denial === undefined || denial.by === "protection") continue
      if (access === command && denial.by === "nobody" && check.whole !== undefined) continue
      const folder = path.relative(workspace.root, command.cwd) || "."
      const target = accessTarget(access)
      const refusal = new PermissionDenied({
        tool,
        targets: [target],
        by: denial.denied.by,
        patterns: [targetPattern({ canonical: target, place: { folder, sandboxed: command.sandboxed } })]
      })
      if (denial.by === "rules") return yield* refuse(refusal)
      /** If the user approved all steps in advance, the checks are approved, too. */
      const tasks = [{ task: scope.task, gatedBy: "risk" as const, calls: [prepared] }]
      const { approved } = yield* approveCalls(gate, { title: checkText(check), planKey: checksPlanKey, tasks })
      if (!approved) return yield* refuse(refusal)
    }
    const part = check.whole === undefined ? {} : { part: checkText(check) }
    const place = { task: scope.task, place: uid, ...part }
    const permit = yield* Effect.catch(gate.authorize(questionOfCall(place, prepared)), refuse)
    if (!redeem(permit)) return yield* Effect.die("a check was run without a fresh permit")
    return command
  })
})

const finishedEvent = ({ round, task }: CheckScope, outcome: CheckOutcome) => {
  const { command, exitCode, newFailures, ran, seconds, text } = outcome
  const status = statusOf(outcome)
  const ended = { command, status, exitCode, seconds, newFailures, text, ...(ran === undefined ? {} : { ran }) }
  return { type: "check.finished", task, round, ...ended } as const
}

type CheckRuns = Effect.Success<typeof makeCheckRuns>

type CommandsFor = Effect.Success<typeof makeChoice>

const makeTrials = Effect.fnUntraced(function* (commandsFor: CommandsFor, runs: CheckRuns) {
  const activities = yield* Activities
  const commands = yield* Commands
  const events = yield* RunEvents
  const gate = yield* Gate
  const registry = yield* ToolRegistry
  const workspace = yield* Workspace
  const { checks: configuredChecks } = yield* RunSettings

  /** The checks to try: the checks that the user named, or else the checks for all project files. */
  const trials = Effect.gen(function* () {
    const files = configuredChecks === undefined ? yield* Effect.orElseSucceed(workspace.tree, () => []) : ["."]
    const chosen = yield* commandsFor(files)
    return [...new Map(chosen.map(wholeCheck).map((check) => [checkText(check), check])).values()].slice(0, mostTried)
  })

  /** Tries a check on the unchanged project. Null if it needs a question or takes too long. */
  const tryOne = Effect.fnUntraced(function* (check: CheckCommand) {
    const command = yield* Effect.result(canonicalCheck(commands, check))
    if (Result.isFailure(command)) return triedCheck(check, command.failure.message)
    const prepared = yield* registry.prepare(callOf("trial", check))
    const question = questionOfCall({ task: "", place: "" }, prepared)
    if ((yield* gate.decide(question))._tag !== "Allow") return null
    const permit = yield* gate.authorize(question)
    if (!redeem(permit)) return null
    const end = runs.tryOut(command.success)
    if (check.kind === "given") return triedCheck(check, yield* end)
    return Option.match(yield* Effect.timeoutOption(end, Duration.seconds(longestTry)), {
      onNone: () => null,
      onSome: (ended) => triedCheck(check, ended)
    })
  })

  return Effect.gen(function* () {
    const chosen = yield* activities.record({ key: seenKey.trials, success: Schema.Array(CheckCommand) }, trials)
    for (const [index, check] of chosen.entries()) {
      const ended = yield* activities.record(
        { key: seenKey.trial(index + 1), success: Schema.NullOr(TriedCheck) },
        Effect.orElseSucceed(tryOne(check), () => null)
      )
      if (ended !== null) yield* events.publish({ type: "check.tried", ...ended })
    }
  }).pipe(Effect.provideService(CurrentCopy, makeWorkingCopy()))
})

export class Checks extends Context.Service<Checks>()("task-conductor/services/checks/Checks", {
  make: Effect.gen(function* () {
    const activities = yield* Activities
    const allow = yield* makeAllowance
    const commandsFor = yield* makeChoice
    const events = yield* RunEvents
    const readTexts = yield* ReadTexts
    const runs = yield* makeCheckRuns
    const tryAll = yield* makeTrials(commandsFor, runs)
    const trialsEnd = yield* Deferred.make<void>()

    const execute = Effect.fnUntraced(function* (
      scope: CheckScope,
      uid: string,
      check: CheckCommand,
      earlier: ReadonlyArray<CheckOutcome>
    ) {
      const { isPart: mayJoin = false, request = "", round, task } = scope
      const allowed = yield* Effect.result(allow(scope, uid, check))
      if (Result.isFailure(allowed)) {
        if (allowed.failure._tag === "PermissionDenied") return yield* allowed.failure
        return notChecked(check, { cause: "program missing", reason: allowed.failure.message })
      }
      const files = (yield* CurrentCopy)?.files() ?? []
      const named = { task, round, command: checkText(check) }
      yield* events.publish({ type: "check.started", ...named })
      /** All trials stop now, because the check of changes must not wait for them. */
      yield* Deferred.succeed(trialsEnd, undefined)
      const outcome = yield* Effect.catchTag(
        runs.outcome(check, { command: allowed.success, named, files, mayJoin }, earlier),
        "ToolFailure",
        ({ message }) => Effect.succeed(notChecked(check, { cause: "sandbox", reason: message }))
      )
      return heldTo(outcome, request)
    })

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
          emit: (outcome) => events.publish(finishedEvent(scope, outcome))
        })
        .pipe(
          Effect.catchTag("PermissionDenied", ({ forModel, message }) => {
            const outcome = notRun(check, message, forModel)
            return Effect.as(events.publish(finishedEvent(scope, outcome)), outcome)
          }),
          Effect.tap(({ text }) => readTexts.noteRead(text, "command"))
        )
    })

    return {
      /** Returns the commands for changed paths, relative to the project. Empty if none is known or checks are off. */
      commandsFor,
      /**
       * Tries checks on the unchanged project and reports the outcomes. Skips checks that need a question. Ends when a
       * check of changes begins.
       */
      tryOut: Effect.raceFirst(tryAll, Deferred.await(trialsEnd)),
      /**
       * Checks the changes of the current working copy. The outcome of a denied or impossible check says why. A failure
       * is not new if an `earlier` check of the same changes had this failure.
       */
      run: Effect.fn("Checks.run")(function* (
        scope: CheckScope,
        paths: ReadonlyArray<string>,
        earlier: ReadonlyArray<CheckOutcome> = []
      ) {
        const chosen = yield* activities.record(
          { key: seenKey.checks(scope.task, scope.round, scope.turn), success: Schema.Array(CheckCommand) },
          commandsFor(paths)
        )
        return yield* Effect.forEach(chosen, (check, index) => runOne(scope, check, index + 1, { earlier, paths }))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
