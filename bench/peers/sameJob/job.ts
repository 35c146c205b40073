/**
 * What all programs share. A question about a project is answered with two tools of the program. The user is asked
 * before the second tool runs. The answer has a fixed form. The case, such as `denied`, is the first argument of a
 * program.
 */
import { appendFileSync } from "node:fs"

const [, , kind = "plain"] = process.argv

export const url = process.env["OPENAI_BASE_URL"] ?? ""
export const prompt = "How many rounds may a run take, and which file says it?"
/** What the user answers. */
export const isAllowed = kind !== "denied"

/** Notes a call, so that the measurement can count it. */
const note = (call: string): void => appendFileSync(process.env["JOB_CALLS"] ?? "/dev/null", `${call}\n`)

export const search = async (word: string): Promise<string> => {
  note("grep")
  return word === "rounds" ? "limits.md" : "nothing"
}

export const readPath = async (path: string): Promise<string> => {
  note("read")
  const more = kind === "large" ? "Nothing of interest is said in this line.\n".repeat(10_000) : ""
  return `# ${path}\n\nA run may take 5 rounds.\n${more}`
}

/** Prints the answer in its form, and how the work ended. */
export const print = ({ status, value }: { readonly status: string; readonly value?: unknown }): void =>
  console.log(JSON.stringify({ status, value }))
