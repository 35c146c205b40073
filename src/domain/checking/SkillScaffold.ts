/**
 * The files of a new skill: a working one that follows every rule, with a test, so that its author changes an example
 * instead of filling in blanks.
 */
import { isSkillName } from "../skills/Skill.ts"

const skillText = (name: string): string => `---
name: ${name}
description: Finds the lines of the project that name a subject and says what they are for. Use it when the prompt asks about ${name.replaceAll("-", " ")}.
allowed-tools: search_files
---

## Input requirements

- \`subject\` (text, required): The word or name to look for, as it stands in the files.

## Refinement

- Call \`search_files\` once, with the subject as pattern.

## Execution

- List the lines that were found, each as a link to file and line with a few words on what it is for.
- If nothing was found, say so and name the subject.
`

const testText = `# Finds the lines that name the subject

## Task

- **What is needed** Find what \`greet\` is for.
- **Expected output** The lines with their files.

## File src/greet.ts

\`\`\`ts
export const greet = (name: string) => "Hello " + name
\`\`\`

## Refinement answer

\`\`\`\`md
## Inputs

- \`subject\`: greet

## Tool Calls

\`\`\`json
{ "uid": "call-1", "name": "search_files", "arguments": { "pattern": "greet" } }
\`\`\`
\`\`\`\`

## Execution answer

\`\`\`\`md
## Result summary

[src/greet.ts](src/greet.ts#L1) makes a greeting.
\`\`\`\`

## Expected inputs

- \`subject\`: greet

## Expected calls

\`\`\`json
{ "name": "search_files", "arguments": { "pattern": "greet" } }
\`\`\`

## Expected outputs

src/greet.ts

## Expected result

makes a greeting
`

/** The form of a name, for the message about one that cannot be used. */
export const skillNameRules =
  "The name of a skill has at most 64 lower-case letters, digits and single hyphens, such as count-words."

/** The files of a new skill by their paths in its folder; nothing when no skill can have the name. */
export const scaffoldSkill = (name: string): Readonly<Record<string, string>> | undefined =>
  isSkillName(name) ? { "SKILL.md": skillText(name), "tests/finds-the-subject.md": testText } : undefined
