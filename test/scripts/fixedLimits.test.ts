import { expect, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { fixedLimits, fixedRows, noLimits, valueOf } from "../../scripts/fixedLimits.ts"

const source = new URL("../../src/", import.meta.url)

const constant =
  /^(?:export )?const (\w+)(?:: [\w<>]+)? = ("[\d.]+ \w+"|[\d_.]+(?: \* [\d_]+)*|Duration\.\w+\([\d_]+\))$/gm

/** Names of times, sizes and numbers that end something. */
const ofLimits =
  /bytes|seconds|time$|timeout|patience|megabytes|entries|grace|^(?:most|max)(?:Files|Kept|Mapped|InFolder|Encoded|Imports|Listed|EqualLines|LoopTokens|EqualWords|CodeCharacters|DataCharacters|BlankLines|UselessAnswers|Searched|Tried|Conversations|Messages|Scripts|Denials|Redirects|Compared|Hashed|Scanned|Sources|Events|Runs|Links|Depth|Calls|Turns)$|^longest(?:Look|Wait|Repeat|Try|Trial)$/i

/** Every constant of the source that may be a limit, as `file#name`. */
const constants = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) =>
    [...readFileSync(new URL(file, source), "utf8").matchAll(constant)]
      .filter(
        ([, name = "", value = ""]) => ofLimits.test(name) || /^"[\d.]+ (?:seconds?|minutes?|hours?)"$/.test(value)
      )
      .map(([, name]) => `${file}#${name}`)
  )

it("names every fixed limit of time, size and number in the reference, or says that it ends nothing", () => {
  const known = new Set([...fixedLimits.flatMap(({ from }) => from), ...noLimits])
  expect(constants.filter((one) => !known.has(one))).toEqual([])
  expect([...known].filter((one) => !constants.includes(one))).toEqual([])
})

it("reads the values where they stand, with their units", () => {
  expect(valueOf("services/files/FileTree.ts#maxRuleBytes")).toBe("104_857_600")
  const rows = fixedRows()
  expect(rows.every(([area, what, value, ,]) => area !== "" && what !== "" && /\d/.test(value ?? ""))).toBe(true)
  expect(rows.find(([, what]) => what === "a file of ignore rules, such as `.gitignore`")?.[2]).toBe("100 MiB")
  expect(rows.find(([, what]) => what === "importing a plugin")?.[2]).toBe("30 seconds")
  expect(() => valueOf("services/files/FileTree.ts#nothing")).toThrow("There is no constant nothing")
})
