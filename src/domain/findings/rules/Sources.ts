/**
 * The sources of repairs. A reader repairs a deviation that was seen in a template, a public report or a real answer.
 * It also repairs what a page of this product promises to repair. Any other deviation is an issue for the model.
 */

const gitHub = "https://github.com/"

/** The address of a public report, or of a source file of another program. */
export const report = (path: string): string => `${gitHub}${path}`

/**
 * OLLMchat, a program with similar documents. Its repository has answers of Qwen and Gemma through Ollama, and rules
 * made because of them.
 */
export const ollmChat = (path: string): string =>
  report(`roojs/OLLMchat/blob/5b9e18ecbbe84a1d26ce0e52c08f63de9e85346c/${path}`)

/** A skill for writing plans. Agents with this skill write tasks as `### Task 1: ...`, with labels in bold. */
export const superpowers = report(
  "obra/superpowers/blob/00ef1495f1f186f70e2838fd346635b82e1b04bb/skills/writing-plans/SKILL.md"
)

export const promised = (page: string): string => `docs/${page}`

/** The `source` of rules for documents that were saved on Windows. `check` and `--plan` read such documents. */
export const savedFiles = "files saved on Windows"

/** The rules for skills that several programs share. */
export const skillFormat = "the format of agentskills.io"

/** The `source` of rules whose findings only note what the program did. Nothing was repaired. */
export const ofProgram = "a note, no repair"
