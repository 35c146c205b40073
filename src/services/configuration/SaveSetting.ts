/**
 * Sets one key of a configuration file and leaves the rest of its text as it is; the file is made when there is none.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { applyEdits, modify } from "jsonc-parser"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { canonicalPath } from "../files/CanonicalPath.ts"
import { replaceFile } from "../files/AtomicWrite.ts"
import { readBoundedFile } from "../files/GivenFile.ts"

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" }

/** The text with the value under the key. */
export const withSetting = <K extends keyof Configuration>(text: string, key: K, value: Configuration[K]): string => {
  const begin = text.trim() === "" ? "{}" : text
  const changed = applyEdits(begin, modify(begin, [key], value, { formattingOptions }))
  return changed.endsWith("\n") ? changed : `${changed}\n`
}

/** Sets the key in the file; fails with a sentence when the file cannot be read or written. */
export const saveSetting = Effect.fn("saveSetting")(function* <K extends keyof Configuration>(
  file: string,
  key: K,
  value: Configuration[K]
) {
  const text = yield* readBoundedFile(file).pipe(
    Effect.catchIf(
      (error) => error.reason === "missing",
      () => Effect.succeed("")
    )
  )
  const path = yield* Path.Path
  const target = yield* canonicalPath(path.dirname(file), file)
  yield* replaceFile(target.path, withSetting(text, key, value))
})
