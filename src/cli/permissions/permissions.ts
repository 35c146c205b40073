/**
 * `task-conductor permissions`: lists and revokes rules, and explains why a call would run or not.
 */
import * as Effect from "effect/Effect"
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
import { explainCall, type SourcedRule } from "../../services/permissions/PolicyEvaluator.ts"
import { Policies } from "../../services/permissions/Policies.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { gateOptionsOf, layerCatalogue, layerPolicies } from "../../app/projectLayers.ts"
import { readSetup, type Setup } from "../../app/setup.ts"
import { runFlags } from "../run/runFlags.ts"
import { exitCodes, CommandFailure, usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

/** A rule that is in force, with where it was written. */
type ListedRule = SourcedRule & RememberedRule

/** Why something of the person is not used, if so. */
const problemText = ({ folders }: Setup, rejection: { readonly message: string } | undefined): string | undefined => {
  const problems = [...folders.notes, ...(rejection === undefined ? [] : [rejection.message])]
  return problems.length === 0 ? undefined : problems.join(" ")
}

/** The real path of the project, as remembered rules name it. */
const rootOf = ({ project }: Setup) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.orElseSucceed(fs.realPath(project), () => project))

/** All rules that hold in a project without flags, and why those that were remembered do not, if so. */
const listRules = Effect.fn("listRules")(function* (project: string) {
  const setup = yield* readSetup(project, {})
  return yield* Effect.gen(function* () {
    const { file = "", rejection, rules } = yield* Policies
    const root = yield* rootOf(setup)
    const here = (yield* rules).filter((rule) => concernsProject(rule, root))
    const remembered = here.map((rule): ListedRule => Object.assign({}, rule, { source: file }))
    const all: ReadonlyArray<ListedRule> = [...remembered, ...setup.rules]
    return { rules: all, file, problem: problemText(setup, rejection) }
  }).pipe(Effect.provide(layerPolicies(setup)))
})

/** A person names a rule as the list shows it. */
const isMeant =
  (text: string | undefined) =>
  (rule: RememberedRule): boolean =>
    text === undefined || ruleText(rule) === text || printable(ruleText(rule)) === text

/** Revokes remembered rules: those that hold here with this text, or all of every project. Returns the revoked ones. */
const revokeRules = Effect.fn("revokeRules")(function* (project: string, text: string | undefined) {
  const setup = yield* readSetup(project, {})
  return yield* Effect.gen(function* () {
    const { rejection, revoke, rules } = yield* Policies
    if (rejection !== undefined) return yield* rejection
    const root = yield* rootOf(setup)
    const all = yield* rules
    const present = text === undefined ? all : all.filter((rule) => concernsProject(rule, root))
    const gone = present.filter(isMeant(text))
    yield* Effect.forEach(gone, revoke, { discard: true })
    return { gone, left: present.filter((rule) => !gone.includes(rule)) }
  }).pipe(Effect.provide(layerPolicies(setup)))
})

const decodeArguments = Schema.decodeUnknownEffect(Schema.fromJsonString(Arguments))

/** Prepares a call as a run would and judges it; runs nothing. */
const explanationOf = Effect.fn("explanationOf")(function* (project: string, name: string, json: string) {
  if (textNestedTooDeep(json))
    return yield* usageFailure(`The arguments are nested more than ${maxNesting} levels deep.`)
  const given = yield* decodeArguments(json).pipe(
    Effect.mapError(() =>
      usageFailure(`The arguments are not a JSON object: ${json}. Write them as '{"path":"a.md"}'.`)
    )
  )
  const setup = yield* readSetup(project, {})
  return yield* Effect.gen(function* () {
    const registry = yield* ToolRegistry
    const { rejection } = yield* Policies
    const prepared = yield* registry
      .prepare({ uid: "explain", name, arguments: given })
      .pipe(Effect.mapError(({ message }) => usageFailure(message)))
    const { accesses, info, risk } = prepared
    return {
      tool: info.name,
      origin: info.origin,
      definition: info.definition,
      risk,
      targets: accesses.map(accessTarget),
      ...(yield* explainCall(prepared, gateOptionsOf(setup))),
      problem: problemText(setup, rejection)
    }
  }).pipe(Effect.provide(layerCatalogue(setup)))
})

const jsonFlag = (what: string, command: string) =>
  switchFlag("json", `${what}: task-conductor permissions ${command} --json`)

/** Where a rule comes from, and since when it is remembered. */
const placeOf = ({ pin, project, rememberedAt, source }: ListedRule): string =>
  [
    printable(source ?? ""),
    ...(project === undefined ? [] : ["in this project only"]),
    ...(rememberedAt === undefined ? [] : [`since ${rememberedAt.slice(0, 10)}`]),
    ...(pin === undefined ? [] : [`for the tool as ${printable(pin.origin)} had it then`])
  ].join(", ")

const jsonRule = (rule: ListedRule) => ({ rule: ruleText(rule), ...rule })

const list = Command.make(
  "list",
  { project: runFlags.project, json: jsonFlag("Print one JSON object with the rules", "list") },
  Effect.fn("permissions list")(function* ({ json, project }) {
    const { emit, print, result, resultPaint } = yield* Output
    const { problem, rules } = yield* listRules(project)
    if (json) {
      const listed = rules.map(jsonRule)
      return yield* result(outputJson({ rules: listed, ...(problem === undefined ? {} : { problem }) }, 2))
    }
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
    const { gone, left } = yield* revokeRules(project, Option.getOrUndefined(rule))
    if (json) yield* result(outputJson({ revoked: gone.map(jsonRule) }, 2))
    if (Option.isSome(rule) && gone.length === 0) {
      const known = left.map((one) => `\n  ${printable(ruleText(one))}`).join("")
      const text = `There is no remembered rule "${printable(rule.value)}".${known === "" ? "" : ` Remembered rules:${known}`}`
      return yield* new CommandFailure({ exitCode: exitCodes.failed, text })
    }
    if (json) return
    const lines = gone.map((one) => `revoked ${one.verdict} ${printable(ruleText(one))}`)
    yield* print(lines.length === 0 ? "There were no remembered rules." : lines.join("\n"))
  })
).pipe(
  withHelp("Revoke remembered rules. Runs in progress are not affected", {
    'task-conductor permissions revoke "read_file:/etc/hosts"': "Revoke one rule",
    "task-conductor permissions revoke --all": "Revoke all remembered rules"
  })
)

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
    const { problem, ...explained } = yield* explanationOf(project, tool, args)
    if (json) {
      return yield* result(outputJson({ ...explained, ...(problem === undefined ? {} : { problem }) }, 2))
    }
    if (problem !== undefined) yield* emit(`problem: ${printable(problem)}`)
    yield* print(explanationLines({ ...explained, problem }).join("\n"))
  })
).pipe(
  withHelp("Explain whether a call would run, ask, or be denied, and which rules decide. Nothing is run", {
    [`task-conductor permissions explain read_file '{"path":".env"}'`]: "Explain why reading this file asks"
  })
)

/** The command. */
export const permissions = Command.make("permissions").pipe(
  withHelp("List, explain and revoke permissions", {
    "task-conductor permissions list --json": "List every rule with its source"
  }),
  Command.withSubcommands([list, revoke, explain])
)
