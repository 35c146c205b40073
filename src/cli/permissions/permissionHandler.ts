/**
 * What the command `permissions` does once flags are read: lists the rules in force, revokes remembered ones, and judges a
 * call without running it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { gateOptionsOf, layerCatalogue, layerPolicies } from "../../app/projectLayers.ts"
import { accessTarget } from "../../domain/tools/Access.ts"
import { ruleText } from "../../domain/permissions/Permission.ts"
import { maxNesting, textNestedTooDeep } from "../../domain/text/Json.ts"
import { printable } from "../../domain/text/Printable.ts"
import { concernsProject, type RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import { Arguments } from "../../domain/tools/ToolCall.ts"
import { explainCall, type SourcedRule } from "../../services/permissions/PolicyEvaluator.ts"
import { Policies } from "../../services/permissions/Policies.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { readSetup, type Setup } from "../../app/setup.ts"
import { usageFailure } from "../terminal/Failure.ts"

/** A rule that is in force, with where it was written. */
export type ListedRule = SourcedRule & RememberedRule

/** Why something of the person is not used, if so. */
const problemText = ({ folders }: Setup, rejection: { readonly message: string } | undefined): string | undefined => {
  const problems = [...folders.notes, ...(rejection === undefined ? [] : [rejection.message])]
  return problems.length === 0 ? undefined : problems.join(" ")
}

/** The real path of the project, as remembered rules name it. */
const rootOf = ({ project }: Setup) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.orElseSucceed(fs.realPath(project), () => project))

/** All rules that hold in a project without flags, and why those that were remembered do not, if so. */
export const listRules = Effect.fn("listRules")(function* (project: string) {
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
export const revokeRules = Effect.fn("revokeRules")(function* (project: string, text: string | undefined) {
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
export const explain = Effect.fn("explain")(function* (project: string, name: string, json: string) {
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
