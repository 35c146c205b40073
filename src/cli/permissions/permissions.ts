/** `task-conductor permissions`: lists and revokes rules, and explains why a call would run or not. */
import * as Effect from "effect/Effect"
import { folderIdentity } from "../../services/files/FileLook.ts"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { ruleText } from "../../domain/permissions/Permission.ts"
import { outputJson, maxNesting, textNestedTooDeep } from "../../domain/text/Json.ts"
import { printable } from "../../domain/text/Printable.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import { concernsProject, type RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import { Arguments } from "../../domain/tools/ToolCall.ts"
import type { SourcedRule } from "../../services/permissions/Policy.ts"
import { Policies } from "../../services/permissions/Policies.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { gateOptionsOf, layerCatalogue, layerPolicies } from "../../app/layers.ts"
import { readSetup } from "../../app/setup.ts"
import { runFlags } from "../run/runFlags.ts"
import { exitCodes, CommandFailure, usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { explainCall } from "./explainCall.ts"

/** A rule that applies now, and where it comes from. */
type ListedRule = SourcedRule & RememberedRule

/**
 * Reads a project's setup as it is without command line flags, and the project's real path. Its rules are saved under
 * this path.
 */
const readProject = Effect.fnUntraced(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const setup = yield* readSetup(project, {})
  const root = yield* Effect.orElseSucceed(fs.realPath(setup.project), () => setup.project)
  const problemWith = (rejection: { readonly message: string } | undefined): { readonly problem?: string } => {
    const problems = [...setup.folders.notes, ...(rejection === undefined ? [] : [rejection.message])]
    return problems.length === 0 ? {} : { problem: problems.join(" ") }
  }
  return { setup, root, problemWith }
})

const decodeArguments = Schema.decodeUnknownEffect(Schema.fromJsonString(Arguments))

const readArguments = (json: string) =>
  textNestedTooDeep(json)
    ? usageFailure(`The arguments are nested more than ${maxNesting} levels deep.`)
    : Effect.mapError(decodeArguments(json), () =>
        usageFailure(`The arguments are not a JSON object: ${json}. Write them as '{"path":"a.md"}'.`)
      )

const jsonFlag = (what: string, command: string) =>
  switchFlag("json", `${what}: task-conductor permissions ${command} --json`)

/** A rule's source, and when it was saved. */
const placeOf = ({ pin, project, rememberedAt, source }: ListedRule): string =>
  [
    printable(source ?? ""),
    ...(project === undefined ? [] : ["in this project only"]),
    ...(rememberedAt === undefined ? [] : [`since ${rememberedAt.slice(0, 10)}`]),
    ...(pin === undefined ? [] : [`only while ${printable(pin.origin)} does not change the tool`])
  ].join(", ")

const jsonRule = (rule: ListedRule) => ({ rule: ruleText(rule), ...rule })

const list = Command.make(
  "list",
  { project: runFlags.project, json: jsonFlag("Print one JSON object with the rules", "list") },
  Effect.fn("permissions list")(function* ({ json, project }) {
    const { emit, print, result, resultPaint } = yield* Output
    const { problemWith, root, setup } = yield* readProject(project)
    const policies = yield* Effect.provide(Policies, layerPolicies(setup.folders))
    const remembered = (yield* policies.rules)
      .filter((rule) => concernsProject(rule, root, folderIdentity(root)))
      .map((rule): ListedRule => Object.assign({}, rule, { source: policies.file ?? "" }))
    const rules: ReadonlyArray<ListedRule> = [...remembered, ...setup.rules]
    const { problem } = problemWith(policies.rejection)
    if (json) return yield* result(outputJson({ rules: rules.map(jsonRule), problem }, 2))
    if (problem !== undefined) yield* emit(`problem: ${printable(problem)}`)
    if (rules.length === 0) return yield* emit("No rules yet. Anything that is not safe asks first.")
    const width = Math.max(...rules.map((rule) => printable(ruleText(rule)).length))
    const lineOf = (rule: ListedRule): string =>
      [rule.verdict.padEnd(5), resultPaint.bold(printable(ruleText(rule)).padEnd(width)), placeOf(rule)].join("  ")
    yield* print(rules.map(lineOf).join("\n"))
  })
).pipe(
  withHelp("List the rules that apply in a project, in the form of --allow and --deny, with their sources", {
    "task-conductor permissions list": "List the rules"
  })
)

