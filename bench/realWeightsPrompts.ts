/**
 * The small project and the prompts of bench/real-weights.ts. For each prompt: what a run needs to end as done, such as
 * the content of files, or names in an answer or a plan.
 */

/** The files of the project by path. */
export const projectFiles: Readonly<Record<string, string>> = {
  "README.md":
    "# Parcel\n\nA small HTTP server that hands out the state of parcels. Each client may send a limited number of requests a minute.\n",
  "package.json": '{ "name": "parcel", "type": "module", "scripts": { "start": "node src/server.js" } }\n',
  "src/limits.js":
    'const requestsPerMinute = 60\n\nexport const windowOf = (seconds) => Math.floor(seconds / 60)\n\n/** True while a client may send more. */\nexport const mayPass = (count) => count < requestsPerMinute\n\nexport const tooMany = "Too many requests"\n',
  "src/retry.js":
    "const attempts = 5\n\nexport const retry = async (send) => {\n  for (let tries = 1; tries < attempts; tries += 1) {\n    try {\n      return await send()\n    } catch {}\n  }\n  return send()\n}\n",
  "src/server.js":
    'import { createServer } from "node:http"\nimport { mayPass, tooMany } from "./limits.js"\nimport { retry } from "./retry.js"\n\nconst port = Number(process.env.PORT ?? 8080)\nlet count = 0\n\ncreateServer(async (request, response) => {\n  count += 1\n  if (!mayPass(count)) return response.writeHead(429).end(tooMany)\n  response.end(await retry(async () => "on its way"))\n}).listen(port)\n',
  "src/old.js": "export const old = 1\n"
}

export interface WeightsPrompt {
  readonly command: "run" | "plan" | "ask"
  /** The number of the prompt within its command, from 1. */
  readonly number: number
  readonly text: string
  /** Why an end as done is wrong. Empty if it is right. `fileText` returns the current text of a file. */
  readonly faultOf: (answer: string, fileText: (path: string) => string | undefined) => string
}

type FaultOf = WeightsPrompt["faultOf"]

/** The answer must contain one of these names. */
const names =
  (...wanted: ReadonlyArray<RegExp>): FaultOf =>
  (answer) =>
    wanted.some((one) => one.test(answer)) ? "" : `The answer does not name ${wanted.join(" or ")}.`

/** The file must contain `wanted`, and no longer contain `unwanted`. */
const holds =
  (path: string, wanted: RegExp, unwanted?: RegExp): FaultOf =>
  (_, fileText) => {
    const text = fileText(path) ?? ""
    if (!wanted.test(text)) return `${path} does not hold ${wanted}.`
    return unwanted?.test(text) === true ? `${path} still holds ${unwanted}.` : ""
  }

const isGone =
  (path: string): FaultOf =>
  (_, fileText) =>
    fileText(path) === undefined ? "" : `${path} is still there.`

/** The tasks of the plan must contain this name. */
const plans =
  (wanted: RegExp): FaultOf =>
  (plan) =>
    wanted.test(plan.slice(plan.search(/^## Tasks/m))) ? "" : `No task names ${wanted}.`

const changes: ReadonlyArray<readonly [text: string, faultOf: FaultOf, plan: RegExp]> = [
  ["Raise the limit of requests per minute to 120", holds("src/limits.js", /requestsPerMinute = 120\b/), /120/],
  [
    "Rename the function windowOf to windowFor everywhere",
    holds("src/limits.js", /windowFor/, /windowOf/),
    /windowFor/
  ],
  ["Let the server listen on port 9090 by default", holds("src/server.js", /9090/, /8080/), /9090/],
  ["Remove the file src/old.js", isGone("src/old.js"), /old\.js/],
  ['Answer "Slow down" instead of "Too many requests"', holds("src/limits.js", /Slow down/, /Too many/), /Slow down/]
]

const questions: ReadonlyArray<readonly [text: string, faultOf: FaultOf, plan: RegExp]> = [
  ["Where is the rate limit defined?", names(/limits\.js/), /limit/i],
  ["Which file reads the port from the environment?", names(/server\.js/), /port/i],
  ["How often is a request tried before it fails?", names(/\b(?:5|five)\b/i), /tr(?:y|ied)|retr/i],
  ["What does the function mayPass do?", names(/requestsPerMinute|limits\.js|\b60\b/), /mayPass/],
  ['In which file is the text "Too many requests"?', names(/limits\.js/), /Too many requests/i]
]

const more: ReadonlyArray<readonly [text: string, faultOf: FaultOf]> = [
  ["What does this project do?", names(/parcel/i)],
  ["Which function calls retry?", names(/createServer|server\.js/)],
  [
    "Which files are in the folder src?",
    names(/limits\.js[^]*(?:retry|server)\.js|(?:retry|server)\.js[^]*limits\.js/)
  ],
  [
    "Is there a test for retry?",
    names(/\b(?:no|not an?y?|without an?y?) tests?\b|\btests? (?:is|are|was|were) (?:not|none)\b/i)
  ]
]

const numbered = (command: WeightsPrompt["command"], all: ReadonlyArray<readonly [text: string, faultOf: FaultOf]>) =>
  all.map(([text, faultOf], index): WeightsPrompt => ({ command, number: index + 1, text, faultOf }))

const both = [...questions, ...changes]

/** Ten prompts for each command. */
export const prompts: ReadonlyArray<WeightsPrompt> = [
  ...numbered(
    "ask",
    [...questions, ...more, ...changes.slice(0, 1)].map(([text, faultOf]) => [text, faultOf] as const)
  ),
  ...numbered(
    "plan",
    both.map(([text, , plan]) => [text, plans(plan)] as const)
  ),
  ...numbered(
    "run",
    both.map(([text, faultOf]) => [text, faultOf] as const)
  )
]
