/**
 * What a rule is compared with, and how far its pattern reaches. A rule that allows is narrow: it covers what it names.
 * A rule that restricts is wide, as a line of .gitignore is: a bare name counts at any depth, a folder for all that it
 * holds, and letter case does not matter.
 */
import { matches } from "../text/PatternMatch.ts"
import { isAutomatic, isSecretLike } from "../files/SensitivePath.ts"

/** One thing that a call touches. */
export interface Target {
  /** Files are compared by path. What the host starts must be named by a rule that allows it. */
  readonly kind: "file" | "start" | "other"
  /** The real absolute path, the canonical URL, or another one-line text. */
  readonly canonical: string
  /** The path below the project, for a file inside it. */
  readonly relative?: string
}

const isAbsolute = (pattern: string): boolean => /^(?:\/|[a-zA-Z][a-zA-Z0-9+.-]*:\/\/)/.test(pattern)
const withoutDots = (pattern: string): string => pattern.replace(/^(?:\.\/)+/, "")

/**
 * True when the text of the pattern stands for the target: a relative pattern for the path below the project, so never
 * for a file outside; an absolute one, and any pattern for what is no file, for the canonical target.
 */
const standsFor = (pattern: string, { canonical, kind, relative }: Target): boolean => {
  if (isAbsolute(pattern) || kind !== "file") return matches(pattern, canonical)
  return relative !== undefined && matches(withoutDots(pattern), relative)
}

/** True when the pattern looks itself like what the test looks for, whatever its wildcards stand for. */
const names = (pattern: string, test: (path: string) => boolean): boolean => {
  const literal = pattern.replace(/\\(.)/g, "$1")
  return test(literal) || test(literal.replaceAll("*", ""))
}

/**
 * True when a rule that allows covers the target. A file that looks like a secret, or that programs run by themselves, is
 * covered only by a pattern that names such files, not by one whose wildcards happen to reach them. Without a pattern a
 * rule covers everyday files of the project, and everything that is no file but a page or a command.
 */
export const matchesAllow = (pattern: string | undefined, target: Target): boolean => {
  const { canonical, kind, relative } = target
  const path = relative ?? canonical
  const isSecret = kind === "file" && isSecretLike(path)
  const isRun = kind === "file" && isAutomatic(path)
  if (pattern === undefined) return kind === "other" || (relative !== undefined && !isSecret && !isRun)
  if (!standsFor(pattern, target)) return false
  return (!isSecret || names(pattern, isSecretLike)) && (!isRun || names(pattern, isAutomatic))
}

/** What ends a folder in a path; a folder, a page or a host in a URL; a word of a command. */
const pathBoundaries = "/"
const otherBoundaries = "/?# "

/** As .gitignore has it: a name alone at any depth, anything with a slash from the beginning. */
const touchesPath = (pattern: string, path: string): boolean =>
  matches(pattern, path, pathBoundaries) ||
  (!pattern.includes("/") && path.split("/").some((name) => matches(pattern, name)))

const touchesFile = (pattern: string, { canonical, relative }: Target): boolean => {
  const folder = pattern.replace(/\/$/, "")
  if (isAbsolute(pattern)) return touchesPath(folder, canonical.toLowerCase())
  if (relative !== undefined) return touchesPath(folder, relative.toLowerCase())
  return matches(`**/${folder}`, canonical.toLowerCase(), pathBoundaries)
}

/**
 * True when a rule that restricts concerns the target. What `matchesAllow` says of a pattern is always concerned; for a
 * file outside the project a relative pattern counts at any depth.
 */
export const matchesDeny = (pattern: string, target: Target): boolean => {
  if (standsFor(pattern, target)) return true
  const wide = withoutDots(pattern).toLowerCase()
  if (target.kind === "file") return touchesFile(wide, target)
  const whole = target.canonical.toLowerCase()
  const withoutScheme = whole.replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
  return matches(wide, whole, otherBoundaries) || matches(wide, withoutScheme, otherBoundaries)
}

/** The pattern that covers exactly this text. */
export const exactPattern = (text: string): string => text.replace(/[*\\]/g, "\\$&")
