/**
 * Other names under which a tool takes its arguments, such as those that the same tool has in another program.
 */
import type { Repair, Where } from "../findings/Issue.ts"
import { makeRepair } from "../findings/IssueCode.ts"
import type { Arguments } from "./ToolCall.ts"

/** The names of parameters by their other names. */
export type ArgumentAliases = Readonly<Record<string, string>>

/** The arguments under their own names. A parameter that is given under its own name keeps that value. */
export const withOwnNames = (given: Arguments, aliases: ArgumentAliases = {}): Arguments =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const own = Object.hasOwn(aliases, name) ? aliases[name] : undefined
      return [own === undefined || Object.hasOwn(given, own) ? name : own, value]
    })
  )

/** A repair for each argument that was renamed. */
export const aliasRepairs = (given: Arguments, aliases: ArgumentAliases, where: Where): ReadonlyArray<Repair> => {
  const renamed = withOwnNames(given, aliases)
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(renamed, name))
    .map((name) => makeRepair("argument-renamed", where, `Read the argument "${name}" as "${aliases[name]}".`))
}
