/**
 * Hashes of values and texts, and what identifies the content of a file at one moment, so that a later change is seen.
 */
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

/** The hash of `[system, user]`. */
export const promptHash = (system: string, user: string): string => hash("sha256", JSON.stringify([system, user]))

/** SHA-256 of a string in UTF-8 or of bytes, in hex. */
export const textHash = (content: string | Uint8Array): string => hash("sha256", content)

/** Of a larger file the size and the times tell whether it changed. */
const maxHashed = 16_777_216

/** There is nothing at the path. */
const absent = "absent"

const timeOf = (time: Option.Option<Date>): number =>
  Option.match(time, { onNone: () => 0, onSome: (one) => one.getTime() })

/** The state of a link that leads there. */
export const linkState = (target: string): string => `link ${textHash(target)}`

/** The state of what is at a path, without following a link; a hash of the bytes for a regular file. */
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