const revoke = Command.make(
  "revoke",
  {
    rule: Argument.String("RULE").pipe(
      Argument.withDescription('A remembered rule, as shown by "permissions list": "read_file:/etc/hosts"'),
      Argument.optional
    ),
    all: switchFlag(
      "all",
      "Revoke all remembered rules, also those of other projects: task-conductor permissions revoke --all"
    ),
    project: runFlags.project,
    json: jsonFlag("Print one JSON object with the revoked rules", "revoke --all")
  },
  Effect.fn("permissions revoke")(function* ({ all, json, project, rule }) {
    const { print, result } = yield* Output
    if (Option.isSome(rule) === all) {
      return yield* usageFailure('Give one rule as "task-conductor permissions list" shows it, or --all.')
    }
    const { root, setup } = yield* readProject(project)
    const policies = yield* Effect.provide(Policies, layerPolicies(setup.folders))
    if (policies.rejection !== undefined) return yield* policies.rejection
    const requested = Option.getOrUndefined(rule)
    /* A named rule is revoked for this project, and `--all` revokes the rules of all projects. */
    const present = (yield* policies.rules).filter(
      (one) => requested === undefined || concernsProject(one, root, folderIdentity(root))
    )
    const revoked = present.filter((one) => [undefined, ruleText(one), printable(ruleText(one))].includes(requested))
    yield* Effect.forEach(revoked, policies.revoke, { discard: true })
    if (json) yield* result(outputJson({ revoked: revoked.map(jsonRule) }, 2))
    if (requested !== undefined && revoked.length === 0) {
      const known = present.map((one) => `\n  ${printable(ruleText(one))}`).join("")
      const text = `There is no remembered rule "${printable(requested)}".${known === "" ? "" : ` Remembered rules:${known}`}`
      return yield* new CommandFailure({ exitCode: exitCodes.failed, text })
    }
    if (json) return
    const lines = revoked.map((one) => `revoked ${one.verdict} ${printable(ruleText(one))}`)
    yield* print(lines.length === 0 ? "There were no remembered rules." : lines.join("\n"))
  })
).pipe(
  withHelp("Revoke remembered rules. Runs in progress are not affected", {
    'task-conductor permissions revoke "read_file:/etc/hosts"': "Revoke one rule",
    "task-conductor permissions revoke --all": "Revoke all remembered rules"
  })
)

/** Prepares a call as a run does, and returns what the gate would decide. Does not run the call. */
const explanationOf = Effect.fn("explanationOf")(function* (project: string, name: string, json: string) {
  const callArguments = yield* readArguments(json)
  const { problemWith, setup } = yield* readProject(project)
  return yield* Effect.gen(function* () {
    const { prepare } = yield* ToolRegistry
    const { rejection } = yield* Policies
    const prepared = yield* Effect.mapError(
      prepare({ uid: "explain", name, arguments: callArguments }),
      ({ message }) => usageFailure(message)
    )
    const { accesses, info, risk } = prepared
    return {
      tool: info.name,
      origin: info.origin,
      definition: info.definition,
      risk,
      targets: accesses.map(accessTarget),
      ...(yield* explainCall(prepared, gateOptionsOf(setup))),
      ...problemWith(rejection)
    }
  }).pipe(Effect.provide(layerCatalogue(setup)))
})

type Explained = Effect.Success<ReturnType<typeof explanationOf>>

const verdictText: Readonly<Record<Explained["verdict"], string>> = {
  allow: "runs without a question",
  ask: "asks",
  deny: "never runs: a rule denies it",
  refuse: "never runs: nothing can allow it"
}

const explanationLines = ({
  origin,
  reasons,
  risk,
  rules,
  targets,
  tool,
  verdict
}: Explained): ReadonlyArray<string> => [
  `tool: ${printable(tool)} (${printable(origin)})`,
  `risk: ${risk}`,
  ...targets.map((target) => `target: ${printable(target)}`),
  `verdict: ${verdictText[verdict]}`,
  ...rules.map(
    (rule) =>
      `rule: ${rule.verdict} ${printable(ruleText(rule))}${rule.project === undefined ? "" : ", in this project only,"} in ${printable(rule.source ?? "")}`
  ),
  ...(rules.length === 0 && verdict !== "refuse" ? ["rule: none matches, so the risk decides"] : []),
  ...reasons.map((reason) => `note: ${printable(reason)}`)
]

const explain = Command.make(
  "explain",
  {
    tool: Argument.String("TOOL").pipe(
      Argument.withDescription('The name of a tool, as shown by "tools list": read_file')
    ),
    args: Argument.String("ARGUMENTS").pipe(
      Argument.withDescription(`The arguments as a JSON object: '{"path":".env"}'`),
      Argument.withDefault("{}")
    ),
    project: runFlags.project,
    json: jsonFlag("Print one JSON object", "explain get_file_tree")
  },
  Effect.fn("permissions explain")(function* ({ args, json, project, tool }) {
    const { emit, print, result } = yield* Output
    const explained = yield* explanationOf(project, tool, args)
    if (json) return yield* result(outputJson(explained, 2))
    if (explained.problem !== undefined) yield* emit(`problem: ${printable(explained.problem)}`)
    yield* print(explanationLines(explained).join("\n"))
  })
).pipe(
  withHelp("Explain whether a call would run, ask, or be denied, and which rules decide. Nothing is run", {
    [`task-conductor permissions explain read_file '{"path":".env"}'`]: "Explain why reading this file asks"
  })
)

export const permissions = Command.make("permissions").pipe(
  withHelp("List, explain and revoke permissions", {
    "task-conductor permissions list --json": "List every rule with its source"
  }),
  Command.withSubcommands([list, revoke, explain])
)
