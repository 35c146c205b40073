/**
 * The messages that a person has typed in conversations about a project, for the arrow keys of later ones. Kept without
 * secrets in the state folder, one JSON string in a line.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { makeRedaction } from "../../domain/text/Redaction.ts"
import { appendPrivateFile, writePrivateFile } from "../files/PrivateFile.ts"
import { type ConversationPlace, conversationFolder } from "./ConversationStore.ts"

/** The file is shortened to so many messages once it has twice as many. */
const mostKept = 500
/** A longer message is not worth a place among those to repeat. */
const mostCharacters = 20_000

const readLine = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))
const lineOf = (message: string): string => `${JSON.stringify(message)}\n`

const fileOf = Effect.fnUntraced(function* (place: Pick<ConversationPlace, "project" | "state">) {
  return (yield* Path.Path).join(yield* conversationFolder(place), "messages.jsonl")
})

/** The earlier messages, the oldest first; none when they cannot be read. */
export const readMessageHistory = Effect.fn("readMessageHistory")(function* (
  place: Pick<ConversationPlace, "project" | "state">
) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fileOf(place)
  const text = yield* Effect.orElseSucceed(fs.readFileString(file), () => "")
  const messages = text
    .split("\n")
    .flatMap((line) => Option.match(readLine(line), { onNone: () => [], onSome: (one) => [one] }))
  if (messages.length <= mostKept * 2) return messages.slice(-mostKept)
  const kept = messages.slice(-mostKept)
  yield* Effect.ignore(writePrivateFile(file, kept.map(lineOf).join("")))
  return kept
})

/** Adds a message. A history that cannot be written is no reason to stop a conversation. */
export const addToHistory = Effect.fn("addToHistory")(function* (place: ConversationPlace, message: string) {
  if (message.length > mostCharacters) return
  yield* Effect.ignore(appendPrivateFile(yield* fileOf(place), lineOf(makeRedaction(place.secrets)(message))))
})
