/**
 * The accesses of a call (files, pages, commands), and their risks. A tool declares its accesses, and the program makes
 * them canonical (real path, parsed URL, argument vector). The gate decides about the canonical accesses, and the tool
 * receives exactly these.
 */
import * as Schema from "effect/Schema"
import { CommandLine, commandText, wordText } from "../commands/CommandText.ts"
import { FileEntry } from "../files/FileEntry.ts"
import { FileKind } from "../files/FileKind.ts"
import { TextEdit } from "../files/TextEdit.ts"
import { isAutomatic, isSecretLike } from "../files/SensitivePath.ts"
import * as Result from "effect/Result"

/** The accesses that a tool declares, with paths as the model wrote them. */
export const Access = Schema.Union([
  Schema.TaggedStruct("ReadFile", { path: Schema.String }),
  /** `kind` is set only if the write changes the kind of the file. For a link, `content` is its target. */
  Schema.TaggedStruct("WriteFile", { path: Schema.String, content: Schema.String, kind: Schema.optionalKey(FileKind) }),
  /**
   * Moves a file, a link or a folder. For each file, it becomes two `WriteFile`: one writes the bytes at the new path,
   * one removes the old path.
   */
  Schema.TaggedStruct("MoveFile", { path: Schema.String, to: Schema.String }),
  /**
   * Removes a file, a link or a folder. The program converts it to one `WriteFile` with `removes` for each removed
   * file.
   */
  Schema.TaggedStruct("RemoveFile", { path: Schema.String }),
  /**
   * Replacements in an existing file. The program computes the new content, and grants a `WriteFile` with this content.
   */
  Schema.TaggedStruct("EditFile", { path: Schema.String, edits: Schema.NonEmptyArray(TextEdit) }),
  Schema.TaggedStruct("FetchUrl", { url: Schema.String }),
  /** `cwd` is a folder below the project; without it, the command runs in the project folder. */
  Schema.TaggedStruct("RunCommand", { argv: CommandLine, cwd: Schema.optionalKey(Schema.String) }),
  /** A network host to which the tool connects. */
  Schema.TaggedStruct("Host", { host: Schema.String, port: Schema.optionalKey(Schema.Int) }),
  /**
   * Any other effect. `target` is an identifier that the tool chooses, such as `db:orders`. `words` describe the
   * effect, such as "delete rows of orders". The user reads all `details`, such as a text to send.
   */
  Schema.TaggedStruct("Other", {
    target: Schema.String,
    changes: Schema.Boolean,
    words: Schema.String,
    details: Schema.optionalKey(Schema.String)
  })
])
export type Access = typeof Access.Type

/** A file of the project that a command runs. `hash` is null if it does not exist yet. */
export const RunScript = Schema.Struct({ path: Schema.String, hash: Schema.NullOr(Schema.String) })
export type RunScript = typeof RunScript.Type

