/**
 * The configuration files of git, as far as they name files that git runs or reads more configuration from.
 */

/** One setting; section and key in lower case, as git compares them. */
interface GitSetting {
  readonly key: string
  readonly value: string
}

const sectionLine = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*/
const settingLine = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/

/** The value without quotes, escapes and the comment after it. */
const plainValue = (text: string): string => {
  let value = ""
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? ""
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === "#" || character === ";")) break
    else if (character === "\\") {
      index += 1
      value += text[index] ?? ""
    } else value += character
  }
  return value.trim()
}

/** All settings, in order. What git would reject is left out or read in part. */
export const gitSettings = (text: string): ReadonlyArray<GitSetting> => {
  const settings: Array<GitSetting> = []
  let section = ""
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const [head, name, part] = sectionLine.exec(line) ?? []
    if (name !== undefined) section = part === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${part}`
    const [, key, value = ""] = settingLine.exec(line.slice(head?.length ?? 0)) ?? []
    if (key !== undefined) settings.push({ key: `${section}.${key.toLowerCase()}`, value: plainValue(value) })
  }
  return settings
}

/** Settings whose whole value is a path. */
const pathKey =
  /^(?:core\.(?:hookspath|attributesfile|excludesfile|worktree)|init\.templatedir|include(?:if\..*)?\.path)$/s
const includeKey = /^include(?:if\..*)?\.path$/s

/** Settings whose value is a command line that git runs. */
const commandKey =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|alias\..*|pager\..*|sequence\.editor|interactive\.difffilter|diff\.external|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|merge\..*\.driver|(?:diff|merge)tool\..*\.(?:cmd|path)|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand|credential\.(?:.*\.)?helper|hook\..*\.command|trailer\..*\.(?:command|cmd)|remote\..*\.(?:uploadpack|receivepack)|uploadpack\.packobjectshook|submodule\..*\.update|browser\..*\.(?:cmd|path)|man\..*\.(?:cmd|path)|sendemail\.(?:.*\.)?(?:sendmailcmd|tocmd|cccmd|headercmd|smtpserver))$/s

/** A file that a setting names, as it is written. */
export interface NamedFile {
  readonly path: string
  /** True for more configuration; its path starts at the folder of the file that names it. */
  readonly isConfig: boolean
  /** True when it is surely a path: it counts although nothing is there yet. Another one counts when it is a file. */
  readonly isSure: boolean
}

const wordBreaks = /[\s"'`;|&()<>!]+/

/**
 * The words of a command line that may be paths, with values of options. A program without a slash is looked for in the
 * search path, and an alias without `!` is a command of git.
 */
const wordsOf = (key: string, command: string): ReadonlyArray<string> => {
  if (key.startsWith("alias.") && !command.startsWith("!")) return []
  const [program = "", ...words] = command.replace(/^!/, "").trim().split(wordBreaks)
  const values = words.map((word) => word.replace(/^-[^=]*=?/, "")).filter((word) => word !== "")
  return program.includes("/") ? [program, ...values] : values
}

/** The files that a configuration names to be run or read. */
export const filesNamedByGit = (text: string): ReadonlyArray<NamedFile> =>
  gitSettings(text).flatMap(({ key, value }): ReadonlyArray<NamedFile> => {
    if (value === "") return []
    if (pathKey.test(key)) return [{ path: value, isConfig: includeKey.test(key), isSure: true }]
    if (!commandKey.test(key)) return []
    const [program] = value.replace(/^!/, "").trim().split(wordBreaks)
    return wordsOf(key, value).map((path) => ({ path, isConfig: false, isSure: path === program }))
  })

/** The folder that a file named `.git` leads to; nothing when it is no such file. */
export const gitFolderNamed = (text: string): string | undefined => /^gitdir:\s*(.*?)\s*$/m.exec(text)?.[1]

/** True for the names in a folder that git takes for a repository without a `.git`. */
export const isBareRepository = (names: ReadonlySet<string>): boolean =>
  names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")))
