import { assert, describe, it } from "@effect/vitest"
import { ggufAlignment } from "../../scripts/tinyModel/gguf.ts"
import { makeTinyModel } from "../../scripts/tinyModel/tinyModel.ts"
import { tokens } from "../../scripts/tinyModel/vocabulary.ts"

type Value = number | boolean | string | ReadonlyArray<Value>

/** Reads what the specification of GGUF says, by itself. */
const readGguf = (bytes: Buffer) => {
  let at = 8
  const take = <A>(size: number, read: (from: number) => A): A => {
    const value = read(at)
    at += size
    return value
  }
  const u32 = () => take(4, (from) => bytes.readUInt32LE(from))
  const u64 = () => Number(take(8, (from) => bytes.readBigUInt64LE(from)))
  const text = () => {
    const length = u64()
    return take(length, (from) => bytes.toString("utf8", from, from + length))
  }
  const value = (type: number): Value => {
    if (type === 4) return u32()
    if (type === 5) return take(4, (from) => bytes.readInt32LE(from))
    if (type === 6) return take(4, (from) => bytes.readFloatLE(from))
    if (type === 7) return take(1, (from) => bytes.readUInt8(from) === 1)
    if (type === 8) return text()
    assert.strictEqual(type, 9, `type at byte ${at}`)
    const itemType = u32()
    return Array.from({ length: u64() }, () => value(itemType))
  }
  const [tensorCount, keyCount] = [u64(), u64()]
  const metadata = Object.fromEntries(Array.from({ length: keyCount }, () => [text(), value(u32())]))
  const tensors = Array.from({ length: tensorCount }, () => {
    const name = text()
    const dimensions = Array.from({ length: u32() }, u64)
    return { name, dimensions, type: u32(), offset: u64() }
  })
  const start = Math.ceil(at / ggufAlignment) * ggufAlignment
  return { magic: bytes.toString("latin1", 0, 4), version: bytes.readUInt32LE(4), metadata, tensors, start }
}

const bytes = makeTinyModel(1)
const { magic, metadata, start, tensors, version } = readGguf(bytes)
const sizeOf = ({ dimensions }: { readonly dimensions: ReadonlyArray<number> }) =>
  dimensions.reduce((size, dimension) => size * dimension, 4)

/** The numbers of a tensor. */
const dataOf = (name: string): Float32Array => {
  const tensor = tensors.find((one) => one.name === name)
  assert.isDefined(tensor)
  const from = start + tensor.offset
  return Float32Array.from({ length: sizeOf(tensor) / 4 }, (_, index) => bytes.readFloatLE(from + index * 4))
}

describe("the tiny model", () => {
  it("is a GGUF file of version 3, small enough to be made for a test", () => {
    assert.strictEqual(magic, "GGUF")
    assert.strictEqual(version, 3)
    assert.isBelow(bytes.length, 600_000)
  })

  it("has each tensor of its architecture at an aligned place behind the one before, and nothing after them", () => {
    const blocks = Number(metadata["llama.block_count"])
    const parts = "attn_norm attn_q attn_k attn_v attn_output ffn_norm ffn_gate ffn_up ffn_down".split(" ")
    assert.deepStrictEqual(
      tensors.map(({ name }) => name),
      [
        "token_embd.weight",
        ...Array.from({ length: blocks }, (_, at) => parts.map((part) => `blk.${at}.${part}.weight`)).flat(),
        "output_norm.weight",
        "output.weight"
      ]
    )
    let next = 0
    for (const tensor of tensors) {
      assert.strictEqual(tensor.type, 0)
      assert.strictEqual(tensor.offset, next)
      assert.strictEqual(tensor.offset % ggufAlignment, 0)
      next = Math.ceil((tensor.offset + sizeOf(tensor)) / ggufAlignment) * ggufAlignment
    }
    assert.strictEqual(start + next, bytes.length)
  })

  it("has a token for each byte, all of them different, and merges whose parts and results are tokens", () => {
    const texts = metadata["tokenizer.ggml.tokens"] as ReadonlyArray<string>
    assert.strictEqual(texts.length, tokens.length)
    assert.strictEqual(texts.length, metadata["llama.vocab_size"])
    assert.strictEqual(new Set(texts).size, texts.length)
    assert.strictEqual(texts[0x41], "A")
    assert.strictEqual(texts[0x20], "Ġ")
    assert.strictEqual(texts[0x0a], "Ċ")
    assert.strictEqual((metadata["tokenizer.ggml.token_type"] as ReadonlyArray<number>).length, texts.length)
    for (const merge of metadata["tokenizer.ggml.merges"] as ReadonlyArray<string>) {
      const [one = "", other = ""] = merge.split(" ")
      for (const text of [one, other, one + other]) assert.include(texts, text)
    }
    assert.strictEqual(texts[Number(metadata["tokenizer.ggml.eos_token_id"])], "<|im_end|>")
  })

  it("prefers blanks and letters, whatever the weights", () => {
    const embedding = Number(metadata["llama.embedding_length"])
    const output = dataOf("output.weight")
    const likely = (byte: number) => output[byte * embedding] ?? 0
    assert.isAbove(likely(0x20), likely(0x61))
    assert.isAbove(likely(0x61), likely(0x7e))
    assert.isAbove(likely(0x7e), likely(0xff))
    // Nothing adds to the first number of a hidden state, which is the same in every embedding.
    for (const part of ["attn_output", "ffn_down"]) {
      const row = dataOf(`blk.1.${part}.weight`).subarray(0, embedding)
      assert.isTrue(row.every((value) => value === 0))
    }
    const embeddings = dataOf("token_embd.weight")
    assert.strictEqual(new Set(tokens.map((_, token) => embeddings[token * embedding])).size, 1)
  })

  it("follows from its seed alone", () => {
    assert.isTrue(makeTinyModel(1).equals(bytes))
    assert.isFalse(makeTinyModel(2).equals(bytes))
    assert.isTrue(makeTinyModel(2).subarray(0, start).equals(bytes.subarray(0, start)))
  })
})
