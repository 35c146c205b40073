/**
 * Asks git itself which settings a configuration has, and compares them with what GitConfig reads: a setting that only git sees
 * would be a file that git runs and the sandbox does not protect.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gitSettings } from "../../src/domain/files/GitConfig.ts"
import { randomFrom } from "../mutations/Damage.ts"
import { gitParser } from "./fileParsers.ts"
import { parserInput } from "./ParserInput.ts"

/** What git reads; nothing when it refuses the file. */
const settingsOfGit = (file: string): ReadonlyArray<{ readonly key: string; readonly value: string }> | undefined => {
  try {
    const text = execFileSync("git", ["config", "--file", file, "--list", "-z"], {
      stdio: ["ignore", "pipe", "ignore"]
    })
    const settings = text.toString().split("\0").slice(0, -1)
    return settings.map((one) => {
      const [key = "", ...value] = one.split("\n")
      return { key, value: value.join("\n") }
    })
  } catch {
    return undefined
  }
}

const spaceless = (text: string): string => text.replace(/\s+/g, "")

/** Settings that git has and GitConfig has not; blanks within a value are no difference, and without a section there is no setting. */
const unseenByUs = (text: string, ofGit: ReadonlyArray<{ readonly key: string; readonly value: string }>) => {
  const ours = new Set(gitSettings(text).map(({ key, value }) => spaceless(`${key}\n${value}`)))
  return ofGit.filter(({ key, value }) => key.includes(".") && !ours.has(spaceless(`${key}\n${value}`)))
}

/** Compares `count` texts; gives how many git took, and the texts of which it sees more. */
export const compareWithGit = (count: number, seed: number) => {
  const folder = mkdtempSync(join(tmpdir(), "task-conductor-git-"))
  const file = join(folder, "config")
  const differences: Array<{ readonly seed: number; readonly text: string; readonly unseen: ReadonlyArray<object> }> =
    []
  let accepted = 0
  for (let at = seed; at < seed + count; at += 1) {
    /* Written as the bytes that are read again. */
    const text = Buffer.from(parserInput(gitParser, randomFrom(at), 2000).text).toString()
    writeFileSync(file, text)
    const ofGit = settingsOfGit(file)
    if (ofGit === undefined || ofGit.length === 0) continue
    accepted += 1
    const unseen = unseenByUs(text, ofGit)
    if (unseen.length > 0) differences.push({ seed: at, text, unseen })
  }
  rmSync(folder, { recursive: true })
  return { accepted, differences }
}
