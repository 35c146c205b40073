/**
 * The weights of the tiny model: seeded random numbers, equal on every machine. The first number of each hidden state
 * is constant, so the first weight of a token's output row sets its likelihood.
 */
import type { GgufTensor } from "./gguf.ts"

export interface Shape {
  readonly vocabulary: number
  readonly embedding: number
  readonly feedForward: number
  readonly layers: number
}

/** A generator of numbers from 0 to 1 with 32 bits of state (mulberry32). */
const makeRandom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The constant in each hidden state. */
const constant = 4

/** The hidden state after the last norm, where the other numbers are about 1 before it. */
const constantAfterNorm = (embedding: number): number =>
  constant / Math.sqrt((constant * constant + embedding - 1) / embedding)

/** Sets the first weight of each row by `first`. */
const withFirst = (tensor: GgufTensor, first: (row: number) => number): GgufTensor => {
  const width = tensor.dimensions[0] ?? 1
  return {
    ...tensor,
    data: tensor.data.map((value, at) => (at % width === 0 ? first(at / width) : value))
  }
}

/** Leaves the constant unchanged: the first row is zero. */
const aroundConstant = (tensor: GgufTensor): GgufTensor => {
  const width = tensor.dimensions[0] ?? 1
  return { ...tensor, data: tensor.data.map((value, at) => (at < width ? 0 : value)) }
}

/** All tensors of the model; one bias for each token. */
export const makeTensors = (shape: Shape, biases: ReadonlyArray<number>, seed: number): ReadonlyArray<GgufTensor> => {
  const random = makeRandom(seed)
  const { embedding, feedForward, layers, vocabulary } = shape
  /** Approximately normal: a sum of uniform numbers, which is equal on all machines. */
  const spread = (deviation: number): number => (random() + random() + random() + random() - 2) * deviation * 1.732

  const matrix = (name: string, inputs: number, outputs: number, deviation: number): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [inputs, outputs],
    data: Float32Array.from({ length: inputs * outputs }, () => spread(deviation))
  })
  const norm = (name: string): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [embedding],
    data: new Float32Array(embedding).fill(1)
  })
  const scale = constantAfterNorm(embedding)
  const layerTensors = (at: number): ReadonlyArray<GgufTensor> => {
    const name = (part: string) => `blk.${at}.${part}`
    const narrow = 1 / Math.sqrt(embedding)
    return [
      norm(name("attn_norm")),
      matrix(name("attn_q"), embedding, embedding, narrow),
      matrix(name("attn_k"), embedding, embedding, narrow),
      matrix(name("attn_v"), embedding, embedding, narrow),
      aroundConstant(matrix(name("attn_output"), embedding, embedding, narrow)),
      norm(name("ffn_norm")),
      matrix(name("ffn_gate"), embedding, feedForward, narrow),
      matrix(name("ffn_up"), embedding, feedForward, narrow),
      aroundConstant(matrix(name("ffn_down"), feedForward, embedding, 1 / Math.sqrt(feedForward)))
    ]
  }

  return [
    withFirst(matrix("token_embd", embedding, vocabulary, 1), () => constant),
    ...Array.from({ length: layers }, (_, at) => layerTensors(at)).flat(),
    norm("output_norm"),
    withFirst(matrix("output", embedding, vocabulary, 0.5 / Math.sqrt(embedding)), (row) => (biases[row] ?? 0) / scale)
  ]
}
