import { testAnnouncedLines } from "../../support/AnnouncedLines.ts"

testAnnouncedLines("others")
