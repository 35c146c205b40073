import { testAnnouncedLines } from "../../support/AnnouncedLines.ts"

testAnnouncedLines("main")
