/**
 * Compares the patterns of rules with targets. An allow rule matches exactly the targets that it names. A deny or ask
 * rule matches more, like a line of .gitignore:
 * - A bare name matches at any depth.
 * - The name of a folder also matches everything in the folder.
 * - Upper case and lower case are equal.
 */
import { wordText } from "../commands/CommandText.ts"
import { matches } from "../text/PatternMatch.ts"
import { unescaped } from "../text/PercentEscapes.ts"
import { isAutomatic, isSecretLike } from "../files/SensitivePath.ts"
import { mostUrlData } from "../tools/Access.ts"

/** Matches the scheme of a URL, such as `https://`. */
const scheme = /^[a-z][a-z0-9+.-]*:\/\//

/** Converts a label of a host name to the ASCII form of URLs (Punycode). */
const asciiLabel = (label: string): string =>
  /^[\u0020-\u007e]*$/.test(label) ? label : (URL.parse(`http://${label}`)?.hostname ?? label)

/** Converts the host in a lower-case pattern to ASCII, and removes a dot at the end of the host. */
export const urlPattern = (pattern: string): string => {
  const [, before = "", host = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#\s:]+)(.*)$/s.exec(pattern) ?? []
  return host === "" ? pattern : `${before}${host.replace(/\.$/, "").split(".").map(asciiLabel).join(".")}${rest}`
}

/** The pattern of a URL with a normalised host. The text after the host keeps its letter case. */
const withPlainHost = (pattern: string): string =>
  pattern.replace(/^https?:\/\/[^/?#]+/i, (start) => urlPattern(start.toLowerCase()))

/**
 * All texts, in lower case, with which a pattern may name a URL: with or without scheme, port, trailing dot of the
 * host, and escapes. So a deny rule for a host applies to every port and spelling. A text that is no URL is returned
 * unchanged.
 */
export const urlForms = (url: string): ReadonlyArray<string> => {
  const [, before, host = "", rest = ""] = /^([^/]*\/\/)([^/?#]*)(.*)$/s.exec(url) ?? []
  if (before === undefined || !scheme.test(url)) return [url]
  const withoutDot = host.replace(/\.(?=:\d+$|$)/, "")
  const hosts = [host, withoutDot, withoutDot.replace(/:\d+$/, "")]
  const tails = [rest, unescaped(rest).toLowerCase()]
  const pages = hosts.flatMap((one) => tails.map((tail) => `${one}${tail}`))
  return [...new Set([...pages, ...pages.map((page) => `${before}${page}`)])]
}

/**
 * The folder of a command, and whether it runs in the sandbox. Without a prefix, a pattern covers sandboxed commands in
 * the project folder. The prefix `(packages/*, no sandbox)` covers other folders, and commands without the sandbox. The
 * prefix is unambiguous, because no command begins with a parenthesis.
 */

export interface CommandPlace {
  /** The folder, relative to the project; `.` for the project itself. */
  readonly folder: string
  readonly sandboxed: boolean
}

interface ScopedPattern {
  /** The part of the pattern that matches the command's folder. Absent if the pattern names no folder. */
  readonly folder?: string
  readonly withoutSandbox: boolean
  /** The part of the pattern for the command. */
  readonly rest: string
}

const outside = "no sandbox"
const scoped = /^\(([^()]*)\) (.*)$/s

/** Splits a pattern into its prefix and the part for the command. */
export const scopedPattern = (pattern: string): ScopedPattern => {
  const [, scope, rest = ""] = scoped.exec(pattern) ?? []
  if (scope === undefined) return { withoutSandbox: false, rest: pattern }
  if (scope === outside) return { withoutSandbox: true, rest }
  const withoutSandbox = scope.endsWith(`, ${outside}`)
  const folder = withoutSandbox ? scope.slice(0, -outside.length - 2) : scope
  return { folder: folder.replace(/^\.\/(?=.)|\/$/g, ""), withoutSandbox, rest }
}

/**
 * True if an allow rule covers commands in this folder and sandbox. A rule for commands without the sandbox also covers
 * sandboxed commands.
 */
const coversPlace = ({ folder = ".", withoutSandbox }: ScopedPattern, place: CommandPlace): boolean =>
  (place.sandboxed || withoutSandbox) && matches(folder, place.folder === "." ? "." : wordText(place.folder))

/** True if a deny or ask rule applies to commands in this folder. A rule without a folder applies to every folder. */
const concernsPlace = ({ folder }: ScopedPattern, place: CommandPlace): boolean =>
  folder === undefined || matches(folder.toLowerCase(), wordText(place.folder).toLowerCase(), "/")

export const exactPattern = (text: string): string => text.replace(/[*\\]/g, "\\$&")

/** The prefix of a pattern for a command. Empty if the command runs in the sandbox in the project folder. */
export const placePrefix = ({ folder, sandboxed }: CommandPlace): string => {
  const words = [...(folder === "." ? [] : [exactPattern(wordText(folder))]), ...(sandboxed ? [] : [outside])]
  return words.length === 0 ? "" : `(${words.join(", ")}) `
}

/** The pattern that matches exactly this target. For a command, it begins with the prefix. */
export const targetPattern = ({ canonical, place }: Pick<Target, "canonical" | "place">): string =>
  `${place === undefined ? "" : placePrefix(place)}${exactPattern(canonical)}`

/** A file, a page, a command or the start of a program that a call accesses. */
export interface Target {
  /**
   * Files are compared by path. The kind `start` is the start of a program, or a command without the sandbox. Only a
   * rule with a pattern allows it.
   */
  readonly kind: "file" | "start" | "other"
  /** The real absolute path, the canonical URL, or another one-line text. */
  readonly canonical: string
  readonly relative?: string
  readonly place?: CommandPlace
  /** True for a URL with text that the model has read before. Only a rule for exactly this URL allows it. */
  readonly carries?: boolean
  /**
   * True if a write would destroy most of a file, or would lose lines that the model left out. Only a rule for exactly
   * this file allows it.
   */
  readonly loses?: boolean
  /** True for a file outside the project that belongs to the skill of the task. */
  readonly ofSkill?: boolean
  /**
   * Built-in tools with the same effect as this access. Deny and ask rules for these tools apply to this target too.
   */
  readonly effects?: ReadonlyArray<string>
  /**
   * Present if the target is one part of a move: the write or the removal of a file. The field names the tool that does
   * only this part. A rule that allows this tool also allows the part.
   */
  readonly part?: string
}

const isAbsolute = (pattern: string): boolean => /^(?:\/|[a-zA-Z][a-zA-Z0-9+.-]*:\/\/)/.test(pattern)
const withoutDots = (pattern: string): string => pattern.replace(/^(?:\.\/)+/, "")

/**
 * True if the target matches the pattern as it is written.
 * - A relative pattern for a file is compared with the path relative to the project. It never matches a file outside
 *   the project.
 * - An absolute pattern is compared with the canonical target.
 * - If the target is no file, any pattern is compared with the canonical target.
 */
const matchesText = (pattern: string, { canonical, kind, place, relative }: Target): boolean => {
  if (place !== undefined) return matches(scopedPattern(pattern).rest, canonical)
  if (isAbsolute(pattern) || kind !== "file")
    return matches(pattern, canonical) || matches(withPlainHost(pattern), canonical)
  return relative !== undefined && matches(withoutDots(pattern), relative)
}

/** True if the pattern passes the test, with or without its stars. */
const names = (pattern: string, test: (path: string) => boolean): boolean => {
  const literal = pattern.replace(/\\(.)/g, "$1")
  return test(literal) || test(literal.replaceAll("*", ""))
}

/** True if wildcards would cover a long part of the URL, which could carry data of the project to the server. */
const carriesData = (pattern: string, url: string): boolean => {
  if (!/^https?:\/\//.test(url)) return false
  /** A command may begin like a URL. Host and protocol may then be missing. */
  const { host = "", protocol = "" } = URL.parse(url) ?? {}
  const named = pattern.replace(/\\(.)|\*/g, "$1").length
  const tail = url.length - Math.max(named, `${protocol}//${host}`.length)
  return tail > mostUrlData
}

const isExact = (pattern: string | undefined, { canonical, relative }: Target): boolean =>
  pattern !== undefined &&
  (pattern === exactPattern(canonical) ||
    (relative !== undefined && withoutDots(pattern) === withoutDots(exactPattern(relative))))

/**
 * True if an allow rule matches the target.
 * - A pattern for secrets, or for files that programs run automatically, must name such files: wildcards alone do not
 *   match them.
 * - A rule without a pattern matches pages, commands, and all files of the project except secrets and files that
 *   programs run.
 */
export const matchesAllow = (pattern: string | undefined, target: Target): boolean => {
  const { canonical, kind, place, relative } = target
  const path = relative ?? canonical
  if (target.carries === true) return pattern === exactPattern(canonical)
  if (target.loses === true && !isExact(pattern, target)) return false
  const isSecret = kind === "file" && isSecretLike(path)
  const isRun = kind === "file" && isAutomatic(path)
  if (pattern === undefined)
    return (
      (kind === "other" && !carriesData("", canonical)) ||
      (relative !== undefined && !isSecret && !isRun) ||
      (target.ofSkill === true && !isSecret)
    )
  if (place !== undefined && !coversPlace(scopedPattern(pattern), place)) return false
  if (!matchesText(pattern, target) || carriesData(pattern, canonical)) return false
  return (!isSecret || names(pattern, isSecretLike)) && (!isRun || names(pattern, isAutomatic))
}

/** `pathBoundaries` end a component of a path. `otherBoundaries` end a part of a URL or a word of a command. */
const pathBoundaries = "/"
const otherBoundaries = "/?# "

/** Matches as .gitignore does: a bare name matches at any depth; a pattern with a slash matches from the beginning. */
const matchesPath = (pattern: string, path: string): boolean =>
  matches(pattern, path, pathBoundaries) ||
  (!pattern.includes("/") && path.split("/").some((name) => matches(pattern, name)))

const matchesFile = (pattern: string, { canonical, relative }: Target): boolean => {
  const folder = pattern.replace(/\/$/, "")
  if (isAbsolute(pattern)) return matchesPath(folder, canonical.toLowerCase())
  if (relative !== undefined) return matchesPath(folder, relative.toLowerCase())
  return matches(`**/${folder}`, canonical.toLowerCase(), pathBoundaries)
}

/**
 * True if a deny or ask rule with this pattern matches the target. It matches more targets than an allow rule with the
 * same pattern. For example, a relative pattern also matches files outside the project, at any depth.
 */
export const matchesDeny = (pattern: string, target: Target): boolean => {
  if (target.place !== undefined && !concernsPlace(scopedPattern(pattern), target.place)) return false
  if (matchesText(pattern, target)) return true
  const wide = withoutDots(target.place === undefined ? pattern : scopedPattern(pattern).rest).toLowerCase()
  if (target.kind === "file") return matchesFile(wide, target)
  // `https://host/` means all pages of the host, as `folder/` means all its files.
  const named = urlPattern(wide).replace(/\/$/, "")
  return urlForms(target.canonical.toLowerCase()).some((form) => matches(named, form, otherBoundaries))
}
