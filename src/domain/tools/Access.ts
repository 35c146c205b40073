/**
 * What a call accesses (files, pages, commands) and what may come of it. A tool declares accesses; the host makes the
 * value canonical (real path, parsed URL, argument vector), the gate decides about that value, and the tool receives the
 * same value.
 */
import * as Schema from "effect/Schema"
import { CommandLine, commandText, wordText } from "../commands/CommandText.ts"
import { FileEntry } from "../files/FileEntry.ts"
import { FileKind } from "../files/FileKind.ts"
import { TextEdit } from "../files/TextEdit.ts"
import { isAutomatic, isSecretLike } from "../files/SensitivePath.ts"
import * as Result from "effect/Result"

/** What a tool declares; paths as the model wrote them. */
export const Access = Schema.Union([
  Schema.TaggedStruct("ReadFile", { path: Schema.String }),
  /** `kind` is what the file becomes where it is another one; the content of a link is where it leads. */
  Schema.TaggedStruct("WriteFile", { path: Schema.String, content: Schema.String, kind: Schema.optionalKey(FileKind) }),
  /** A file, a link or a folder to another path. The host makes it two `WriteFile` for each file: one with its bytes, one of nothing. */
  Schema.TaggedStruct("MoveFile", { path: Schema.String, to: Schema.String }),
  /** A file, a link or a folder. The host makes it a `WriteFile` of nothing for each file. */
  Schema.TaggedStruct("RemoveFile", { path: Schema.String }),
  /** Replacements in an existing file. The host computes the new content, so the tool is granted a `WriteFile`. */
  Schema.TaggedStruct("EditFile", { path: Schema.String, edits: Schema.NonEmptyArray(TextEdit) }),
  Schema.TaggedStruct("FetchUrl", { url: Schema.String }),
  /** `cwd` is the project when absent, and always below it. */
  Schema.TaggedStruct("RunCommand", { argv: CommandLine, cwd: Schema.optionalKey(Schema.String) }),
  /** A host that the code of the tool talks to itself. */
  Schema.TaggedStruct("Host", { host: Schema.String, port: Schema.optionalKey(Schema.Int) }),
  /**
   * Anything else: a target of the tool's own, such as `db:orders`, and in `words` what is done, such as "delete rows of orders". The
   * question shows the whole `details`, such as the text that is sent.
   */
  Schema.TaggedStruct("Other", {
    target: Schema.String,
    changes: Schema.Boolean,
    words: Schema.String,
    details: Schema.optionalKey(Schema.String)
  })
])
export type Access = typeof Access.Type

/** A file of the project that a command runs; `hash` is null for one that does not exist yet. */
export const RunScript = Schema.Struct({ path: Schema.String, hash: Schema.NullOr(Schema.String) })
export type RunScript = typeof RunScript.Type

/**
 * `path` is absolute and real (the deepest existing ancestor resolved); `inside` tells whether the project holds it. The
 * last two are what the host itself starts before a run; `hash` is the SHA-256 of what would be started.
 */
