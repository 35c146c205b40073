import { describe, expect, it } from "@effect/vitest"
import {
  bringsMaterial,
  namesProject,
  restsOnProject,
  saysProject
} from "../../../src/domain/documents/ProjectQuestion.ts"

const project = {
  files: ["package.json", "README.md", "src/limits.js", "src/server.js", "test/limits.test.js"],
  texts: [
    { text: "const rateLimit = 60\n\nexport const mayPass = (count) => count < rateLimit\n" },
    { text: "import { useEffect } from 'react'\n\nclass EventLoop {}\nasync function load_all() {}\nlist.reverse()\n" }
  ]
}

const isAbout = (request: string): boolean =>
  !bringsMaterial(request) && (saysProject(request) || namesProject(request, project))

describe("a request about the project", () => {
  const about = [
    "Where is the rate limit defined?",
    "Where do we use rateLimit?",
    "Which file reads the port from the environment?",
    "What tests cover the limit?",
    "Which files are in the folder src?",
    "What does this project do?",
    "What does `mayPass` do?",
    "Who calls load_all()?",
    "Explain src/limits.js",
    "What is in limits.js?",
    "How high is the rate limit?",
    "Raise the rate limit to 120",
    "Where is mayPass?",
    "Are there other users of server?"
  ]
  for (const request of about) it(`is: ${request}`, () => expect(isAbout(request)).toBe(true))

  const general = [
    "hello",
    "Is there a difference between a list and a set?",
    "Are there servers that speak HTTP/3?",
    "Thanks, that helped!",
    "What is a monad?",
    "What is a rate limit?",
    "What does HTTP 429 mean?",
    "How do I reverse a list in Python?",
    "Explain recursion.",
    "What is the capital of France?",
    "Where is the Eiffel Tower?",
    "Write a regex that matches an email address.",
    "How does useEffect work?",
    "What does Array.prototype.reduce do?",
    "Which file format is best for photos?",
    "Was ist eine Monade?",
    "Summarize this:\n\n```\nError at src/limits.js:4\n```",
    `Fix the wording of this mail:\n${"A line of it about this project.\n".repeat(14)}`
  ]
  for (const request of general) it(`is not: ${request.slice(0, 60)}`, () => expect(isAbout(request)).toBe(false))
})

describe("an answer that rests on the project", () => {
  const shown = "Commands: `npm test` runs the tests. Main file: src/server.js. Name: parcel-server"
  it("links a file, or quotes what was shown", () => {
    expect(restsOnProject("It is in [limits](src/limits.js#L1).", shown)).toBe(true)
    expect(restsOnProject("Run `npm test`.", shown)).toBe(true)
  })
  it.each([
    "It is in src/server.js.",
    "It is in `src/server.js`.",
    "Use `express-rate-limit`.",
    "It is in the package `npm`.",
    "See [the docs](https://example.com/limits).",
    "A server limits requests."
  ])("is not: %s", (answer) => expect(restsOnProject(answer, shown)).toBe(false))
})