/**
 * An access after the program has resolved it.
 * - `path` is absolute and real: its deepest existing ancestor is resolved.
 * - `inside` is true for a path in the project.
 * - Tools never declare `LoadPlugin` and `StartServer`: the program makes these two accesses before a run. Their `hash`
 *   is the SHA-256 of the code or of the configuration entry.
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
    /** The new kind of the file, if it changes. */
    kind: Schema.optionalKey(FileKind),
    /** True if the write removes the file; `content` is then empty. */
    removes: Schema.optionalKey(Schema.Boolean),
    /** For a moved file: the file whose bytes are copied. `content` is the text of that file; empty if it is binary. */
    from: Schema.optionalKey(FileEntry),
    /** The folder that contains the file, if the whole folder is moved or removed. */
    folder: Schema.optionalKey(Schema.String),
    /** The current file at this path, if it is binary. */
    holds: Schema.optionalKey(FileEntry),
    /** The hash of the text from which `content` was computed. Nothing is written if the text has changed. */
    base: Schema.optionalKey(Schema.String),
    /** The state of the path when the access was resolved. Nothing is written if it has changed. */
    found: Schema.optionalKey(Schema.String),
    /** A sentence about content that the write would destroy. */
    loses: Schema.optionalKey(Schema.String),
    /** True for a file that controls git because of its folder, whatever its name. */
    control: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.TaggedStruct("FetchUrl", {
    url: Schema.String,
    /** A text that the URL contains and that the model has read in this run. */
    carries: Schema.optionalKey(Schema.String)
  }),
  Schema.TaggedStruct("RunCommand", {
    argv: CommandLine,
    /** The folder of the command. Absolute and real, inside the project. */
    cwd: Schema.String,
    sandboxed: Schema.Boolean,
    /** The limits of the sandbox, or why there is no sandbox. The user reads this text after "Sandbox: ". */
    sandbox: Schema.String,
    /** True if the command runs on the working copy of a task and writes only there. */
    onCopy: Schema.optionalKey(Schema.Boolean),
    /** True if all effects vanish with the working copy, so that the command can run again. */
    leavesNothing: Schema.optionalKey(Schema.Boolean),
    /**
     * The project files that the command runs, if any. An answer of the user is valid only for the current bytes of
     * these files.
     */
    scripts: Schema.optionalKey(Schema.Array(RunScript)),
    /** Why no answer can allow the command: a clause whose subject is the command. */
    denial: Schema.optionalKey(Schema.String)
  }),
  /** `host` is lower-case ASCII without a trailing dot. */
  Schema.TaggedStruct("Host", { host: Schema.String, port: Schema.optionalKey(Schema.Int) }),
  /** `target` and `words` are one line each. */
  Schema.TaggedStruct("Other", {
    target: Schema.String,
    changes: Schema.Boolean,
    words: Schema.String,
    details: Schema.optionalKey(Schema.String)
  }),
  /** The code of a plugin, which has all rights of the user. `path` is its file or folder. */
  Schema.TaggedStruct("LoadPlugin", {
    name: Schema.String,
    path: Schema.String,
    hash: Schema.String,
    /** The project's configuration of the plugin, as JSON. */
    configuration: Schema.optionalKey(Schema.String),
    /** The commands of the tools, for a plugin in a configuration file. */
    does: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  /** An MCP server. `does` names the program to start, or the URL to connect to. */
  Schema.TaggedStruct("StartServer", { name: Schema.String, does: Schema.Array(Schema.String), hash: Schema.String })
])
export type CanonicalAccess = typeof CanonicalAccess.Type

/**
 * The access in the form in which rules and answers compare it. These parts are left out:
 * - the state of the file, and what the write destroys, because other code compares them,
 * - `onCopy`, because a permission for the project also covers a copy of the project,
 * - text that a URL carries, because it depends on earlier reads.
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

/** `sandbox` begins with this text if the system confines a command only in part. */
export const partly = "partly: "

/**
 * The text about the sandbox. For a command on a working copy, it says "a copy of the project" instead of "the
 * project".
 */
export const sandboxWords = ({ onCopy = false, sandbox }: CanonicalAccess & { readonly _tag: "RunCommand" }): string =>
  onCopy ? sandbox.replace("writes only in the project", "writes only in a copy of the project") : sandbox

/**
 * The target of an access as text, in the form that users read and rules match. This is a path, URL, command line or
 * host. For a plugin or server, it is the name with a hash.
 */
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

/** The targets as a user reads them. If a folder is moved or removed, its path replaces the paths of its files. */
export const shownTargets = (accesses: ReadonlyArray<CanonicalAccess>): ReadonlyArray<string> => [
  ...new Set(accesses.map((access) => (access._tag === "WriteFile" && access.folder) || accessTarget(access)))
]

/** Lines that the user reads below the target. */
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

/** The text of the file after the write; null if it is removed. */
export const writtenText = ({ content, removes }: WriteAccess): string | null => (removes === true ? null : content)

export const writesIn = (accesses: ReadonlyArray<CanonicalAccess>): ReadonlyArray<WriteAccess> =>
  accesses.filter((access) => access._tag === "WriteFile")

