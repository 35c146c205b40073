/**
 * The parsers on which a permission rests: rules and their patterns, commands as words, scripts, URLs and addresses.
 */
import * as Result from "effect/Result"
import {
  scriptsInText,
  scriptsOfCommand,
  type CommandLine,
  commandProblem,
  commandText
} from "../../src/domain/commands/CommandText.ts"
import { matchesGlob } from "../../src/domain/files/PathList.ts"
import { parseRule, ruleText } from "../../src/domain/permissions/Permission.ts"
import {
  exactPattern,
  matchesAllow,
  matchesDeny,
  type Target,
  urlForms,
  urlPattern
} from "../../src/domain/permissions/TargetPattern.ts"
import { canonicalUrl } from "../../src/domain/tools/Access.ts"
import {
  canonicalAddress,
  isAddress,
  isGlobalUnicast,
  isLoopback,
  unfetchable
} from "../../src/domain/commands/NetworkAddress.ts"
import type { FuzzedParser } from "./FuzzParsers.ts"
import { json, words } from "./jsonTokens.ts"

const rules: FuzzedParser = {
  name: "rules",
  valid: [
    "read_file:src/**",
    "run_command:(packages/*, no sandbox) npm test *",
    "fetch_url:https://a.example/**",
    "mcp__x__y",
    "write_file"
  ],
  tokens: ["read_file", "run_command", ":", "**", "*", "\\*", "/", "..", "(", ")", "no sandbox", "https://", "./"],
  accepts: (text) => Result.isSuccess(parseRule("allow", text)),
  defect: (text) => {
    const read = parseRule("allow", text)
    if (Result.isFailure(read)) return read.failure === "" ? "refused without a reason" : undefined
    return ruleText(read.success) === text ? undefined : "written as another rule"
  }
}

/** People write patterns; what is compared with them can be long. The time is proportional to both. */
const longestPattern = 200

/** A pattern and what it is compared with, of one text. */
const halves = (text: string): readonly [pattern: string, target: string] => {
  const at = text.indexOf("\n")
  const pattern = at === -1 ? text : text.slice(0, at)
  return [pattern.slice(0, longestPattern), text.slice(at + 1)]
}

const targetsOf = (text: string): ReadonlyArray<Target> => [
  { kind: "file", canonical: `/project/${text}`, relative: text },
  { kind: "file", canonical: `/${text}` },
  { kind: "other", canonical: text },
  { kind: "start", canonical: text },
  { kind: "other", canonical: text, place: { folder: ".", sandboxed: true } },
  { kind: "other", canonical: text, place: { folder: "a", sandboxed: false } },
  ...Result.match(canonicalUrl(text), {
    onFailure: () => [],
    onSuccess: (canonical): ReadonlyArray<Target> => [{ kind: "other", canonical }]
  })
]

const patterns: FuzzedParser = {
  name: "patterns",
  valid: [
    "src/**\nsrc/a/b.ts",
    "*.ts\na.ts",
    "https://*.example/**\nhttps://a.example/b?c=d",
    "(a, no sandbox) npm *\nnpm test",
    ".env*\n.env.local"
  ],
  tokens: [...words("* ** \\* \\ / src .env https://a.b {a,b} [!a] ? ! ./"), "\n", "(a) ", "(no sandbox) "],
  accepts: (text) => targetsOf(halves(text)[1]).some((target) => matchesAllow(halves(text)[0], target)),
  defect: (text) => {
    const [pattern, subject] = halves(text)
    matchesGlob(pattern)(subject)
    for (const target of targetsOf(subject)) {
      if (matchesAllow(pattern, target) && !matchesDeny(pattern, target))
        return `a denial covers less than a permission: ${json(target)}`
      if (target.place === undefined && !matchesDeny(exactPattern(target.canonical), target))
        return `the exact pattern does not match: ${json(target)}`
    }
    return undefined
  }
}

const wordsOf = (text: string): CommandLine => {
  const [program = "", ...words] = text.split("\n")
  return [program, ...words]
}

const commands: FuzzedParser = {
  name: "commands and shell words",
  valid: ["npm\ntest", "sh\n-c\nnode a.js && ./b.sh > c", "node\n--import=./x.ts\nmain.js", "make\n-f\nMakefile"],
  tokens: [...words("sh -c && $( ) ` ' \" \\ > node npm ./a.sh --x= package.json env sudo"), "\n", " "],
  accepts: (text) => commandProblem(wordsOf(text)) === undefined,
  defect: (text) => {
    const words = wordsOf(text)
    commandProblem(words)
    scriptsInText(text)
    if (scriptsOfCommand(words).files.includes("")) return "a script without a name"
    /* Two commands must never look alike. */
    const shown = commandText(words)
    const back = shown
      .match(/"(?:[^"\\]|\\.)*"|[^" ]+/g)
      ?.map((word) => (word.startsWith('"') ? JSON.parse(word) : word))
    return json(back) === json(words) ? undefined : "shown as another command"
  }
}

const loopback = [
  ...words("127.0.0.1 0x7f.1 2130706433 0177.0.0.1 [::1] [::ffff:127.0.0.1] [64:ff9b::7f00:1] localhost.")
]

const urls: FuzzedParser = {
  name: "URLs and addresses",
  valid: [
    "https://a.example/b?c=d#e",
    "http://user:word@a.example:8080/",
    "https://xn--bcher-kva.example/",
    ...loopback.map((host) => `http://${host}:11434/api`)
  ],
  tokens: [...loopback, ...words("http:// https: // \\ @ :80 # ? %2e %00 [:: ] 127. 0x7f localhost a.example"), "。"],
  accepts: (text) => Result.isSuccess(canonicalUrl(text)),
  defect: (text) => {
    canonicalAddress(text)
    if (isLoopback(text) && isGlobalUnicast(canonicalAddress(text)))
      return "an address of this machine counts as public"
    urlPattern(text)
    const read = canonicalUrl(text)
    if (Result.isFailure(read)) return urlForms(text).length === 0 ? "a text without a form" : undefined
    const url = new URL(read.success)
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.hash !== "")
      return "taken with what is not fetched"
    if (json(canonicalUrl(read.success)) !== json(read)) return "another form when it is read again"
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const mustNot =
      /^127(?:\.\d+){3}$|^localhost\.?$|^::1$|^0\.0\.0\.0$/.test(host) || (isAddress(host) && !isGlobalUnicast(host))
    return mustNot && unfetchable(read.success, { allowed: [], denied: [] }) === undefined
      ? "a private address is open"
      : undefined
  }
}

export const permissionParsers: ReadonlyArray<FuzzedParser> = [rules, patterns, commands, urls]
