/**
 * What a project says about itself to those who work on it: the beginning of AGENTS.md or README.md.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { cutAtParagraph } from "../../domain/text/Excerpt.ts"
import { canonicalPath } from "./CanonicalPath.ts"
import { readTextFile } from "./TextFile.ts"

const names = ["AGENTS.md", "README.md"]
const maxBytes = 1_048_576

/** The most characters of a description that go into every prompt. */
const maxDescriptionCharacters = 4000

const excerpt = (name: string, text: string): string => {
  const cut = cutAtParagraph(text.trim(), maxDescriptionCharacters)
  return cut.left === 0
    ? cut.text
    : `${cut.text}\n\n(This is the beginning of ${name}; ${cut.left} characters are left out. Refer to the file for the rest.)`
}

/** The first of the files that is readable text, stays inside the project and is not empty; else an empty text. */
export const describeProject = Effect.fn("describeProject")(function* (root: string) {
  const path = yield* Path.Path
  for (const name of names) {
    const file = yield* canonicalPath(root, path.join(root, name)).pipe(Effect.orElseSucceed(() => undefined))
    if (file === undefined || !file.inside) continue
    const text = yield* readTextFile(file.path, maxBytes).pipe(Effect.orElseSucceed(() => ""))
    if (text.trim() !== "") return excerpt(name, text)
  }
  return ""
})
