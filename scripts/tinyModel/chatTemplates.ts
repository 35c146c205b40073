/**
 * The chat templates of the tiny model: one in Jinja for llama.cpp, and three in Go for Ollama's Modelfiles (with
 * tools, with thinking, with neither).
 */
import { beginOfMessage, endOfMessage } from "./vocabulary.ts"

const toolsHead = "# Tools\n\nCall a tool in this form, one line for each call:\n"
const toolExample = '{"name": "NAME", "arguments": {}}'

/** ChatML messages. A call is a bare object, so that a grammar for JSON or calls makes calls of noise too. */
export const jinjaTemplate = `{%- if tools %}
{{- '${beginOfMessage}system\\n' }}
{%- if messages[0].role == 'system' %}
{{- messages[0].content + '\\n\\n' }}
{%- endif %}
{{- ${JSON.stringify(`${toolsHead}<tools>`)} }}
{%- for tool in tools %}
{{- '\\n' }}
{{- tool | tojson }}
{%- endfor %}
{{- ${JSON.stringify(`\n</tools>\n${toolExample}${endOfMessage}\n`)} }}
{%- elif messages[0].role == 'system' %}
{{- '${beginOfMessage}system\\n' + messages[0].content + '${endOfMessage}\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
{{- '${beginOfMessage}' + message.role + '\\n' + message.content + '${endOfMessage}\\n' }}
{%- elif message.role == 'assistant' %}
{{- '${beginOfMessage}assistant\\n' }}
{%- if message.content %}
{{- message.content }}
{%- endif %}
{%- for tool_call in message.tool_calls %}
{%- if tool_call.function %}
{%- set tool_call = tool_call.function %}
{%- endif %}
{{- '{"name": "' + tool_call.name + '", "arguments": ' }}
{{- tool_call.arguments if tool_call.arguments is string else tool_call.arguments | tojson }}
{{- '}' }}
{%- endfor %}
{{- '${endOfMessage}\\n' }}
{%- elif message.role == 'tool' %}
{{- '${beginOfMessage}user\\n<tool_response>\\n' + message.content + '\\n</tool_response>${endOfMessage}\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '${beginOfMessage}assistant\\n' }}
{%- endif %}
`

const goTools = `{{- if .Tools }}${beginOfMessage}system
${toolsHead}<tools>
{{- range .Tools }}
{"type": "function", "function": {{ .Function }}}
{{- end }}
</tools>
${toolExample}${endOfMessage}
{{ end }}`

const goCalls = `{{- range .ToolCalls }}
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{- end }}`

const goMessages = (within: string): string => `{{- range .Messages }}
{{- if eq .Role "tool" }}${beginOfMessage}user
<tool_response>
{{ .Content }}
</tool_response>${endOfMessage}
{{ else }}${beginOfMessage}{{ .Role }}
${within}{{ .Content }}${endOfMessage}
{{ end }}
{{- end }}${beginOfMessage}assistant
`

const goThoughts = "{{- if .Thinking }}<think>\n{{ .Thinking }}\n</think>\n{{ end }}"

/** Go templates by ability. */
export const goTemplates = {
  tools: goTools + goMessages(goCalls),
  thinking: `${goTools}${goMessages(goThoughts + goCalls)}{{ if .Think }}<think>
{{ end }}`,
  plain: goMessages("")
} as const

/** A Modelfile for a template. So small a model is fastest with one thread. */
export const modelfile = (ggufName: string, kind: keyof typeof goTemplates): string =>
  `FROM ./${ggufName}\nTEMPLATE """${goTemplates[kind]}"""\nPARAMETER stop ${endOfMessage}\nPARAMETER num_thread 1\n`
