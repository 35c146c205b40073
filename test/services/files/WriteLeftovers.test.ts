/**
 * What is removed after a write that was killed, and above all what is not.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { textHash } from "../../../src/services/files/Hash.ts"
import { removeLeftovers, temporaryName } from "../../../src/services/files/WriteLeftovers.ts"
import { makeFolder } from "../../support/Project.ts"

const writeOf = (path: string, text: string) => ({ path, after: textHash(text) })

layer(NodeServices.layer)("removing what a killed write left", (it) => {
  it.effect("takes its temporary file, and no other name, folder or link", () =>
    Effect.gen(function* () {
      const folder = realpathSync(yield* makeFolder)
      const mine = writeOf(`${folder}/a.txt`, "new")
      const others = [
        temporaryName(writeOf(`${folder}/a.txt`, "other"), "x1"),
        temporaryName(writeOf(`${folder}/b.txt`, "new"), "x1"),
        temporaryName(mine, "x1").replace(".tmp", ".txt"),
        ".task-conductor-x1.tmp",
        "a.txt"
      ]
      for (const name of [...others, temporaryName(mine, "x1"), temporaryName(mine, "x2")]) {
        writeFileSync(`${folder}/${name}`, "text")
      }
      mkdirSync(`${folder}/${temporaryName(mine, "folder")}`)
      symlinkSync("a.txt", `${folder}/${temporaryName(mine, "link")}`)
      yield* removeLeftovers([mine])
      expect(readdirSync(folder).toSorted()).toEqual(
        [...others, temporaryName(mine, "folder"), temporaryName(mine, "link")].toSorted()
      )
    })
  )

  it.effect("looks through no link that took the place of the folder, and goes on where there is none", () =>
    Effect.gen(function* () {
      const folder = realpathSync(yield* makeFolder)
      const write = writeOf(`${folder}/src/a.txt`, "new")
      mkdirSync(`${folder}/away`)
      writeFileSync(`${folder}/away/${temporaryName(write, "x1")}`, "text")
      symlinkSync("away", `${folder}/src`)
      yield* removeLeftovers([writeOf(`${folder}/none/a.txt`, "new"), write])
      expect(readdirSync(`${folder}/away`)).toEqual([temporaryName(write, "x1")])
    })
  )
})
