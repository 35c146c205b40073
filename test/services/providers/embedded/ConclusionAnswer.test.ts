import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TaskFailure } from "../../../../src/domain/plan/TaskResult.ts"
import { stageAnswer } from "../../../../src/services/providers/embedded/StageAnswer.ts"
import { finished } from "../../../support/sampleTasks.ts"
import { StagePrompts } from "../../../support/StagePrompts.ts"

const disclosure =
  "*The embedded stand-in wrote this. It is not a language model: it quotes what the tools found and concludes nothing. Choose a model with `--model` for an answer that does.*"

layer(StagePrompts.layer)("conclusionAnswer", (it) => {
  it.effect("answers with the lines that the results list, links the results, and says what it is", () =>
    Effect.gen(function* () {
      const { conclusion } = yield* StagePrompts
      const results = [
        finished("Search 2", "- Nothing was found for `session`."),
        finished("Search 1", "Found 2 lines in 2 files:\n\n- [b.ts](b.ts#L2) `x`\n- [a.ts](a.ts#L10) `loadUser`"),
        finished("Summary", "Found 1 line in 1 file:\n\n- [a.ts](a.ts#L10) `loadUser`")
      ]
      assert.strictEqual(
        stageAnswer(conclusion("Where is loadUser?", results)),
        `Found 2 lines in 2 files:

- [a.ts](a.ts#L10) \`loadUser\`
- [b.ts](b.ts#L2) \`x\`

- Nothing was found for \`session\`.

This rests on [Search 1](#search-1-results), [Search 2](#search-2-results), [Summary](#summary-results).

${disclosure}`
      )
    })
  )

  it.effect("says what failed, and that there is no answer when nothing finished", () =>
    Effect.gen(function* () {
      const { conclusion } = yield* StagePrompts
      const failure = new TaskFailure({ task: "Read 1", phase: "execution", reason: "No result.", skipped: false })
      assert.strictEqual(
        stageAnswer(conclusion("Where?", [], [failure])),
        `No task finished, so there is no answer.

These tasks failed, and what they were to find is missing:

- Task execution: "Read 1": No result.

${disclosure}`
      )
    })
  )
})
