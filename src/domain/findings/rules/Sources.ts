/**
 * Where repairs come from. A deviation is repaired when it was seen (a template of a model or an agent, a public report, a real answer)
 * or when our own pages promise it; any other one is an issue that the model is asked to fix.
 */

const gitHub = "https://github.com/"

/** A public report or the source of another program. */
export const report = (path: string): string => `${gitHub}${path}`

/**
 * OLLMchat, a program with documents of the same kind: stored answers of Qwen and Gemma behind Ollama, and the rules that its
 * prompts and readers got because of them.
 */
export const ollmChat = (path: string): string =>
  report(`roojs/OLLMchat/blob/5b9e18ecbbe84a1d26ce0e52c08f63de9e85346c/${path}`)

/** The plans that agents with this skill write: `### Task 1: ...`, with labels in bold. */
export const superpowers = report(
  "obra/superpowers/blob/00ef1495f1f186f70e2838fd346635b82e1b04bb/skills/writing-plans/SKILL.md"
)

export const promised = (page: string): string => `docs/${page}`

/** Documents that people save on Windows, which `check` and `--plan` read. */
export const savedFiles = "files saved on Windows"

/** The rules for skills that several programs share. */
export const skillFormat = "the format of agentskills.io"

/** A note of the program about what it does or leaves as it is: nothing is repaired. */
export const ofProgram = "a note, no repair"