/** An access that the program makes before a run, to load code or start a server. */
export type Start = CanonicalAccess & { readonly _tag: "LoadPlugin" | "StartServer" }

/** The gate allows `safe` calls, asks about `medium` calls, and asks about `high` calls with a warning. */
export const Risk = Schema.Literals(["safe", "medium", "high"])
export type Risk = typeof Risk.Type

/**
 * What a second run after a crash does: nothing (`pure`), the same state again (`idempotent`), or a second effect
 * (`once`).
 */
export const EffectClass = Schema.Literals(["pure", "idempotent", "once"])
export type EffectClass = typeof EffectClass.Type

export const higherRisk = (a: Risk, b: Risk): Risk => {
  const order = Risk.literals
  return order.indexOf(a) >= order.indexOf(b) ? a : b
}

/**
 * High for writing, commands and other changes. Medium for network access, and for reading secrets or files outside the
 * project.
 */
export const accessRisk = (access: CanonicalAccess): Risk => {
  if (access._tag === "WriteFile" || access._tag === "RunCommand") return "high"
  if (access._tag === "Other") return access.changes ? "high" : "safe"
  return access._tag === "ReadFile" && access.inside && !isSecretLike(access.path) ? "safe" : "medium"
}

/** The highest risk of a tool and its accesses. */
export const raisedRisk = (risk: Risk, accesses: ReadonlyArray<CanonicalAccess>): Risk =>
  accesses.map(accessRisk).reduce(higherRisk, risk)

/**
 * The maximum length of path and query of a URL, in characters. More could carry data of a file or a page to another
 * server.
 */
export const mostUrlData = 256

/** The number of characters after a URL's host; 0 if too few to carry data. */
const longPartOf = (text: string): number => {
  const url = URL.parse(text)
  const length = url === null ? text.length : url.pathname.length + url.search.length
  return length > mostUrlData ? length : 0
}

/**
 * Why the gate asks each time about an access like this, as a sentence. Undefined if one answer may also cover later
 * accesses. A rule still applies if its pattern names this access itself, and not only its host or folder.
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

/**
 * True for an access that a general permission does not cover: a secret, a file outside the project, or the start of a
 * plugin or server.
 */
export const needsUser = (access: CanonicalAccess): boolean => {
  if (access._tag === "LoadPlugin" || access._tag === "StartServer") return true
  return access._tag === "ReadFile" && ((!access.inside && access.ofSkill !== true) || isSecretLike(access.path))
}

/**
 * The parsed http(s) URL without a fragment, and without a full stop after the host. Fails with the problem and its
 * fix.
 */
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

/** The host name as in URLs. Fails with the problem and its fix. */
export const canonicalHost = (text: string): Result.Result<string, string> => {
  const url = /^[^\s/?#@:]+$|^\[[\da-f:.]+\]$/i.test(text) ? URL.parse(`http://${text}/`) : null
  const host = url?.hostname.replace(/\.$/, "") ?? ""
  return host === ""
    ? Result.fail(`${JSON.stringify(text)} is not the name of a host. Give it alone.`)
    : Result.succeed(host)
}

/** The maximum length of `target` and of `words` in an `Other` access, in characters. */
const mostOther = 500

const isLine = (text: string): boolean =>
  text.trim() !== "" && text.length <= mostOther && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

export type OtherAccess = CanonicalAccess & { readonly _tag: "Other" }

/** The maximum length of `details`, in characters, because the user reads them all. */
const mostDetails = 20_000

const fault = (what: string) => Result.fail(`${what} This is a fault of the tool.`)

/** Fails unless `target` and `words` are one short line each, which a user can read. */
export const canonicalOther = (access: Access & { readonly _tag: "Other" }): Result.Result<OtherAccess, string> => {
  const { details = "", target, words } = access
  if (!isLine(target) || !isLine(words)) return fault("The target and the words of an access must be one line each.")
  if (details.length > mostDetails) {
    return fault(`The details of an access have ${details.length} characters, ${mostDetails} are allowed.`)
  }
  return Result.succeed({ ...access, target: target.trim(), words: words.trim() })
}
