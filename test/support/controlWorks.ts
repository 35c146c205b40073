/** Works of which it is known how they grow. */
import type { Works } from "./stepCounter.ts"

const again = (size: number, work: () => unknown) => () => {
  for (let turn = 0; turn < size; turn += 1) work()
}

const works: Works = {
  loop: (size) => again(size, () => size),
  "loops in loops": (size) =>
    again(
      size,
      again(size, () => size)
    ),
  "searches of a text": (size) => {
    const text = "a".repeat(size)
    return again(size, () => text.indexOf("b"))
  },
  "searches of a text from where the last one ended": (size) => {
    const text = "ab".repeat(size)
    return () => {
      for (let at = 0; at >= 0; at = text.indexOf("b", at + 1));
    }
  },
  "matches of a text": (size) => {
    const text = "a".repeat(size)
    return again(size, () => /b/.test(text))
  },
  "all matches of a text": (size) => () => "ab".repeat(size).replaceAll(/b/g, "")
}
export default works
