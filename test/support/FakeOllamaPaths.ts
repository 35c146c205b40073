/**
 * What the fake server knows about its models: the answers to everything but /api/chat, as Ollama gives them.
 */

/** A model that is installed; without more it can do everything. */
export interface FakeModel {
  readonly name: string
  readonly size?: number
  readonly capabilities?: ReadonlyArray<string>
  readonly contextLength?: number
  /** The parameters of its Modelfile, one on each line. */
  readonly parameters?: string
  /** The server to which prompts are forwarded. */
  readonly remoteHost?: string
}

/** The model that is installed when nothing else is said. */
export const fakeModel = "qwen3:8b"

/** A status with a body, JSON unless it is text. With `hold` the answer never comes. */
export interface Document {
  readonly status: number
  readonly body: unknown
  readonly hold?: boolean
}

const defaultSize = 5_225_388_164

const listed = ({ name, size = defaultSize }: FakeModel) => ({
  name,
  model: name,
  size,
  digest: "500a1f067a9f782620b40bee6f7b0c89e17ae61f686b92c24933e4ca4b2b8b41",
  details: {
    parent_model: "",
    format: "gguf",
    family: "qwen3",
    families: ["qwen3"],
    parameter_size: "8.2B",
    quantization_level: "Q4_K_M"
  }
})

const shown = (model: FakeModel) => ({
  modelfile: `FROM ${model.name}`,
  template: "{{ .Prompt }}",
  details: listed(model).details,
  model_info: { "general.architecture": "qwen3", "qwen3.context_length": model.contextLength ?? 40_960 },
  capabilities: model.capabilities ?? ["completion", "tools", "thinking"],
  ...(model.remoteHost === undefined ? {} : { remote_host: model.remoteHost, remote_model: "x:120b" }),
  ...(model.parameters === undefined ? {} : { parameters: model.parameters }),
  modified_at: "2025-11-20T09:00:00.5Z"
})

const plain = (name: string): string => name.toLowerCase().replace(/^library\//, "")

/** Finds a model as the server does: the tag `latest` may be left out, and capitals and `library/` make no difference. */
export const findModel = (models: ReadonlyArray<FakeModel>, name: string): FakeModel | undefined =>
  models.find((model) => [plain(name), `${plain(name)}:latest`].includes(plain(model.name)))

/** What is said of a model that is not there. */
export const modelMissing = (name: string): Document => ({
  status: 404,
  body: { error: `model '${name}' not found` }
})

/** The answer to a path other than /api/chat. `loaded` holds the context window of each model in memory. */
export const answerPath = (
  path: string,
  body: unknown,
  models: ReadonlyArray<FakeModel>,
  loaded: ReadonlyMap<string, number>
): Document => {
  switch (path) {
    case "/api/version":
      return { status: 200, body: { version: "0.32.9" } }
    case "/api/tags":
      return {
        status: 200,
        body: { models: models.map((model) => Object.assign(listed(model), { modified_at: "2025-11-20T09:00:00.5Z" })) }
      }
    case "/api/ps":
      return {
        status: 200,
        body: {
          models: models
            .filter(({ name }) => loaded.has(name))
            .map((model) =>
              Object.assign(listed(model), {
                expires_at: "2025-11-20T10:00:00.5Z",
                size_vram: model.size ?? defaultSize,
                context_length: loaded.get(model.name)
              })
            )
        }
      }
    case "/api/show": {
      const name = typeof body === "object" && body !== null && "model" in body ? String(body.model) : ""
      const model = findModel(models, name)
      return model === undefined ? modelMissing(name) : { status: 200, body: shown(model) }
    }
    default:
      return { status: 404, body: "404 page not found" }
  }
}
