/**
 * What the files of approved writes held when a person was shown what would be replaced. An approval holds while that is
 * still there, or what this run itself wrote since; otherwise the write is asked about again.
 */
import * as Schema from "effect/Schema"
import { type CanonicalAccess, plainAccess } from "../../domain/tools/Access.ts"
import type { Asked } from "../../domain/permissions/SessionScope.ts"
import { hashOf, textHash } from "../files/Hash.ts"

type Writing = CanonicalAccess & { readonly _tag: "WriteFile" }

/** As plain data, for another process that runs tasks of the same run. */
export const shownFields = {
  /** By write: what stood at its path. */
  shown: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** By path: what this run wrote there last. */
  written: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}
const ShownSnapshot = Schema.Struct(shownFields)

const writesOf = ({ accesses }: Asked): ReadonlyArray<Writing> =>
  accesses.filter((access) => access._tag === "WriteFile")

/** The same write by the same tool, in whichever task. */
const keyOf = ({ tool }: Asked, write: Writing): string => hashOf([tool, { ...plainAccess(write) }])

/** The contents that were shown in one run; nothing at first. */
export class ShownContents {
  readonly #shown = new Map<string, string>()
  readonly #written = new Map<string, string>()

  /** A person saw the question and allowed it. */
  addShown(asked: Asked): void {
    for (const write of writesOf(asked)) {
      if (write.found !== undefined) this.#shown.set(keyOf(asked, write), write.found)
    }
  }

  /** The call may run: its content is what the run expects at the path from now on. */
  addWritten(asked: Asked): void {
    for (const { content, path } of writesOf(asked)) this.#written.set(path, textHash(content))
  }

  /** True when nobody else changed what a person saw. What nobody saw is not compared. */
  holds(asked: Asked): boolean {
    return writesOf(asked).every((write) => {
      const shown = this.#shown.get(keyOf(asked, write))
      return shown === undefined || write.found === shown || write.found === this.#written.get(write.path)
    })
  }

  snapshot(): typeof ShownSnapshot.Type {
    return { shown: Object.fromEntries(this.#shown), written: Object.fromEntries(this.#written) }
  }

  restore({ shown = {}, written = {} }: typeof ShownSnapshot.Type): void {
    for (const [key, state] of Object.entries(shown)) this.#shown.set(key, state)
    for (const [path, state] of Object.entries(written)) this.#written.set(path, state)
  }
}
