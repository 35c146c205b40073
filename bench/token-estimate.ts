/**
 * How much the estimated tokens of a prompt differ from the count of a real tokenizer. Covers code, JSON and prose in
 * several languages, each compared with the English of our prompts. Shows the difference before any prompt was counted,
 * and after one and two counted prompts of the same kind. A llama-server counts. Only the vocabulary of the model
 * matters, not its weights.
 *
 *   node bench/token-estimate.ts --llama-server PROGRAM --gguf FILE,FILE [--port 18700] [--characters 8000]
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { parseArgs } from "node:util"
import { scaleOfText, type TokenScale } from "../src/domain/models/PromptSize.ts"
import { learn, noHistory, scaleOf } from "../src/domain/models/TokenCounts.ts"

const { values } = parseArgs({
  options: {
    "llama-server": { type: "string", default: "llama-server" },
    gguf: { type: "string", default: "" },
    port: { type: "string", default: "18700" },
    characters: { type: "string", default: "8000" }
  }
})
const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const size = Number(values.characters)

const german = [
  "Das Programm liest jede Datei des Projekts einmal und merkt sich, was es gefunden hat.",
  "Wenn die Verbindung zum Server abbricht, versucht es die Anfrage nach einer Sekunde noch einmal.",
  "Änderungen werden zuerst in einer Kopie gemacht, geprüft und erst nach der Zustimmung übernommen.",
  "Für größere Aufgaben schlägt der Planer mehrere Schritte vor, die voneinander unabhängig sind.",
  "Die Zeitüberschreitung lässt sich in den Einstellungen der Benutzerin oder des Benutzers ändern."
]
const russian = [
  "Программа читает каждый файл проекта один раз и запоминает найденное.",
  "Если соединение с сервером прервано, запрос повторяется через секунду.",
  "Изменения сначала делаются в копии, проверяются и применяются только после согласия.",
  "Для больших задач планировщик предлагает несколько независимых шагов.",
  "Время ожидания можно изменить в настройках пользователя."
]
const chinese = [
  "程序读取项目中的每个文件一次，并记住找到的内容。",
  "如果与服务器的连接中断，请求会在一秒后重新发送。",
  "修改首先在副本中进行，经过检查并获得同意之后才会应用。",
  "对于较大的任务，规划器会建议几个相互独立的步骤。",
  "超时时间可以在用户设置中更改。"
]
const japanese = [
  "プログラムはプロジェクトの各ファイルを一度だけ読み込み、見つけたものを覚えておきます。",
  "サーバーとの接続が切れた場合、一秒後に要求をもう一度送信します。",
  "変更はまずコピーの中で行われ、検査され、同意を得てから適用されます。",
  "大きな作業については、互いに独立したいくつかの手順が提案されます。",
  "タイムアウトはユーザーの設定で変更できます。"
]

/** The sentences in another order for each number. */
const prose =
  (sentences: ReadonlyArray<string>) =>
  (number: number): string => {
    let text = ""
    for (let at = number; text.length < size; at += number + 2) text += `${sentences[at % sentences.length]} `
    return text.slice(0, size)
  }

/** Another part of a long text for each number. */
const partsOf =
  (text: string) =>
  (number: number): string =>
    text.slice((number * size) % Math.max(1, text.length - size)).slice(0, size)

const code = ["src/domain/models/PromptSize.ts", "src/services/models/CallAttempt.ts", "src/cli/run/runFlags.ts"]
const kinds: Readonly<Record<string, (number: number) => string>> = {
  code: partsOf(code.map(read).join("\n")),
  JSON: partsOf(read("schema/task-conductor.schema.json")),
  German: prose(german),
  Chinese: prose(chinese),
  Japanese: prose(japanese),
  Russian: prose(russian)
}

const frame = read("prompts/task.md") + read("skills/edit-files/SKILL.md")

const count = async (text: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${values.port}/tokenize`, {
    method: "POST",
    body: JSON.stringify({ content: text })
  })
  return ((await response.json()) as { readonly tokens: ReadonlyArray<number> }).tokens.length
}

const untilReady = async (): Promise<void> => {
  for (let tries = 0; tries < 120; tries += 1) {
    const isReady = await fetch(`http://127.0.0.1:${values.port}/health`).then(
      ({ ok }) => ok,
      () => false
    )
    if (isReady) return
    await delay(500)
  }
  throw new Error("The server does not answer.")
}

const percent = (estimated: number, counted: number): string =>
  `${estimated >= counted ? "+" : "-"}${Math.round((100 * Math.abs(estimated - counted)) / counted)} %`

console.log("| tokenizer | text | characters a token | before | after one | after two |")
console.log("|---|---|---:|---:|---:|---:|")
for (const gguf of values.gguf.split(",").filter((one) => one !== "")) {
  const program = values["llama-server"]
  const server = spawn(program, ["-m", gguf, "--port", values.port, "-c", "512", "-np", "1", "-t", "1"], {
    env: { ...process.env, LD_LIBRARY_PATH: dirname(program) },
    stdio: "ignore"
  })
  await untilReady()
  for (const [kind, text] of Object.entries(kinds)) {
    let history = noHistory
    const errors: Array<string> = []
    let ratio = 0
    for (let number = 0; number < 3; number += 1) {
      const prompt = `${frame}\n${text(number)}`
      const scale: TokenScale = number === 0 ? scaleOfText(prompt) : scaleOf(history)
      const counted = await count(prompt)
      ratio = prompt.length / counted
      errors.push(percent(prompt.length / scale.charactersPerToken, counted))
      history = learn(history, { prompt, counted, isWhole: true, window: 32_768 }).history
    }
    console.log(`| ${basename(gguf, ".gguf")} | ${kind} | ${ratio.toFixed(2)} | ${errors.join(" | ")} |`)
  }
  const exit = once(server, "exit")
  server.kill("SIGKILL")
  await exit
}
