/** Reads git configuration, and finds the files that git runs or includes because of it. */

const sectionHead = /\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\\n]|\\[^\n])*)")?\s*\]/y
const settingName = /\s*([A-Za-z][\w-]*)[^\S\n]*(=?)/y

const nextLine = (text: string, at: number): number => text.indexOf("\n", at) + 1 || text.length

/** The escape sequences of git. For any other character after a backslash, git drops the backslash. */
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" }

/**
 * Reads a value. Removes quotes and the comment after the value, and resolves escapes. `next` is the index of the next
 * line. A backslash at the end of a line continues the value, except in a comment.
 */
const valueFrom = (text: string, start: number): { readonly value: string; readonly next: number } => {
  let value = ""
  let isQuoted = false
  let at = start
  for (; at < text.length && text[at] !== "\n"; at += 1) {
    const character = text[at] ?? ""
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === "#" || character === ";")) {
      return { value: value.trim(), next: nextLine(text, at) }
    } else if (character === "\\") {
      at += 1
      const escaped = text[at] ?? ""
      if (escaped !== "\n") value += escapes[escaped] ?? escaped
    } else value += character
  }
  return { value: value.trim(), next: at + 1 }
}

/**
 * All settings in order. Section and key are in lower case, as git compares them. Invalid settings may be missing or
 * incomplete.
 */
export const gitSettings = (given: string) => {
  const text = given.replaceAll("\r\n", "\n")
  const settings: Array<{ readonly key: string; readonly value: string }> = []
  let section = ""
  for (let at = 0; at < text.length;) {
    sectionHead.lastIndex = settingName.lastIndex = at
    const [head = "", name = "", part] = sectionHead.exec(text) ?? []
    const [setting = "", key = "", sign] = settingName.exec(text) ?? []
    if (head !== "") {
      section = `${name.toLowerCase()}${part === undefined ? "" : `.${part.replace(/\\(.)/g, "$1")}`}`
      at += head.length
    } else if (setting !== "") {
      const { next, value } = valueFrom(text, at + setting.length)
      /* Git ends a value at a NUL. */
      const whole = sign === "" ? "" : value.replace(/\0.*/s, "")
      settings.push({ key: `${section}.${key.toLowerCase()}`, value: whole })
      at = next
    } else at = nextLine(text, at)
  }
  return settings
}

/** Matches settings whose whole value is a path. */
const pathKey =
  /^(?:core\.(?:hookspath|attributesfile|excludesfile|worktree)|init\.templatedir|include(?:if\..*)?\.path)$/s
const includeKey = /^include(?:if\..*)?\.path$/s

/** Matches settings whose value is a command line that git runs. */
const commandKey =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|alias\..*|pager\..*|sequence\.editor|interactive\.difffilter|diff\.external|filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|merge\..*\.driver|(?:diff|merge)tool\..*\.(?:cmd|path)|gpg\.(?:.*\.)?program|gpg\.ssh\.defaultkeycommand|credential\.(?:.*\.)?helper|hook\..*\.command|trailer\..*\.(?:command|cmd)|remote\..*\.(?:uploadpack|receivepack)|uploadpack\.packobjectshook|submodule\..*\.update|browser\..*\.(?:cmd|path)|man\..*\.(?:cmd|path)|sendemail\.(?:.*\.)?(?:sendmailcmd|tocmd|cccmd|headercmd|smtpserver))$/s

/** A file that a setting names. The path is as the setting writes it. */
export interface ConfiguredFile {
  readonly path: string
  /** True for an included configuration file. Its path is relative to the file that includes it. */
  readonly isConfig: boolean
  /** True if the value is certainly a path. Otherwise, the value counts only if a file with this path exists. */
  readonly isSure: boolean
}

const wordBreaks = /[\s"'`;|&()<>!]+/

/** The files that git runs or reads because of a configuration. */
export const filesNamedByGit = (text: string): ReadonlyArray<ConfiguredFile> =>
  gitSettings(text).flatMap(({ key, value }): ReadonlyArray<ConfiguredFile> => {
    if (value === "") return []
    if (pathKey.test(key)) return [{ path: value, isConfig: includeKey.test(key), isSure: true }]
    /* An alias without `!` is a git command and names no program. */
    if (!commandKey.test(key) || (key.startsWith("alias.") && !value.startsWith("!"))) return []
    const [program = "", ...words] = value.replace(/^!/, "").trim().split(wordBreaks)
    const values = words.map((word) => word.replace(/^-[^=]*=?/, "")).filter((word) => word !== "")
    /* A program without a slash is found through the search path, and is no file of the project. */
    const paths = program.includes("/") ? [program, ...values] : values
    return paths.map((path) => ({ path, isConfig: false, isSure: path === program }))
  })

/** The git folder that a `.git` file names; undefined for other text. */
export const gitFolderNamed = (text: string): string | undefined => /^gitdir:\s*(.*?)\s*$/m.exec(text)?.[1]

/** True if git accepts a folder with these contents as a repository, even without `.git`. */
export const isBareRepository = (names: ReadonlySet<string>): boolean =>
  names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs")))
