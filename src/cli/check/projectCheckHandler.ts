/**
 * What `check` does in a project. Loaded when it is needed: a check of the text alone starts without it.
 */
import * as Effect from "effect/Effect"
import { inProject } from "../../app/projectCheck.ts"
import { printable } from "../../domain/text/Printable.ts"
import { Output } from "../terminal/Output.ts"
import { checkFiles, type CheckOrder } from "./checkFiles.ts"

/** Checks the documents that a person named, against the project. */
export const checkFilesInProject = Effect.fn("checkFilesInProject")(function* (
  project: string,
  files: ReadonlyArray<string>,
  order: CheckOrder
) {
  const { tell, tellPaint } = yield* Output
  const warn = (warnings: ReadonlyArray<string>) =>
    Effect.forEach(warnings, (text) => tell(`${tellPaint.yellow("warning")}: ${printable(text)}`), { discard: true })
  return yield* inProject({ project, given: {}, warn }, ({ fix }) =>
    checkFiles(files, order, (text, name) => fix(order.kind, text, { ...order, name }))
  )
})
