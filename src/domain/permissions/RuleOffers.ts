/**
 * The rules that a person is offered for "always in this project": the exact target, its folder or its host. Each covers the
 * call that is asked about, and no secrets, files outside or files that programs run that it does not name.
 */
import { isSecretLike } from "../files/SensitivePath.ts"
import type { CanonicalAccess } from "../tools/Access.ts"
import { eachTimeReason } from "../tools/Risk.ts"
import { placePrefix } from "./CommandScope.ts"
import { decide } from "./Decision.ts"
import type { Rule } from "./Permission.ts"
import type { Asked } from "./SessionScope.ts"
import { exactPattern, type Target } from "./TargetPattern.ts"

/** The folder of a file of the project with all that it holds; nothing for a file at the top. */
const folderPattern = (relative: string): ReadonlyArray<string> => {
  const folder = relative.split("/").slice(0, -1).join("/")
  return folder === "" ? [] : [`${exactPattern(folder)}/**`]
}

const filePatterns = (path: string, { relative }: Target): ReadonlyArray<string> => {
  if (relative === undefined) return [exactPattern(path)]
  return [exactPattern(relative), ...(isSecretLike(path) ? [] : folderPattern(relative))]
}

/** The patterns that are offered, the first one for the key alone; an undefined one is the tool without a pattern. */
const patternsOf = (access: CanonicalAccess, target: Target): ReadonlyArray<string | undefined> => {
  switch (access._tag) {
    case "ReadFile":
      return access.inside && !isSecretLike(access.path)
        ? [undefined, ...filePatterns(access.path, target)]
        : filePatterns(access.path, target)
    case "WriteFile":
      return filePatterns(access.path, target)
    case "FetchUrl": {
      const url = URL.parse(access.url)
      const host = url?.protocol === "https:" ? [`${exactPattern(url.origin)}/**`] : []
      return [...host, exactPattern(access.url)]
    }
    case "RunCommand": {
      const prefix = target.place === undefined ? "" : placePrefix(target.place, exactPattern)
      return access.sandboxed ? [`${prefix}${exactPattern(target.canonical)}`] : []
    }
    default:
      return [exactPattern(target.canonical)]
  }
}

/** The rules for a call with at most one access; none for what is asked each time and for commands without the sandbox. */
export const ruleOffers = (asked: Asked, targets: ReadonlyArray<Target>): ReadonlyArray<Rule> => {
  const { accesses, risk, tool } = asked
  const [access] = accesses
  const [target] = targets
  if (access === undefined || target === undefined) return risk === "high" ? [] : [{ verdict: "allow", tool }]
  if (accesses.length > 1 || eachTimeReason(access) !== undefined) return []
  return patternsOf(access, target)
    .map((pattern): Rule => (pattern === undefined ? { verdict: "allow", tool } : { verdict: "allow", tool, pattern }))
    .filter((rule) => {
      const decision = decide([rule], { tool, risk, targets })
      return decision.verdict === "allow" && decision.rules.length > 0
    })
}