export const CanonicalAccess = Schema.Union([
  Schema.TaggedStruct("ReadFile", {
    path: Schema.String,
    inside: Schema.Boolean,
    /** True for a file outside the project that belongs to the skill of the task. */
    ofSkill: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.TaggedStruct("WriteFile", {
    path: Schema.String,
    inside: Schema.Boolean,
    content: Schema.String,
    /** What the file becomes, where that is not what it is. */
    kind: Schema.optionalKey(FileKind),
    /** True when the file is removed; its content is empty then. */
    removes: Schema.optionalKey(Schema.Boolean),
    /** The file whose bytes are written; the content is its text, where it has one. */
    from: Schema.optionalKey(FileEntry),
    /** The folder that is removed as a whole, or to which a whole folder is moved, with this file in it. */
    folder: Schema.optionalKey(Schema.String),
    /** What is there now that has no text. */
    holds: Schema.optionalKey(FileEntry),
    /** The hash of the text that the content was computed from; when the file has another text, nothing is written. */
    base: Schema.optionalKey(Schema.String),
    /** What was at the path when the host looked; when something else is there, nothing is written. */
    found: Schema.optionalKey(Schema.String),
    /** What the file would lose, as a sentence. */
    loses: Schema.optionalKey(Schema.String),
    /** True for a file that controls git by its place, whatever its name is. */
    control: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.TaggedStruct("FetchUrl", {
    url: Schema.String,
    /** What its address holds of what was read in this run. */
    carries: Schema.optionalKey(Schema.String)
  }),
  Schema.TaggedStruct("RunCommand", {
    argv: CommandLine,
    /** Absolute and real, inside the project. */
    cwd: Schema.String,
    sandboxed: Schema.Boolean,
    /** What the sandbox allows, or why there is none; shown after "Sandbox: ". */
    sandbox: Schema.String,
    /** True when it runs on the working copy of a task, and writes there. */
    onCopy: Schema.optionalKey(Schema.Boolean),
    /** True when nothing of what it does is left once its copy is gone, so that it can be run again. */
    leavesNothing: Schema.optionalKey(Schema.Boolean),
    /** The files of the project that it runs; an answer holds for what they say now. Absent when there are none. */
    scripts: Schema.optionalKey(Schema.Array(RunScript)),
    /** Why nothing can allow the command; a clause of which the command is the subject. */
    denial: Schema.optionalKey(Schema.String)
  }),
  /** `host` is lower-case ASCII without a dot at its end. */
  Schema.TaggedStruct("Host", { host: Schema.String, port: Schema.optionalKey(Schema.Int) }),
  /** `target` and `words` are one line each. */
  Schema.TaggedStruct("Other", {
    target: Schema.String,
    changes: Schema.Boolean,
    words: Schema.String,
    details: Schema.optionalKey(Schema.String)
  }),
  /** The code of a plugin, which runs with all rights of the person. `path` is its file or folder. */
  Schema.TaggedStruct("LoadPlugin", {
    name: Schema.String,
    path: Schema.String,
    hash: Schema.String,
    /** What the project sets for it, as JSON. */
    configuration: Schema.optionalKey(Schema.String),
    /** What its tools run, for a plugin that is declared instead of written. */
    does: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /** An MCP server: a program to start, or a URL to connect to. */
  Schema.TaggedStruct("StartServer", { name: Schema.String, does: Schema.Array(Schema.String), hash: Schema.String })
])
export type CanonicalAccess = typeof CanonicalAccess.Type

/**
 * An access without what was found at its path and what that would lose, which is compared by itself, and without whether it is on a copy: who allows a
 * command for the project allows it for a copy of it. What a URL carries depends on what was read before.
 */
export const plainAccess = (access: CanonicalAccess): CanonicalAccess => {
  if (access._tag === "WriteFile") {
    const { found: _found, holds: _holds, loses: _loses, ...plain } = access
    return plain
  }
  if (access._tag === "FetchUrl") return { _tag: "FetchUrl", url: access.url }
  if (access._tag !== "RunCommand") return access
  const { leavesNothing: _leavesNothing, onCopy: _onCopy, ...plain } = access
  return plain
}

/** How the words begin for a command that the system itself keeps in bounds, without the sandbox. */
export const partly = "partly: "

/** What the sandbox of a command allows where it runs. */
export const sandboxWords = ({ onCopy = false, sandbox }: CanonicalAccess & { readonly _tag: "RunCommand" }): string =>
  onCopy ? sandbox.replace("writes only in the project", "writes only in a copy of the project") : sandbox

/** The text that is shown and that rules are compared with. */
export const accessTarget = (access: CanonicalAccess): string => {
  switch (access._tag) {
    case "ReadFile":
    case "WriteFile":
      return access.path
    case "FetchUrl":
      return access.url
    case "RunCommand":
      return commandText(access.argv)
    case "Host":
      return access.port === undefined ? access.host : `${access.host}:${access.port}`
    case "Other":
      return access.target
    case "LoadPlugin":
    case "StartServer":
      return `${access.name} sha256:${access.hash}`
  }
}

/** What a person knows accesses by: a folder that is moved or removed as a whole stands for the files in it. */
export const shownTargets = (accesses: ReadonlyArray<CanonicalAccess>): ReadonlyArray<string> => [
  ...new Set(accesses.map((access) => (access._tag === "WriteFile" && access.folder) || accessTarget(access)))
]

/** What a person is shown besides the target, one line each. */
export const accessDetails = (access: CanonicalAccess): ReadonlyArray<string> => {
  switch (access._tag) {
    case "LoadPlugin":
      if (access.does !== undefined) return [`File: ${access.path}`, ...access.does]
      return [
        `Code: ${access.path}`,
        ...(access.configuration === undefined ? [] : [`Configuration: ${access.configuration}`])
      ]
    case "StartServer":
      return access.does
    case "RunCommand": {
      const words = access.argv.map(
        (word, index) => `${index === 0 ? "Program" : `Argument ${index}`}: ${wordText(word)}`
      )
      return [...(words.length > 1 ? words : []), `Folder: ${access.cwd}`, `Sandbox: ${sandboxWords(access)}`]
    }
    case "Other":
      return access.details === undefined ? [] : access.details.split("\n")
    default:
      return []
  }
}

export type WriteAccess = CanonicalAccess & { readonly _tag: "WriteFile" }

/** The text of the file afterwards; null when it is removed. */
export const writtenText = ({ content, removes }: WriteAccess): string | null => (removes === true ? null : content)

export const writesIn = (accesses: ReadonlyArray<CanonicalAccess>): ReadonlyArray<WriteAccess> =>
  accesses.filter((access) => access._tag === "WriteFile")

/** What the host itself starts before a run. */
export type Start = CanonicalAccess & { readonly _tag: "LoadPlugin" | "StartServer" }

/** `safe` runs, `medium` asks, `high` asks with a warning. */
export const Risk = Schema.Literals(["safe", "medium", "high"])
export type Risk = typeof Risk.Type

/** What a repetition after a crash would do: nothing new, the same state again, or a second effect. */
export const EffectClass = Schema.Literals(["pure", "idempotent", "once"])
export type EffectClass = typeof EffectClass.Type

export const higherRisk = (a: Risk, b: Risk): Risk => {
  const order = Risk.literals
  return order.indexOf(a) >= order.indexOf(b) ? a : b
}

/** Writing, running commands and other changes are of high risk; reaching a host, fetching, and reading what is outside the project or looks like a secret, of medium risk. */
export const accessRisk = (access: CanonicalAccess): Risk => {
  if (access._tag === "WriteFile" || access._tag === "RunCommand") return "high"
  if (access._tag === "Other") return access.changes ? "high" : "safe"
  return access._tag === "ReadFile" && access.inside && !isSecretLike(access.path) ? "safe" : "medium"
}

/** The risk of a call: that of its tool, or that of what it accesses when this is higher. */
export const raisedRisk = (risk: Risk, accesses: ReadonlyArray<CanonicalAccess>): Risk =>
  accesses.map(accessRisk).reduce(higherRisk, risk)

/** A longer path with its query may carry data of a file or a page to another server. */
export const mostUrlData = 256

/** How many characters of a URL follow its host; 0 when they are too few to carry much. */
const longPartOf = (text: string): number => {
  const url = URL.parse(text)
  const length = url === null ? text.length : url.pathname.length + url.search.length
  return length > mostUrlData ? length : 0
}

/**
 * Why a person is asked about an access each time, as a sentence; nothing when an answer may hold for longer. A rule
 * still decides about such an access when its pattern names it, and not only a host or a folder.
 */
export const eachTimeReason = (access: CanonicalAccess): string | undefined => {
  if (access._tag === "WriteFile" && isAutomatic(access.path)) {
    return "Programs run or read this file automatically. This is asked each time."
  }
  if (access._tag === "WriteFile" && access.loses !== undefined) return `${access.loses} This is asked each time.`
  if (access._tag !== "FetchUrl") return undefined
  if (access.carries !== undefined) {
    return `Its address holds ${JSON.stringify(access.carries)}, which the model read in this run. This is asked each time.`
  }
  const length = longPartOf(access.url)
  return length > 0 ? `Sends ${length} characters of data in the address. This is asked each time.` : undefined
}

/** True when a general yes given beforehand does not cover it: secrets, what lies outside the project, and starts. */
export const needsUser = (access: CanonicalAccess): boolean => {
  if (access._tag === "LoadPlugin" || access._tag === "StartServer") return true
  return access._tag === "ReadFile" && ((!access.inside && access.ofSkill !== true) || isSecretLike(access.path))
}

/** The parsed http(s) URL without its fragment, and without the dot that may end its host. Fails with what is wrong and what to do. */
export const canonicalUrl = (text: string): Result.Result<string, string> => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return Result.fail(`${JSON.stringify(text)} is not an http or https URL. Give a complete one.`)
  }
  if (url.username !== "" || url.password !== "") {
    return Result.fail(`The URL of ${url.host} holds a user name or password. Give it without.`)
  }
  url.hash = ""
  url.hostname = url.hostname.replace(/\.$/, "")
  return Result.succeed(url.href)
}

/** The name of a host as URLs have it; fails with what is wrong and what to do. */
export const canonicalHost = (text: string): Result.Result<string, string> => {
  const url = /^[^\s/?#@:]+$|^\[[\da-f:.]+\]$/i.test(text) ? URL.parse(`http://${text}/`) : null
  const host = url?.hostname.replace(/\.$/, "") ?? ""
  return host === ""
    ? Result.fail(`${JSON.stringify(text)} is not the name of a host. Give it alone.`)
    : Result.succeed(host)
}

/** The longest target and the longest words of an effect of a tool's own, in characters. */
const mostOther = 500

const isLine = (text: string): boolean =>
  text.trim() !== "" && text.length <= mostOther && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

export type OtherAccess = CanonicalAccess & { readonly _tag: "Other" }

/** The longest details of such an effect, in characters: the user reads all of them. */
const mostDetails = 20_000

const fault = (what: string) => Result.fail(`${what} This is a fault of the tool.`)

/** An effect of a tool's own, if it can be shown: its target and words in one line each. */
export const canonicalOther = (access: Access & { readonly _tag: "Other" }): Result.Result<OtherAccess, string> => {
  const { details = "", target, words } = access
  if (!isLine(target) || !isLine(words)) return fault("The target and the words of an access must be one line each.")
  if (details.length > mostDetails) {
    return fault(`The details of an access have ${details.length} characters, ${mostDetails} are allowed.`)
  }
  return Result.succeed({ ...access, target: target.trim(), words: words.trim() })
}
