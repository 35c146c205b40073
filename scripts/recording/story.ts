/**
 * The recorded run: a small project, a request that needs a search and two edits, the user's approval, and a scripted
 * model with the speed of a small one.
 */
import type { ChatBody } from "../../test/support/FakeOllamaScript.ts"
import { refinementWith } from "../../test/support/TestRun.ts"

export const files: Readonly<Record<string, string>> = {
  "src/limits.js":
    "/** What a request may take, in ms. */\nexport const limits = {\n  requestTimeout: 10_000,\n  retries: 3\n}\n",
  "src/server.js":
    'import { limits } from "./limits.js"\n\nexport const fetchPage = (url) =>\n  fetch(url, { signal: AbortSignal.timeout(limits.requestTimeout) })\n',
  "docs/limits.md": "# Limits\n\nA request may take 10 seconds. It is tried three times.\n"
}

export const request = "Raise the request timeout to 30 seconds, in the docs as well"

const task = (name: string, needed: string, skill: string, references: string, expected: string): string =>
  [
    `- **Name** ${name}`,
    `- **What is needed** ${needed}`,
    `- **Skill** ${skill}`,
    ...(references === "" ? [] : [`- **References** ${references}`]),
    `- **Expected output** ${expected}`
  ].join("\n")

const plan = [
  `## Original prompt\n\n${request}`,
  "## Goals / summary\n\nRequests end after 30 seconds, and the docs say so.",
  "## Tasks",
  "### Task section 1",
  task(
    "Find the timeout",
    "Find where `requestTimeout` is set and used.",
    "search-code",
    "",
    "The files with their lines."
  ),
  task(
    "Find the docs",
    "Find where the docs name the timeout of a request.",
    "search-docs",
    "",
    "The files with their lines."
  ),
  "### Task section 2",
  task(
    "Raise the timeout",
    "Set `requestTimeout` to 30 seconds in src/limits.js.",
    "edit-files",
    "[limits](src/limits.js) [Find the timeout](#find-the-timeout-results)",
    "The changed line."
  ),
  task(
    "Update the docs",
    "Say 30 seconds in docs/limits.md.",
    "edit-files",
    "[docs](docs/limits.md) [Find the docs](#find-the-docs-results)",
    "The changed line."
  )
].join("\n\n")

const block = (path: string, from: string, to: string): string =>
  `${path}\n<<<<<<< OLD\n${from}\n=======\n${to}\n>>>>>>> NEW\n`

/** The first answers of tasks. */
const firstTurns: Readonly<Record<string, string>> = {
  "Find the timeout": refinementWith([{ name: "search_files", arguments: { query: "requestTimeout" } }]),
  "Find the docs": refinementWith([{ name: "search_files", arguments: { query: "seconds", path: "docs" } }]),
  "Raise the timeout": block("src/limits.js", "  requestTimeout: 10_000,", "  requestTimeout: 30_000,"),
  "Update the docs": block(
    "docs/limits.md",
    "A request may take 10 seconds. It is tried three times.",
    "A request may take 30 seconds. It is tried three times."
  )
}

const results: Readonly<Record<string, string>> = {
  "Find the timeout":
    "`requestTimeout` is set in [limits.js](src/limits.js#L3) and used in [server.js](src/server.js#L4).",
  "Find the docs": "The timeout is named in [limits.md](docs/limits.md#L3).",
  "Raise the timeout": "[src/limits.js](src/limits.js#L3) now says `requestTimeout: 30_000`.",
  "Update the docs": "[docs/limits.md](docs/limits.md#L3) now says 30 seconds."
}

const conclusion = [
  "The request timeout is 30 seconds now.",
  "- [src/limits.js](src/limits.js#L3): `requestTimeout: 30_000`\n- [docs/limits.md](docs/limits.md#L3) says 30 seconds",
  "It is used in [src/server.js](src/server.js#L4). The number of retries is unchanged."
].join("\n\n")

/** The model's answer, by stage, task and turn. */
export const answer = ({ messages }: ChatBody): string => {
  const [system, user] = [messages[0]?.content ?? "", messages[1]?.content ?? ""]
  const [, name = ""] = /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(user) ?? []
  const turn = messages.filter(({ role }) => role === "assistant").length
  switch (/^# Stage: (\w+)$/m.exec(system)?.[1]) {
    case "creation":
      return plan
    case "task":
      return turn === 0 ? (firstTurns[name] ?? "") : `## Result summary\n\n${results[name] ?? ""}\n`
    case "iteration":
      return "## Original prompt\n\nRaise it.\n\n## Goals / summary\n\nAll is done.\n\n## Tasks\n"
    default:
      return conclusion
  }
}
