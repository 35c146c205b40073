import { expect, it } from "@effect/vitest"
import {
  addParts,
  overflowText,
  answerReserve,
  charactersLeft,
  fittingPrompt,
  neededTokens,
  scaleOfText
} from "../../../src/domain/models/PromptSize.ts"

const part = (name: string, characters: number) => ({ name, characters })

it("joins parts of one name, largest first, without empty ones", () => {
  expect(addParts([part("a", 2), part("b", 5), part("a", 4), part("c", 0)])).toEqual([part("a", 6), part("b", 5)])
})

it("says what is large and what to do about the largest part that a person can change", () => {
  expect(
    overflowText({
      estimated: 9100,
      window: 8192,
      parts: [
        { name: "instructions", tokens: 4000 },
        { name: "project_description", tokens: 3000 },
        { name: "tool_outputs", tokens: 900 }
      ]
    })
  ).toBe(
    "The prompt needs about 9100 tokens, the context window holds 8192. The largest parts are instructions (4000), project description (3000), tool calls and outputs (900). Shorten AGENTS.md, or raise contextWindow to at least 11264."
  )
  expect(overflowText({ estimated: 9000, window: 8192 })).toBe(
    "The prompt needs about 9000 tokens, the context window holds 8192. Narrow the references, or raise contextWindow to at least 11264."
  )
})

it.each([256, 2048, 200_000])("fills what is left of a window of %i, and the answer still fits", (window) => {
  for (const charactersPerToken of [2, 3.7, 6]) {
    const scale = { charactersPerToken, margin: 1.15 }
    const prompt = { system: "s".repeat(900), user: "u".repeat(301) }
    const left = charactersLeft(window, prompt, scale)
    const filled = { ...prompt, user: prompt.user + "x".repeat(left) }
    expect(neededTokens(filled, scale) <= window - answerReserve(window) || left === 0).toBe(true)
  }
})

it("takes the lighter form of a prompt only when the window does not hold the whole", () => {
  const lighter = { system: "", user: "x".repeat(4000) }
  const prompt = { system: "", user: "x".repeat(8000), lighter }
  expect(fittingPrompt(prompt, 4096)).toBe(prompt)
  expect(fittingPrompt(prompt, 2048)).toBe(lighter)
  expect(fittingPrompt(prompt, 512)).toBe(lighter)
  const { lighter: _, ...plain } = prompt
  expect(fittingPrompt(plain, 512)).toBe(plain)
})

it.each([
  ["prose", "Read the file and say what it does with the limits of a run.", 4, 4],
  ["Chinese", "读取配置文件时如果缺少字段，程序会报告错误并说明应该如何修复。", 1.2, 1.8],
  ["Japanese", "設定ファイルに必要な項目がない場合、プログラムはエラーを表示し、修正方法を説明します。", 1.2, 1.8],
  ["Korean", "설정 파일에 필드가 없으면 프로그램은 오류를 알리고 고치는 방법을 설명합니다.", 1.4, 2.3],
  ["data", '{"a":{"version":"1.2.3","size":14,"ok":true},"b":[1,2,3],"c":"x/y"}', 1.8, 3]
])("takes a token of %s to have fewer characters where it has", (_, text, least, most) => {
  const { charactersPerToken } = scaleOfText(text)
  expect(charactersPerToken).toBeGreaterThanOrEqual(least)
  expect(charactersPerToken).toBeLessThanOrEqual(most)
})
