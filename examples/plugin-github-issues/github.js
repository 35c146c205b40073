// @ts-check
/** The part of the REST API of GitHub that the tools need. */
import { ToolFailure } from "task-conductor/plugin"

/** As many issues as the API gives at once. */
const perPage = 100

/** More pages are not read: no model reads them either. */
const mostPages = 5

/**
 * @typedef {{ number: number, title: string, state: string, labels: Array<{ name: string }>, pull_request?: object }} Issue
 * @typedef {{ api: string, repository: string, token: string, signal: AbortSignal }} Access
 */

/** @param {number} status @param {string} what */
const failure = (status, what) => {
  if (status === 404) return new ToolFailure({ type: "not_found", message: `GitHub does not have ${what}.` })
  if (status === 401 || status === 403) {
    return new ToolFailure({ type: "permission_denied", message: `The token is not accepted for ${what} (${status}).` })
  }
  return new ToolFailure({ type: "io_error", message: `GitHub answered ${status} for ${what}.` })
}

/**
 * @param {Access} access
 * @param {string} path
 * @param {string} what
 * @param {RequestInit} [more]
 */
const request = async ({ api, repository, signal, token }, path, what, more = {}) => {
  const response = await fetch(`${api}/repos/${repository}${path}`, {
    ...more,
    signal,
    /* The token is for this server alone. */
    redirect: "error",
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "x-github-api-version": "2022-11-28"
    }
  })
  if (!response.ok) throw failure(response.status, what)
  return response.json()
}

/** @param {Issue} issue */
const shown = ({ labels, number, state, title }) => ({ number, title, state, labels: labels.map(({ name }) => name) })

/**
 * The issues of a repository. Pull requests are in the same list, and are left out.
 *
 * @param {Access} access
 * @param {"open" | "closed" | "all"} state
 * @param {(progress: { done: number, text: string }) => void} progress
 */
export const listIssues = async (access, state, progress) => {
  const issues = []
  for (let page = 1; page <= mostPages; page += 1) {
    progress({ done: page, text: "pages" })
    const query = `?state=${state}&per_page=${perPage}&page=${page}`
    /** @type {Array<Issue>} */
    const listed = await request(access, `/issues${query}`, access.repository)
    issues.push(...listed.filter((issue) => issue.pull_request === undefined).map(shown))
    if (listed.length < perPage) return { issues, more: false }
  }
  return { issues, more: true }
}

/** @param {Access} access @param {number} number */
export const closeIssue = async (access, number) => {
  const body = JSON.stringify({ state: "closed" })
  return shown(await request(access, `/issues/${number}`, `issue ${number}`, { method: "PATCH", body }))
}

/** @param {Access} access @param {number} number */
export const readIssue = async (access, number) => shown(await request(access, `/issues/${number}`, `issue ${number}`))

/** @param {Access} access @param {number} number @param {string} text */
export const commentOn = async (access, number, text) => {
  const body = JSON.stringify({ body: text })
  const { html_url } = await request(access, `/issues/${number}/comments`, `issue ${number}`, { method: "POST", body })
  return { number, url: html_url }
}
