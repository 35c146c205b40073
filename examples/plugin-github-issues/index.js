// @ts-check
/** Tools for the issues of one repository, which the configuration names. */
import { definePlugin, tool } from "task-conductor/plugin"
import { closeIssue, commentOn, listIssues, readIssue } from "./github.js"

/**
 * The server that the tools talk to; it is asked about.
 *
 * @param {string} api
 * @returns {import("task-conductor/plugin").Access}
 */
const hostOf = (api) => {
  const { hostname, port } = new URL(api)
  return { _tag: "Host", host: hostname, ...(port === "" ? {} : { port: Number(port) }) }
}

export default definePlugin({
  name: "github-issues",
  secrets: { GITHUB_TOKEN: "Reads, closes and comments on the issues of your repository." },
  skills: new URL("./skills/", import.meta.url),
  config: {
    type: "object",
    properties: {
      repository: { type: "string", pattern: "^[\\w.-]+/[\\w.-]+$", description: "The repository, as owner/name." },
      api: {
        type: "string",
        pattern: "^https?://",
        description: "The address of the API; that of github.com by default."
      }
    },
    required: ["repository"]
  },
  tools: ({ config: { api: given = "https://api.github.com", repository } }) => {
    const api = given.replace(/\/+$/, "")
    return {
      list_issues: tool({
        description: `Lists the issues of ${repository} on GitHub. Use it when the prompt asks about issues or bug reports.`,
        parameters: {
          type: "object",
          properties: {
            state: {
              type: "string",
              enum: ["open", "closed", "all"],
              description: "Which issues; open ones by default."
            }
          }
        },
        risk: "safe",
        effect: "pure",
        example: { state: "open" },
        access: () => [hostOf(api)],
        execute: async ({ state = "open" }, { progress, secret, signal }) =>
          listIssues({ api, repository, token: secret("GITHUB_TOKEN"), signal }, state, progress)
      }),
      close_issue: tool({
        description: `Closes an issue of ${repository} on GitHub. Use it only when the prompt wants the issue closed.`,
        parameters: {
          type: "object",
          properties: { number: { type: "integer", minimum: 1, description: "The number of the issue." } },
          required: ["number"]
        },
        risk: "high",
        effect: "idempotent",
        example: { number: 12 },
        access: ({ number }) => [
          hostOf(api),
          {
            _tag: "Other",
            target: `issue:${repository}#${number}`,
            changes: true,
            words: `close issue ${number} of ${repository} on GitHub`
          }
        ],
        execute: async ({ number }, { secret, signal }) =>
          closeIssue({ api, repository, token: secret("GITHUB_TOKEN"), signal }, number)
      }),
      comment_issue: tool({
        description: `Posts a comment on an issue of ${repository} on GitHub. Use it only when the prompt wants an answer there.`,
        parameters: {
          type: "object",
          properties: {
            number: { type: "integer", minimum: 1, description: "The number of the issue." },
            text: { type: "string", minLength: 1, description: "The comment, in Markdown." }
          },
          required: ["number", "text"]
        },
        risk: "safe",
        effect: "once",
        example: { number: 12, text: "Fixed in version 1.2." },
        access: () => [hostOf(api)],
        execute: async ({ number, text }, { ask, secret, signal }) => {
          const access = { api, repository, token: secret("GITHUB_TOKEN"), signal }
          /* The title is known only now: a model may have the wrong number, which the user sees by it. */
          const { title } = await readIssue(access, number)
          await ask({
            does: `comment on issue ${number} of ${repository} on GitHub`,
            target: `comment:${repository}#${number}`,
            details: `Issue: ${title}\n\n${text}`
          })
          return commentOn(access, number, text)
        }
      })
    }
  }
})
