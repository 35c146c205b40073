/** Replays of runs that were killed at many points. */
import { describe } from "@effect/vitest"
import { replaysOfKilled } from "../../support/ReplayedRun.ts"

describe("the replay of a run that broke off", replaysOfKilled)
