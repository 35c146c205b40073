/**
 * The syntaxes that models use for calls although the prompt asks for another form. A syntax is read only if a
 * template, a server, an agent or a bug report documents it. The journal stores the syntax of each call, so that the
 * command `show` can count them.
 */

/** The form of a call, the models that write this form, and where the form is documented. */
export interface CallSyntax {
  readonly form: string
  readonly models: string
  readonly source: string
}

const gitHub = "https://github.com/"
const template = (name: string): string => `${gitHub}ggml-org/llama.cpp/blob/master/models/templates/${name}.jinja`
const parser = (name: string): string => `${gitHub}vllm-project/vllm (tool parser ${name})`

const syntax = (form: string, models: string, source: string): CallSyntax => ({
  form,
  models,
  source: source.includes("://") ? source : `${gitHub}${source}`
})

export const callSyntaxes = {
  hermes: syntax('<tool_call>{"name": ..., "arguments": ...}</tool_call>', "Qwen 2.5 and 3, Hermes", parser("hermes")),
  "tools-tag": syntax("<tools>{...}</tools>", "Qwen 2.5", "jundot/omlx/issues/2565"),
  "function-tag": syntax(
    "<function=NAME><parameter=KEY>...</parameter></function>",
    "Qwen3-Coder, Seed-OSS",
    "ollama/ollama/issues/18530"
  ),
  invoke: syntax(
    '<invoke name="NAME"><parameter name="KEY">...</parameter></invoke>',
    "MiniMax M2, DeepSeek V3.2, Claude behind a proxy",
    "MiniMax-AI/MiniMax-M2.5/issues/10"
  ),
  "argument-pairs": syntax(
    "<tool_call>NAME<arg_key>...</arg_key><arg_value>...</arg_value></tool_call>",
    "GLM 4.5 to 4.7",
    template("GLM-4.6")
  ),
  "name-and-json": syntax("<tool_call>NAME {...}</tool_call>", "GLM 4.7", "ml-explore/mlx-lm/pull/792"),
  "name-and-pairs": syntax('<tool_call>NAME KEY="..."</tool_call>', "GLM 4.7", "ml-explore/mlx-lm/pull/792"),
  "tool-tag": syntax(
    "<NAME><KEY>...</KEY></NAME>",
    "models that learnt from Cline and Roo Code",
    "cline/cline/issues/1500"
  ),
  "name-tag": syntax(
    "<tool><name>NAME</name><arguments>...</arguments></tool>",
    "Step 3.7, ReAct agents",
    "apmantza/pi-free/pull/231"
  ),
  "mistral-arguments": syntax("[TOOL_CALLS]NAME[ARGS]{...}", "Mistral, Devstral", "raullenchai/Rapid-MLX/issues/1071"),
  "mistral-list": syntax("[TOOL_CALLS] [{...}]", "Mistral, Ministral", "ml-explore/mlx-lm/issues/1374"),
  deepseek: syntax(
    "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{...}",
    "DeepSeek V3 and R1",
    template("deepseek-ai-DeepSeek-V3.1")
  ),
  kimi: syntax(
    "<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}",
    "Kimi K2",
    template("moonshotai-Kimi-K2")
  ),
  harmony: syntax("commentary to=functions.NAME json{...}", "gpt-oss", "ggml-org/llama.cpp/pull/15158"),
  functionary: syntax(">>>NAME\\n{...}", "Functionary v3.2", "ggml-org/llama.cpp/blob/master/docs/function-calling.md"),
  "llama-function": syntax("<function=NAME>{...}</function>", "Llama 3.1", "mudler/LocalAI/pull/3010"),
  "python-tag": syntax('<|python_tag|>{"name": ...}', "Llama 3.1", parser("llama")),
  "lm-studio": syntax(
    "[TOOL_REQUEST]{...}[END_TOOL_REQUEST]",
    "distills of R1 in LM Studio",
    "lmstudio-ai/lmstudio-bug-tracker/issues/456"
  ),
  nemotron: syntax("<TOOLCALL>[{...}]</TOOLCALL>", "Nemotron Nano v2", template("NVIDIA-Nemotron-Nano-v2")),
  "command-r": syntax(
    "<|START_ACTION|>[{...}]<|END_ACTION|>",
    "Command R7B",
    template("CohereForAI-c4ai-command-r7b-12-2024-tool_use")
  ),
  internlm: syntax("<|action_start|><|plugin|>{...}<|action_end|>", "InternLM 2", parser("internlm2")),
  "barred-list": syntax("<|tool_call|>[{...}]", "Granite, Phi-4 mini", "waybarrios/vllm-mlx/pull/28"),
  functools: syntax("functools[{...}]", "Phi-4 mini", "sgl-project/sglang/pull/17132"),
  "plural-tag": syntax("<tool_calls>[{...}]</tool_calls>", "Hunyuan A13B, MiniMax M1", parser("hunyuan_a13b")),
  "minimax-arrows": syntax(
    '[TOOL_CALL] {tool => "NAME", args => { --KEY "..." }}',
    "MiniMax M2.7",
    "NousResearch/hermes-agent/issues/35935"
  ),
  gemma: syntax("<|tool_call>call:NAME{KEY:...}<tool_call|>", "Gemma 4, FunctionGemma", template("gemma4")),
  "calling-tool": syntax(
    "[Calling tool: NAME({...})]",
    "Qwen 3 on vllm-mlx",
    "raullenchai/Rapid-MLX/blob/main/vllm_mlx/tool_parsers/qwen_tool_parser.py"
  ),
  "python-list": syntax('[NAME(KEY="...")]', "Llama 3.2 and 4, LFM2", "vllm-project/vllm/issues/9991"),
  "python-line": syntax(
    '<function_calls>, NAME(KEY="...") on lines of their own, </function_calls>',
    "Olmo 3, Llama 3.1 after <|python_tag|>",
    parser("olmo3")
  ),
  "python-block": syntax("a block of the type tool_code", "Gemma 2 and 3", "vllm-project/vllm/pull/17149"),
  "code-agent": syntax(
    "<code>...</code> or a block that ends with <end_code>",
    "smolagents",
    "huggingface/smolagents/issues/201"
  ),
  react: syntax("Action: NAME, Action Input: ...", "ReAct agents, Llama 3", "langchain-ai/langchain/issues/20704"),
  "json-envelope": syntax(
    '{"role": "assistant", "tool_calls": [...]}, {"tool_name": ..., "tool_input": ...}',
    "Qwen2.5-Coder and other models that repeat an API",
    "anomalyco/opencode/issues/18454"
  ),
  "json-reply": syntax('{"name": ..., "parameters": ...}', "Llama 3.1, Gemma 3", "raullenchai/Rapid-MLX/issues/700"),
  "shell-block": syntax(
    "a block for a shell that ends the answer",
    "Hermes Agent's models",
    "NousResearch/hermes-agent/pull/834"
  )
} satisfies Readonly<Record<string, CallSyntax>>

export type SyntaxCode = keyof typeof callSyntaxes
