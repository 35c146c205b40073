/** Hashes of values, texts and files. */
import { hash } from "node:crypto"
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../../domain/text/Json.ts"
import { ifFound } from "./FileFailure.ts"
import { isSystemFile } from "./CanonicalPath.ts"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/** SHA-256 of the canonical JSON of a value, in hex. */
export const hashOf = (value: Schema.Json): string => hash("sha256", canonicalJson(value))

/** SHA-256 of a prompt as JSON `[system, user]`, in hex. */
export const promptHash = (system: string, user: string): string => hash("sha256", JSON.stringify([system, user]))

/** SHA-256 of a string in UTF-8 or of bytes, in hex. */
export const textHash = (content: string | Uint8Array): string => hash("sha256", content)

/** The maximum size, in bytes, of a hashed file. A larger one is identified by its size and times. */
const maxHashed = 16_777_216

/** The state of a missing file. */
const absent = "absent"

const timeOf = (time: Option.Option<Date>): number =>
  Option.match(time, { onNone: () => 0, onSome: (one) => one.getTime() })

export const linkState = (target: string): string => `link ${textHash(target)}`

/** The state of the entry at a path, without following links: for a regular file, the hash of its bytes. */
export const contentState = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* ifFound(fs.lstat(path))
  if (info === undefined) return absent
  if (info.type === "SymbolicLink") return linkState(yield* Effect.orElseSucceed(fs.readLink(path), () => ""))
  if (info.type !== "File") return info.type
  if (yield* isSystemFile(path)) return "system"
  if (Number(info.size) > maxHashed) return `${info.size} ${timeOf(info.mtime)} ${Option.getOrElse(info.ino, () => 0)}`
  const bytes = yield* Effect.option(fs.readFile(path))
  return Option.match(bytes, {
    onNone: () => `unreadable ${info.size} ${timeOf(info.mtime)}`,
    onSome: textHash
  })
})
