/**
 * Reads, checks and fixes the documents that a person named. One that cannot be read does not prevent the others from
 * being checked.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import {
  type CheckOptions,
  type DocumentKind,
  fixDocument,
  type FixedDocument
} from "../../domain/checking/CheckReport.ts"
import type { SarifDocument } from "../../domain/checking/SarifLog.ts"
import { linesOf } from "../../domain/checking/TextSpan.ts"
import { replaceFile } from "../../services/files/AtomicWrite.ts"
import type { CheckedText, FixState } from "./checkText.ts"
import { readInput } from "../terminal/Input.ts"

/** A document with all that was found. */
export interface CheckedFile extends CheckedText, Omit<SarifDocument, "report"> {
  /** The fixed document; the same text when nothing was fixed. */
  readonly fixed: string
}

/** What to check and whether to fix it. */
export interface CheckOrder extends CheckOptions {
  readonly kind: DocumentKind
  readonly fix: boolean
}

/** Checks and fixes the text of a document with this name. */
export type Fix<E, R> = (text: string, name: string) => Effect.Effect<FixedDocument, E, R>

/** Replaces a file, also behind a link, and keeps its mode. */
const writeBack = Effect.fnUntraced(function* (file: string, text: string) {
  const files = yield* FileSystem.FileSystem
  yield* replaceFile(yield* files.realPath(file), text)
})

const checkFile = Effect.fnUntraced(function* <E, R>(file: string, order: CheckOrder, fix: Fix<E, R>) {
  const text = yield* readInput(file)
  const { report, text: fixed } = yield* fix(text, file)
  const fixState: FixState = fixed === text ? "impossible" : order.fix ? "written" : "offered"
  if (fixState === "written" && file !== "-") yield* writeBack(file, fixed)
  const name = file === "-" ? "stdin" : file
  return { name, path: name, text, fixed, fixState, report, lines: linesOf(text) } satisfies CheckedFile
})

/**
 * The documents that could be checked, in the order given, and why the others could not. Without `fix` the texts alone are
 * checked.
 */
export const checkFiles = Effect.fn("checkFiles")(function* <E extends { readonly message: string } = never, R = never>(
  files: ReadonlyArray<string>,
  order: CheckOrder,
  fix: Fix<E, R> = (text) => Effect.sync(() => fixDocument(order.kind, text, order))
) {
  const checked: Array<CheckedFile> = []
  const failures: Array<string> = []
  for (const file of new Set(files)) {
    yield* checkFile(file, order, fix).pipe(
      Effect.match({
        onSuccess: (one) => void checked.push(one),
        onFailure: (error) => void failures.push(error.message)
      })
    )
  }
  return { checked, failures }
})
