/**
 * A stand-in for an Ollama server with three scripted models, for the page docs/guide/first-change.md:
 *
 *   node examples/tutorial/model.js
 *
 * `careful` fixes the bug, `hasty` needs a second attempt, `lost` only talks. It listens on 127.0.0.1:11500, or on the port in PORT.
 */
import { createServer } from "node:http"

const change = (from, to) => `src/price.js\n<<<<<<< OLD\n${from}\n=======\n${to}\n>>>>>>> NEW\n`

const broken = "Math.round(cents - cents * percent)"
const wrong = "Math.round(cents - (cents * percent) / 10)"
const right = "Math.round(cents - (cents * percent) / 100)"

const report =
  "## Result summary\n\n[src/price.js](src/price.js#L2) divides the percentage by 100 now. It took the percentage as a factor before.\n"

const turns = {
  careful: [change(broken, right), report],
  hasty: [change(broken, wrong), change(wrong, right), report]
}

const plan = [
  "## Goals / summary",
  "`discounted` takes off the given percentage.",
  "## Tasks",
  "### Task section 1",
  [
    "- **Name** Fix the discount",
    "- **What is needed** Correct `discounted` in src/price.js, so that the tests pass.",
    "- **Skill** edit-files",
    "- **References** [price](src/price.js) [tests](test/price.test.js)",
    "- **Expected output** The changed line."
  ].join("\n")
].join("\n\n")

/** The answer depends on the model, the stage and the number of answers before. */
const answerTo = ({ messages, model }) => {
  const name = model.replace(/:.*/, "")
  if (name === "lost") return "Discounts are a great way to delight customers! Let me know how I can help."
  const stage = /^# Stage: (\w+)$/m.exec(messages[0].content)?.[1]
  if (stage === "creation") return plan
  if (stage === "iteration") return "## Goals / summary\n\nAll is done.\n\n## Tasks\n"
  const answered = messages.filter(({ role }) => role === "assistant").length
  return turns[name][answered] ?? report
}

const models = ["careful:latest", "hasty:latest", "lost:latest"].map((name) => ({
  name,
  model: name,
  size: 1_000_000,
  digest: name.padEnd(64, "0"),
  modified_at: "2026-01-01T00:00:00Z",
  details: { family: "tutorial", parameter_size: "1K", quantization_level: "F16", format: "gguf" }
}))

const chat = (body) => {
  const content = answerTo(body)
  const line = (message, rest) => `${JSON.stringify({ model: body.model, message, done: false, ...rest })}\n`
  const counts = { prompt_eval_count: Math.ceil(JSON.stringify(body.messages).length / 4), eval_count: 60 }
  return (
    line({ role: "assistant", content }) +
    line({ role: "assistant", content: "" }, { done: true, done_reason: "stop", ...counts })
  )
}

const answers = {
  "/api/version": () => ({ version: "0.30.0" }),
  "/api/tags": () => ({ models }),
  "/api/ps": () => ({ models: [] }),
  "/api/show": () => ({
    capabilities: ["completion"],
    details: models[0].details,
    model_info: { "general.architecture": "tutorial", "tutorial.context_length": 16384 }
  })
}

const server = createServer((request, response) => {
  let text = ""
  request.on("data", (piece) => (text += piece))
  request.on("end", () => {
    if (request.url === "/api/chat") return response.end(chat(JSON.parse(text)))
    const answer = answers[request.url]
    if (answer === undefined) return response.writeHead(404).end()
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer()))
  })
})

server.listen(Number(process.env.PORT ?? 11500), "127.0.0.1", () => {
  console.log(`OLLAMA_HOST=http://127.0.0.1:${server.address().port}`)
})
