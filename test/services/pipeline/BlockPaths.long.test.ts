import { testBlockPaths } from "../../support/BlockPaths.ts"

testBlockPaths("others")
