/**
 * Recognises commands that a model wrote for a shell. No shell runs commands, so the advice names a call with the
 * intended effect. Words that may be meant literally, such as a pattern for grep, are no problem.
 */
import { fileName } from "../files/PathList.ts"
import { splitCommand } from "./CommandSplit.ts"

/** A shell operator between two commands, such as `|` or `&&`. */
const connector = /^(?:\|\|?|\|&|&&|;)$/
/** Redirections, with the name of the file in the next element or in the same element. */
const openRedirect = /^(?:\d?>{1,2}|&>{1,2}|<)$/
const wholeRedirect = /^(?:\d?>&\d|(?:\d?>{1,2}|&>{1,2})[^\s|&;<>()]+|<[^\s|&;<>()]+)$/

/** Programs whose arguments may look like shell syntax: patterns, expressions, separators. */
const takesPatterns =
  /^(?:[ef]?grep|rg|ag|ack|g?sed|[gmn]?awk|find|fd|xargs|expr|test|\[|tr|cut|sort|column|paste|jq|yq|perl|ruby|python\d*(?:\.\d+)?|php|sqlite3|psql)$/
/** Programs whose arguments are file names. A shell would replace wildcards in these arguments. */
const takesFiles =
  /^(?:ls|cat|rm|cp|mv|ln|mkdir|rmdir|touch|chmod|chown|wc|head|tail|du|stat|file|diff|less|more|tar|zip|unzip|node|sh|bash|zsh)$/

const shells = /^(?:(?:ba|da|z|k|a)?sh|fish)$/
/** Words that only a shell can execute. */
const builtIns = new Set(
  "alias bg declare dirs eval exec export fg for function history if jobs let local popd pushd readonly return set shift shopt source trap type typeset ulimit umask unalias unset until wait while . : [[".split(
    " "
  )
)
const assignment = /^[A-Za-z_]\w*=/
const programWord = /^(?:[A-Za-z_.~/][\w.+/~-]*|[A-Za-z_]\w*=.*)$/s

/** What a shell would replace in a word: variables, the home folder, command substitutions, wildcards. */
const variable = /\$(?:\w|\{|\()|`/
const isHome = (word: string): boolean => /^~(?:\/|$)/.test(word)
const isGlob = (word: string): boolean => /[*?]|\[[^\]]+\]/.test(word)
/** True for a word that cannot be a file name. False for files of routes, such as `[slug].tsx` and `$id.tsx`. */
const isNoFile = (word: string): boolean =>
  !/[\s'"]/.test(word) && (/[*?]|\$(?:[A-Z_][A-Z0-9_]*\b|[{(])|`/.test(word) || isHome(word))

const asJson = (value: unknown): string => JSON.stringify(value)
const inShell = (text: string): string => asJson(["sh", "-c", text])

const plainWord = /^[\w./:=@%+,-]+$/
const singleQuoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

const isOperator = (word: string): boolean =>
  connector.test(word) || openRedirect.test(word) || wholeRedirect.test(word) || word === "&"

/**
 * Joins the words to one line for a shell. Words with variables or wildcards are written so that the shell replaces
 * them. If the program takes patterns itself, these words are quoted.
 */
const lineOf = (argv: ReadonlyArray<string>): string => {
  let program = ""
  const words = argv.map((word, index) => {
    const isFirst = index === 0 || connector.test(argv[index - 1] ?? "")
    if (isFirst) program = fileName(word)
    if (isOperator(word) || plainWord.test(word)) return word
    if (isFirst && assignment.test(word)) {
      const [name = "", ...value] = word.split("=")
      return `${name}=${singleQuoted(value.join("="))}`
    }
    const isOpen = !/[\s'"\\;&|<>()]/.test(word) && !takesPatterns.test(program)
    if (isOpen && (isGlob(word) || isHome(word) || variable.test(word))) return word
    return variable.test(word) && !takesPatterns.test(program) && !word.includes('"') ? `"${word}"` : singleQuoted(word)
  })
  return words.join(" ")
}

/** True for a line with shell syntax outside of quotes. */
const needsShell = (line: string): boolean => {
  const open = line.replaceAll(/'[^']*'|"[^"$`]*"/g, "")
  return /[|&;<>`*?]|\$[\w{(]|(?:^|\s)~(?:\/|\s|$)|^\s*\w+=/.test(open)
}

/** The words of a line without shell syntax. */
const wordsOf = (line: string): ReadonlyArray<string> => {
  const words = splitCommand(line)
  return typeof words === "string" ? line.trim().split(/\s+/) : words
}

const cdLine = /^cd(?:\s+("[^"]*"|'[^']*'|[^\s;&|]+))?\s*(?:(?:&&|;)\s*(\S.*))?$/s

/** Advice about a command that begins with `cd`, which affects no later call. */
const cdAdvice = (line: string): string => {
  const [, folder = "", rest = ""] = cdLine.exec(line) ?? []
  const cwd = folder.replaceAll(/^["']|["']$/g, "")
  if (cwd === "" || !cdLine.test(line))
    return `cd changes only its own call. Call ${inShell(line)}, or name the folder with cwd.`
  const argv =
    rest === "" ? ["ls"] : needsShell(rest) || builtIns.has(wordsOf(rest)[0] ?? "") ? ["sh", "-c", rest] : wordsOf(rest)
  const call = asJson({ argv, cwd })
  return rest === ""
    ? `cd changes only its own call. Name the folder with cwd of the call that needs it, such as ${call}.`
    : `cd changes only its own call. Name the folder with cwd: ${call}.`
}

const noShell = "No shell reads argv"

/**
 * If a command begins with a word that only a shell understands, a message with the correct call. Otherwise undefined.
 */
export const builtInProblem = (argv: ReadonlyArray<string>): string | undefined => {
  const [first = ""] = argv
  const line = argv.length === 1 ? first.trim() : lineOf(argv)
  const [word = ""] = line.split(/\s/, 1)
  if (word === "cd") return `${noShell}: ${cdAdvice(line)}`
  if (!builtIns.has(argv.length === 1 ? word : first)) return undefined
  return `There is no program ${asJson(word)}: it is a word of a shell. Call ${inShell(line)}; what it sets counts for that call only.`
}

/** The first word with shell syntax; undefined if all may be meant literally. */
const shellWord = (argv: ReadonlyArray<string>): string | undefined => {
  const [program = ""] = argv
  const name = fileName(program)
  if (assignment.test(program)) return program
  const isEnd = (index: number): boolean => index >= argv.length || isOperator(argv[index] ?? "")
  if (takesPatterns.test(name)) return undefined
  return argv.find((word, index) => {
    if (index === 0) return false
    const next = argv[index + 1]
    if (connector.test(word)) return next !== undefined && programWord.test(next)
    if (openRedirect.test(word)) return next !== undefined && !isOperator(next) && isEnd(index + 2)
    if (wholeRedirect.test(word)) return isEnd(index + 1)
    return (takesFiles.test(name) && isNoFile(word)) || (name === "echo" && /^\$\w+$/.test(word))
  })
}

/**
 * Why a command does not do what its author means, with the correct call, in sentences. Undefined if the command may be
 * correct.
 */
export const shellProblem = (argv: ReadonlyArray<string>): string | undefined => {
  const builtIn = builtInProblem(argv)
  if (builtIn !== undefined) return builtIn
  const [program = "", option, script, ...more] = argv
  if (shells.test(fileName(program))) {
    const isSplit = option !== undefined && /^-[a-z]*c$/.test(option) && script !== undefined && more.some(isOperator)
    if (!isSplit) return undefined
    return `${noShell}, and ${program} ${option} takes its script as one element. Call ${inShell(lineOf([script, ...more]))}.`
  }
  const word = shellWord(argv)
  if (word === undefined) return undefined
  return `${noShell}, so that ${asJson(word)} would be handed on as it is. Call ${inShell(lineOf(argv))}.`
}

export const missingProgramAdvice = ([program, ...args]: readonly [string, ...Array<string>]): string => {
  const what = `There is no program ${asJson(program)}`
  const rest = args.length === 0 ? "" : lineOf(["true", ...args]).slice("true".length)
  const line = `${program.trim()}${rest}`
  if (needsShell(args.length === 0 ? line : program)) return `${what}: no shell reads argv. Call ${inShell(line)}.`
  return /\s/.test(program.trim())
    ? `${what}. Give every word as an element of its own: ${asJson([...wordsOf(program), ...args])}.`
    : `${what}. Name a program that is installed, or give its path.`
}

/** Advice for a command that failed because no shell replaced its variables or wildcards. */
export const unreplacedWords = (argv: ReadonlyArray<string>, output: string): string | undefined => {
  const [program = ""] = argv
  if (takesPatterns.test(fileName(program)) || shells.test(fileName(program))) return undefined
  const word = argv
    .slice(1)
    .find((one) => !/\s/.test(one) && (isGlob(one) || isHome(one) || variable.test(one)) && output.includes(one))
  return word === undefined
    ? undefined
    : `No shell replaced ${asJson(word)}. Call ${inShell(lineOf(argv))} where that was meant.`
}
