/**
 * A pipeline in code, with a page on which a person reads the plan and allows each change: plan, approve, run, report.
 * `node examples/approve-in-a-page.ts "Raise the limit to 7"`, then open the address that it prints. Another model: TASK_CONDUCTOR_MODEL.
 */
import { createServer } from "node:http"
import { type ApprovalRequest, plan, run } from "task-conductor"

const prompt = process.argv[2] ?? "Where are the limits of a run defined?"
const options = { prompt, project: process.env["PROJECT"] ?? `${import.meta.dirname}/..` }

/** What the user is asked now, and who waits for the answer. */
let question: { readonly text: string; readonly answer: (isAllowed: boolean) => void } | undefined
let state = "The plan is being made."

const askPerson = (text: string): Promise<boolean> =>
  new Promise((resolve) => {
    question = { text, answer: resolve }
  })

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

const page = (): string => `<!doctype html><meta charset="utf-8"><title>task-conductor</title>
${question === undefined ? '<meta http-equiv="refresh" content="1">' : ""}
<style>body { font: 16px system-ui; max-width: 50rem; margin: 2rem auto } pre { white-space: pre-wrap }</style>
<h1>${escaped(prompt)}</h1><p>${escaped(state)}</p>
${
  question === undefined
    ? ""
    : `<pre>${escaped(question.text)}</pre><form method="post"><button name="answer" value="yes">Allow</button>
<button name="answer" value="no">Decline</button></form>`
}`

const server = createServer((request, response) => {
  if (request.method !== "POST") return response.setHeader("content-type", "text/html").end(page())
  let body = ""
  request.on("data", (piece) => (body += String(piece)))
  request.on("end", () => {
    question?.answer(body === "answer=yes")
    question = undefined
    response.writeHead(303, { location: "/" }).end()
  })
  return undefined
})
server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`)
})

const textOf = ({ items, title }: ApprovalRequest): string =>
  [title, ...items.map(({ preview, targets, tool }) => `${tool} ${targets.join(", ")}\n${preview ?? ""}`)].join("\n\n")

const { markdown } = await plan(options).report
state = "Is this the plan?"
if (await askPerson(markdown)) {
  state = "The plan is carried out."
  const { events, report } = run({ ...options, plan: markdown, approve: (request) => askPerson(textOf(request)) })
  for await (const event of events) if (event.type === "task.finished") state = `${event.task} has finished.`
  const { answer, status } = await report
  state = `${status}: ${answer}`
  console.log(state)
} else state = "The plan was declined."
setTimeout(() => server.close(), 2000)
