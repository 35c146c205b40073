/** What grows with the lines of a change, for countSteps: the search for the branches beside it. */
import { otherBranches } from "../../src/domain/files/CodeRelations.ts"
import type { Works } from "./stepCounter.ts"

const added = (path: string, text: string) => () => otherBranches({ path, base: null, text })

const works: Works = {
  "a new switch": (size) =>
    added(
      "a.ts",
      `switch (x) {\n${Array.from({ length: size }, (_, at) => `  case ${at}:\n    f(${at})\n    break\n`).join("")}}\n`
    ),
  "a new chain of conditions": (size) =>
    added(
      "a.py",
      `if x == 0:\n    f()\n${Array.from({ length: size }, (_, at) => `elif x == ${at}:\n    f(${at})\n`).join("")}`
    ),
  "a new text without branches": (size) => added("a.ts", `f(() => {\n${"  g()\n".repeat(size)}})\n`)
}
export default works
