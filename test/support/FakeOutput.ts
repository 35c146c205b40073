/** The output of a command for tests: what a test does not expect ends it. */
import * as Effect from "effect/Effect"
import { makePaint } from "../../src/cli/terminal/Colour.ts"
import { Output } from "../../src/cli/terminal/Output.ts"
import { noScreen } from "./FakeTerminal.ts"

export const fakeOutput = (more: Partial<Output["Service"]>): Output["Service"] =>
  Output.of({
    result: () => Effect.die("no result"),
    answer: () => Effect.die("no answer"),
    print: () => Effect.die("nothing is printed"),
    emit: () => Effect.die("nothing is emitted"),
    prompt: () => Effect.void,
    printNow: () => undefined,
    follow: () => undefined,
    lost: () => undefined,
    screen: noScreen,
    resultColumns: () => undefined,
    resultPaint: makePaint(false),
    emitPaint: makePaint(false),
    isWatched: false,
    canAsk: true,
    hasPipedInput: false,
    ...more
  })
