/**
 * Stores conversations about a project in the user's state folder, without secrets. A continued conversation gets a new
 * file, so that no conversation overwrites another. Messages that the user typed are also stored for the arrow keys,
 * one JSON string per line.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { messagesToKeep, SavedConversation } from "../../domain/conversation/Conversation.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import { makeSafeJson, makeRedaction, type SecretValues } from "../../domain/text/Redaction.ts"
import { readGivenFile } from "../files/GivenFile.ts"
import { hashOf } from "../files/Hash.ts"
import { filesIn as keptIn } from "../files/KeptFiles.ts"
import { writePrivateFile, appendPrivateFile } from "../files/PrivateFile.ts"

/** The place where the conversations about a project are stored. */
export interface ConversationPlace {
  /** The user's state folder. */
  readonly state: string
  /** The absolute path of the project. */
  readonly project: string
  /** Secret values, which are never stored. */
  readonly secrets: SecretValues
}

/** Says that there is no conversation to continue, or none with the id `given`. */
export class NoConversation extends Schema.TaggedError<NoConversation>()("NoConversation", {
  project: Schema.String,
  given: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.given === undefined
      ? `There is no conversation about ${this.project} to continue. Start one without --continue.`
      : `There is no conversation "${this.given}" about ${this.project}. "task-conductor sessions" lists them; name one by its id, the beginning of its id, or its number there.`
  }
}

/** The maximum number of stored conversations of a project. */
const mostConversations = 20

const ending = ".json"

export const conversationFolder = Effect.fnUntraced(function* ({
  project,
  state
}: Pick<ConversationPlace, "project" | "state">) {
  const path = yield* Path.Path
  return path.join(state, "conversations", hashOf([path.resolve(project)]).slice(0, 16))
})

/** The files of conversations, the most recent first. */
const filesIn = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  const files = yield* Effect.forEach(
    names.filter((name) => name.endsWith(ending)),
    (name) =>
      fs.stat(path.join(folder, name)).pipe(
        Effect.map(({ mtime }) => ({ name, at: Option.match(mtime, { onNone: () => 0, onSome: Number }) })),
        Effect.orElseSucceed(() => ({ name, at: 0 }))
      )
  )
  return files.toSorted((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1)).map(({ name }) => name)
})

const filesFolder = (path: Path.Path, folder: string, id: string): string => path.join(folder, `${id}.results`)

/** The store for images and files that tools returned in a conversation. */
export const resultFilesOf = Effect.fnUntraced(function* (place: ConversationPlace, id: string) {
  return yield* keptIn(filesFolder(yield* Path.Path, yield* conversationFolder(place), id))
})

const prune = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const old = (yield* filesIn(folder)).slice(mostConversations)
  const places = old.flatMap((name) => [
    path.join(folder, name),
    filesFolder(path, folder, name.slice(0, -ending.length))
  ])
  const remove = (one: string) => Effect.ignore(fs.remove(one, { recursive: true, force: true }))
  yield* Effect.forEach(places, remove, { discard: true })
})

const encode = Schema.encodeSync(SavedConversation)
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(SavedConversation))

/** Stores the messages of a conversation, and replaces its earlier file. */
export const saveConversation = Effect.fn("saveConversation")(function* (
  place: ConversationPlace,
  conversation: {
    readonly runId: string
    readonly model: string
    readonly messages: ReadonlyArray<ConversationMessage>
  }
) {
  const path = yield* Path.Path
  const { messages, model, runId } = conversation
  const folder = yield* conversationFolder(place)
  const saved: SavedConversation = {
    version: 1,
    conversation: runId,
    project: place.project,
    model,
    saved_at: DateTime.formatIso(yield* DateTime.now),
    messages: messagesToKeep(messages)
  }
  const json = makeSafeJson(place.secrets)(encode(saved) as Schema.Json)
  yield* writePrivateFile(path.join(folder, `${runId}${ending}`), `${json}\n`)
  yield* prune(folder)
})

const readSaved = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return Option.flatMap(yield* Effect.option(fs.readFileString(file)), decode)
})

/** All readable conversations about the project, the most recent first. */
export const keptConversations = Effect.fn("keptConversations")(function* (
  place: Pick<ConversationPlace, "project" | "state">
) {
  const path = yield* Path.Path
  const folder = yield* conversationFolder(place)
  const saved = yield* Effect.forEach(yield* filesIn(folder), (name) => readSaved(path.join(folder, name)))
  return saved.flatMap(Option.toArray)
})

/** Finds a conversation by its id, by the beginning of its id, or by its number in the list. */
export const findConversation = Effect.fn("findConversation")(function* (
  place: Pick<ConversationPlace, "project" | "state">,
  wanted: string
) {
  const all = yield* keptConversations(place)
  const named = all.filter(({ conversation }) => conversation.startsWith(wanted))
  const found = /^\d{1,2}$/.test(wanted) ? all[Number(wanted) - 1] : named.length === 1 ? named[0] : undefined
  return found ?? (yield* new NoConversation({ project: place.project, given: wanted }))
})

/** The most recent readable conversation about the project. */
export const lastConversation = Effect.fn("lastConversation")(function* (
  place: Pick<ConversationPlace, "project" | "state">
) {
  const path = yield* Path.Path
  const folder = yield* conversationFolder(place)
  for (const name of yield* filesIn(folder)) {
    const saved = yield* readSaved(path.join(folder, name))
    if (Option.isSome(saved)) return saved.value
  }
  return yield* new NoConversation({ project: place.project })
})

/** The conversation with this id, if it is stored and readable. */
export const conversationOf = Effect.fn("conversationOf")(function* (
  place: Pick<ConversationPlace, "project" | "state">,
  id: string
) {
  const path = yield* Path.Path
  const folder = yield* conversationFolder(place)
  const names = yield* filesIn(folder)
  return names.includes(`${id}${ending}`) ? yield* readSaved(path.join(folder, `${id}${ending}`)) : Option.none()
})

/** If the file has more than twice this number of messages, it is shortened to this number. */
const mostMessages = 500
/** The maximum length, in characters, of a message that is stored for the arrow keys. */
const mostCharacters = 20_000

const readLine = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))
const lineOf = (message: string): string => `${JSON.stringify(message)}\n`

const fileOf = Effect.fnUntraced(function* (place: Pick<ConversationPlace, "project" | "state">) {
  return (yield* Path.Path).join(yield* conversationFolder(place), "messages.jsonl")
})

/** The stored messages, oldest first. Empty if the file cannot be read. */
export const readMessageHistory = Effect.fn("readMessageHistory")(function* (
  place: Pick<ConversationPlace, "project" | "state">
) {
  const file = yield* fileOf(place)
  const text = yield* Effect.orElseSucceed(readGivenFile(file), () => "")
  const messages = text
    .split("\n")
    .flatMap((line) => Option.match(readLine(line), { onNone: () => [], onSome: (one) => [one] }))
  if (messages.length <= mostMessages * 2) return messages.slice(-mostMessages)
  const kept = messages.slice(-mostMessages)
  yield* Effect.ignore(writePrivateFile(file, kept.map(lineOf).join("")))
  return kept
})

/** Adds a message. Drops a message that is too long or that cannot be written. */
export const addToHistory = Effect.fn("addToHistory")(function* (place: ConversationPlace, message: string) {
  if (message.length > mostCharacters) return
  yield* Effect.ignore(appendPrivateFile(yield* fileOf(place), lineOf(makeRedaction(place.secrets)(message))))
})
