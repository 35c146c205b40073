/**
 * The form of a URL that the gate decides about, that is shown and that is fetched.
 */
import * as Result from "effect/Result"

/** The parsed http(s) URL without its fragment. Fails with what is wrong and what to do. */
export const canonicalUrl = (text: string): Result.Result<string, string> => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return Result.fail(`${JSON.stringify(text)} is not an http or https URL. Give a complete one.`)
  }
  if (url.username !== "" || url.password !== "") {
    return Result.fail(`The URL of ${url.host} holds a user name or password. Give it without.`)
  }
  url.hash = ""
  return Result.succeed(url.href)
}
