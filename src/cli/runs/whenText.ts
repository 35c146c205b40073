/**
 * Times and durations as a person says them, in the time zone of this machine. Pure.
 */
import { secondsText } from "../../domain/text/Format.ts"

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const two = (number: number): string => String(number).padStart(2, "0")

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`; nothing for what is long ago, and for the future. */
const agoText = (ms: number): string | undefined => {
  if (ms < 0 || ms >= 14 * day) return undefined
  if (ms < minute) return "just now"
  if (ms < hour) return `${Math.floor(ms / minute)} min ago`
  if (ms < day) return `${Math.floor(ms / hour)} h ago`
  const days = Math.floor(ms / day)
  return `${days} day${days === 1 ? "" : "s"} ago`
}

const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString()

/** `today 17:02`, `yesterday 09:10`, `Nov 20 18:30`, `2025-11-20 18:30`; local. */
export const localText = (at: Date, now: Date): string => {
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (isSameDay(at, now)) return `today ${time}`
  if (isSameDay(at, yesterday)) return `yesterday ${time}`
  if (at.getFullYear() === now.getFullYear()) return `${months[at.getMonth()]} ${at.getDate()} ${time}`
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`
}

/** `today 17:02 (5 min ago)`; the text itself when it is no time. */
export const whenText = (iso: string, now: Date): string => {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const ago = agoText(now.getTime() - at.getTime())
  return ago === undefined ? localText(at, now) : `${localText(at, now)} (${ago})`
}

/** `1.7 s`, `45 s`, `4 min 45 s`, `2 h 5 min`. */
export const durationText = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : secondsText(Math.round(ms / 1000))
