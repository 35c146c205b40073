/** Commands in a copy of the project, where no overlay can be mounted. */
import { testWay } from "../../support/copyWays.ts"

testWay("copy")
