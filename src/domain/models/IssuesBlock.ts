/**
 * How a prompt that is sent again shows what was wrong with the answer before. It stands near the end of the prompt, so that
 * all that is before it was read by the server already.
 */
import { type Issue, issuesMarkdown } from "../findings/Issue.ts"
import { rawBlock } from "../markdown/PromptBlock.ts"

/** `## heading` with the issues and what to do about them; nothing without issues. */
export const issuesBlock = (heading: string, issues: ReadonlyArray<Issue> = []): string =>
  issues.length === 0
    ? ""
    : rawBlock(heading, `${issuesMarkdown(issues)}\n\nFix all of them and write the whole answer again.`)
