/**
 * A tiny Llama model with random weights, made in a moment. Its text is noise, but real servers load it, count its
 * tokens, and apply grammars.
 */
import { jinjaTemplate } from "./chatTemplates.ts"
import { type GgufValue, writeGguf } from "./gguf.ts"
import { endOfMessage, endOfText, merges, tokenId, tokens } from "./vocabulary.ts"
import { makeTensors } from "./weights.ts"

const embedding = 64
const heads = 2
const feedForward = 128
const layers = 2

/** The largest window, in tokens; it costs 1 kB a token. */
const contextLength = 131_072

const whole = (value: number): GgufValue => ({ type: "uint32", value })
const fraction = (value: number): GgufValue => ({ type: "float32", value })
const text = (value: string): GgufValue => ({ type: "string", value })

const metadata: Readonly<Record<string, GgufValue>> = {
  "general.architecture": text("llama"),
  "general.type": text("model"),
  "general.name": text("tiny random model"),
  "general.license": text("mit"),
  "general.file_type": whole(0),
  "general.quantization_version": whole(2),
  "llama.block_count": whole(layers),
  "llama.context_length": whole(contextLength),
  "llama.embedding_length": whole(embedding),
  "llama.feed_forward_length": whole(feedForward),
  "llama.attention.head_count": whole(heads),
  "llama.attention.head_count_kv": whole(heads),
  "llama.attention.layer_norm_rms_epsilon": fraction(0.00001),
  "llama.rope.dimension_count": whole(embedding / heads),
  "llama.rope.freq_base": fraction(10_000),
  "llama.vocab_size": whole(tokens.length),
  "tokenizer.ggml.model": text("gpt2"),
  "tokenizer.ggml.pre": text("qwen2"),
  "tokenizer.ggml.tokens": { type: "strings", value: tokens.map((token) => token.text) },
  "tokenizer.ggml.token_type": { type: "int32s", value: tokens.map((token) => token.type) },
  "tokenizer.ggml.merges": { type: "strings", value: merges },
  "tokenizer.ggml.bos_token_id": whole(tokenId(endOfText)),
  "tokenizer.ggml.eos_token_id": whole(tokenId(endOfMessage)),
  "tokenizer.ggml.padding_token_id": whole(tokenId(endOfText)),
  "tokenizer.ggml.add_bos_token": { type: "bool", value: false },
  "tokenizer.chat_template": text(jinjaTemplate)
}

/** The bytes of the model; equal seeds give equal bytes. */
export const makeTinyModel = (seed: number): Buffer =>
  writeGguf(
    metadata,
    makeTensors(
      { vocabulary: tokens.length, embedding, feedForward, layers },
      tokens.map(({ bias }) => bias),
      seed
    )
  )
