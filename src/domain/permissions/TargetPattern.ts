/**
 * What a rule is compared with, and what its pattern matches. An allow rule matches exactly what it names. A deny or ask
 * rule matches more, as a line of .gitignore does: a bare name at any depth, a folder with all that it holds, and letter
 * case does not matter.
 */
import { wordText } from "../commands/CommandText.ts"
import { matches } from "../text/PatternMatch.ts"
import { unescaped } from "../text/PercentEscapes.ts"
import { isAutomatic, isSecretLike } from "../files/SensitivePath.ts"
import { mostUrlData } from "../tools/Access.ts"

/** What a deny or ask rule may mean by a page: a host is denied on every port and in every spelling. */
const scheme = /^[a-z][a-z0-9+.-]*:\/\//

/** One part of a host name in the form that URLs have: other scripts in ASCII. */
const asciiLabel = (label: string): string =>
  /^[\u0020-\u007e]*$/.test(label) ? label : (URL.parse(`http://${label}`)?.hostname ?? label)

/** The pattern with its host in the form that URLs have, without the dot that may end it. Lower case. */
export const urlPattern = (pattern: string): string => {
  const [, before = "", host = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#\s:]+)(.*)$/s.exec(pattern) ?? []
  return host === "" ? pattern : `${before}${host.replace(/\.$/, "").split(".").map(asciiLabel).join(".")}${rest}`
}

/** The pattern of a URL with its host as URLs have it; letter case matters in what follows. */
const withPlainHost = (pattern: string): string =>
  pattern.replace(/^https?:\/\/[^/?#]+/i, (start) => urlPattern(start.toLowerCase()))

/**
 * The texts by which a pattern may name a URL in lower case: all of it or what follows the scheme; the same without the
 * port, without the dot that may end a host, and with escapes read. Another text has only itself.
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

/*
 * Where a rule for commands holds. A rule covers commands in the project folder, in the sandbox. For another folder, or
 * without the sandbox, it begins with that in parentheses, which no word of a command begins with:
 * `(packages/a) npm test`, `(no sandbox) make`, `(packages/*, no sandbox) make`.
 */

export interface CommandPlace {
  /** Relative to the project; `.` for the project itself. */
  readonly folder: string
  readonly sandboxed: boolean
}

interface ScopedPattern {
  /** Absent when the pattern names none. */
  readonly folder?: string
  readonly withoutSandbox: boolean
  /** What is compared with the command. */
  readonly rest: string
}

const outside = "no sandbox"
const scoped = /^\(([^()]*)\) (.*)$/s

/** A pattern with what it says about the place. */
export const scopedPattern = (pattern: string): ScopedPattern => {
  const [, scope, rest = ""] = scoped.exec(pattern) ?? []
  if (scope === undefined) return { withoutSandbox: false, rest: pattern }
  if (scope === outside) return { withoutSandbox: true, rest }
  const withoutSandbox = scope.endsWith(`, ${outside}`)
  const folder = withoutSandbox ? scope.slice(0, -outside.length - 2) : scope
  return { folder: folder.replace(/^\.\/(?=.)|\/$/g, ""), withoutSandbox, rest }
}

/** True when an allow rule with this pattern covers the place. One for commands without a sandbox covers those in it. */
const coversPlace = ({ folder = ".", withoutSandbox }: ScopedPattern, place: CommandPlace): boolean =>
  (place.sandboxed || withoutSandbox) && matches(folder, place.folder === "." ? "." : wordText(place.folder))

/** True when a deny or ask rule is about the place: about every place, unless it names a folder. */
const concernsPlace = ({ folder }: ScopedPattern, place: CommandPlace): boolean =>
  folder === undefined || matches(folder.toLowerCase(), wordText(place.folder).toLowerCase(), "/")

/** The pattern that matches exactly this text. */
export const exactPattern = (text: string): string => text.replace(/[*\\]/g, "\\$&")

/** What stands before a command in a pattern that covers it in this place; nothing in the sandbox of the project. */
export const placePrefix = ({ folder, sandboxed }: CommandPlace): string => {
  const words = [...(folder === "." ? [] : [exactPattern(wordText(folder))]), ...(sandboxed ? [] : [outside])]
  return words.length === 0 ? "" : `(${words.join(", ")}) `
}

/** The pattern that matches exactly this target, a command in its place. */
export const targetPattern = ({ canonical, place }: Pick<Target, "canonical" | "place">): string =>
  `${place === undefined ? "" : placePrefix(place)}${exactPattern(canonical)}`

/** One file, page, command or start that a call accesses. */
export interface Target {
  /** Files are compared by path. An allow rule must name what the host starts, and what runs without the sandbox. */
  readonly kind: "file" | "start" | "other"
  /** The real absolute path, the canonical URL, or another one-line text. */
  readonly canonical: string
  readonly relative?: string
  readonly place?: CommandPlace
  /** True for a URL that was made from what was read: only a rule for exactly this URL allows it. */
  readonly carries?: boolean
  /** True for a change that would drop most of a file or what it leaves out: only a rule for exactly this file allows it. */
  readonly loses?: boolean
  /** True for a file outside the project that belongs to the skill of the task. */
  readonly ofSkill?: boolean
  /** The built-in tools that have the same effect: a deny or ask rule for one of them holds for this target too. */
  readonly effects?: ReadonlyArray<string>
  /** A part of a move is allowed as well by a rule for the tool that does this part alone. */
  readonly part?: string
}

const isAbsolute = (pattern: string): boolean => /^(?:\/|[a-zA-Z][a-zA-Z0-9+.-]*:\/\/)/.test(pattern)
const withoutDots = (pattern: string): string => pattern.replace(/^(?:\.\/)+/, "")

/**
 * True when the pattern matches the target literally: a relative pattern matches the path below the project, so never a
 * file outside; an absolute one, and any pattern for what is not a file, matches the canonical target.
 */
const matchesText = (pattern: string, { canonical, kind, place, relative }: Target): boolean => {
  if (place !== undefined) return matches(scopedPattern(pattern).rest, canonical)
  if (isAbsolute(pattern) || kind !== "file")
    return matches(pattern, canonical) || matches(withPlainHost(pattern), canonical)
  return relative !== undefined && matches(withoutDots(pattern), relative)
}

/** True when the pattern itself passes the test, whatever its wildcards match. */
const names = (pattern: string, test: (path: string) => boolean): boolean => {
  const literal = pattern.replace(/\\(.)/g, "$1")
  return test(literal) || test(literal.replaceAll("*", ""))
}

/** True for a URL of which wildcards would cover so much that it may carry data away. */
const carriesData = (pattern: string, url: string): boolean => {
  if (!/^https?:\/\//.test(url)) return false
  /* A command may begin like a URL and be none. */
  const { host = "", protocol = "" } = URL.parse(url) ?? {}
  const named = pattern.replace(/\\(.)|\*/g, "$1").length
  const tail = url.length - Math.max(named, `${protocol}//${host}`.length)
  return tail > mostUrlData
}

/** True for a pattern that names this file alone. */
const isExact = (pattern: string | undefined, { canonical, relative }: Target): boolean =>
  pattern !== undefined &&
  (pattern === exactPattern(canonical) ||
    (relative !== undefined && withoutDots(pattern) === withoutDots(exactPattern(relative))))

/**
 * True when an allow rule matches the target. A file that looks like a secret, or that programs run automatically, is
 * matched only by a pattern that names such files, not by wildcards alone. Without a pattern a rule matches the other
 * files of the project, pages and commands.
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

/** Characters that end a folder in a path; a folder, a page or a host in a URL; a word of a command. */
const pathBoundaries = "/"
const otherBoundaries = "/?# "

/** As in .gitignore: a name alone matches at any depth, anything with a slash from the beginning. */
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
 * True when a deny or ask rule matches the target. It matches at least what an allow rule with this pattern matches; for
 * a file outside the project a relative pattern matches at any depth.
 */
export const matchesDeny = (pattern: string, target: Target): boolean => {
  if (target.place !== undefined && !concernsPlace(scopedPattern(pattern), target.place)) return false
  if (matchesText(pattern, target)) return true
  const wide = withoutDots(target.place === undefined ? pattern : scopedPattern(pattern).rest).toLowerCase()
  if (target.kind === "file") return matchesFile(wide, target)
  // `https://host/` means the host, as `folder/` means what it holds.
  const named = urlPattern(wide).replace(/\/$/, "")
  return urlForms(target.canonical.toLowerCase()).some((form) => matches(named, form, otherBoundaries))
}
