/**
 * The job that all peers do: a question about a project, answered with two tools of the program; the second one is asked about, and the
 * answer has a form. The first argument is the address of the server, the second the case.
 */
const [, , address = "", name = "plain"] = process.argv

export const url = address
export const model = "bench"
export const prompt = "How many rounds may a run take, and which file says it?"
/** What the person answers. */
export const isAllowed = name !== "denied"

export const search = async (word: string): Promise<string> => (word === "rounds" ? "limits.md" : "nothing")

export const readPath = async (path: string): Promise<string> =>
  `# ${path}\n\nA run may take 5 rounds.\n${name === "large" ? "Nothing of interest is said in this line.\n".repeat(10_000) : ""}`

/** Prints what the program got. */
export const print = (got: unknown): void => console.log(JSON.stringify(got))
