/**
 * Reads the files that a message names, if the gate allows it. A text becomes a reference, as in a task. A picture is
 * sent with the message.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { isPictureName, mentionsIn, pictureType } from "../../domain/conversation/Mentions.ts"
import { nearestPaths } from "../../domain/files/PathList.ts"
import { readReference } from "../../domain/grammar/ReferenceForm.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import type { Picture } from "../../domain/models/ConversationMessage.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import type { FileReference } from "../../domain/plan/Reference.ts"
import { readFileBytes } from "../files/TextFile.ts"
import { Workspace } from "../files/Workspace.ts"
import { ToolSupport } from "../models/ToolSupport.ts"
import { Gate } from "../permissions/Gate.ts"
import { questionOfAccess } from "../permissions/GateQuestion.ts"
import { meantFile } from "../references/FileReferences.ts"
import { References } from "../references/References.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** Says that a file of a message cannot be used, and what the user can do. */
class MessageFileError extends Schema.TaggedError<MessageFileError>()("MessageFileError", {
  message: Schema.String
}) {}

const failed = ({ message }: { readonly message: string }) => new MessageFileError({ message })

export interface MessageFiles {
  /** The text files, in the form in which a reply of the program shows files to the model. Empty if there are none. */
  readonly text: string
  /** The names of the files, as the user wrote them. */
  readonly names: ReadonlyArray<string>
  readonly pictures: ReadonlyArray<Picture>
}

/** True for a path outside the project. Such a path always means a file, even if the file does not exist. */
const isElsewhere = (path: string): boolean => /^(?:\/|\.\.\/)/.test(path)

export const makeMessageFiles = Effect.gen(function* () {
  const events = yield* RunEvents
  const gate = yield* Gate
  const path = yield* Path.Path
  const references = yield* References
  const { limits } = yield* RunSettings
  const support = yield* ToolSupport
  const workspace = yield* Workspace
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem>())

  const readPicture = Effect.fnUntraced(function* (writtenPath: string, number: number) {
    const file = yield* workspace.canonical(writtenPath)
    yield* gate.authorize(
      questionOfAccess({ task: `Message ${number}`, place: `message-${number}` }, { _tag: "ReadFile", ...file })
    )
    const bytes = yield* provide(readFileBytes(file.path, limits.readFileBytes))
    const mediaType = pictureType(bytes)
    if (mediaType === undefined) {
      return yield* new MessageFileError({
        message: `${writtenPath} is no picture of a kind that models see: PNG, JPEG, GIF or WebP.`
      })
    }
    return { path: writtenPath, mediaType, data: Buffer.from(bytes).toString("base64") } satisfies Picture
  }, Effect.mapError(failed))

  /** The reference to the file with this name. Undefined if there is none, so that the name stays plain text. */
  const referenceTo = Effect.fnUntraced(function* (name: string, tree: Effect.Effect<ReadonlyArray<string>>) {
    const form = readReference(name, name)
    if (form._tag !== "Plain" || form.reference.kind !== "file") return undefined
    const { target } = form.reference
    const meant = yield* Effect.provideService(meantFile(form.reference), Workspace, workspace)
    if (meant !== undefined) return meant.reference
    const canonical = yield* Effect.option(workspace.canonical(target))
    if (canonical._tag === "None") return undefined
    if (!canonical.value.inside) return isElsewhere(target) ? form.reference : undefined
    const files = yield* tree
    const folder = path.relative(workspace.root, canonical.value.path)
    if (files.some((file) => folder === "" || file.startsWith(`${folder}/`))) return undefined
    const [near] = nearestPaths(target, files)
    if (near === undefined) return undefined
    const text = `There is no file ${target} in the project, so it is not sent. Nearest: @${near}.`
    yield* events.publish({ type: "message", level: "warning", text })
    return undefined
  })

  /** Reads the files that `text` and `imagePaths` name. */
  return Effect.fn("readMessageFiles")(function* (
    text: string,
    imagePaths: ReadonlyArray<string>,
    briefing: Briefing,
    number: number
  ): Effect.fn.Return<MessageFiles, MessageFileError> {
    const tree = yield* Effect.cached(Effect.orElseSucceed(workspace.tree, () => []))
    const named: Array<FileReference> = []
    const names: Array<string> = []
    for (const name of mentionsIn(text)) {
      const reference = yield* referenceTo(name, tree)
      if (reference === undefined) continue
      named.push(reference)
      names.push(name)
    }
    const images = named.filter(({ target }) => isPictureName(target)).map(({ target }) => target)
    const paths = [...new Set([...imagePaths, ...images])]
    if (paths.length > 0) yield* Effect.mapError(support.see, failed)
    const pictures = yield* Effect.forEach(paths, (one) => readPicture(one, number))
    const texts = named.filter(({ target }) => !isPictureName(target))
    const name = `Message ${number}`
    const task = plainTask(name, "ask", text, "", { references: texts })
    const block = yield* Effect.mapError(
      references.block(task, { briefing, finished: [], place: `message-${number}` }),
      failed
    )
    return { text: block.text, pictures, names }
  })
})
