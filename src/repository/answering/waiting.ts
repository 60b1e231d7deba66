/** How long the answer to a write waits for the index (RFC 7240, `Prefer`). */

import type { AppContext } from '../../http/app.ts'
import type { Mark } from '../../store/marks.ts'

export type Wait = {
  /** Milliseconds; 0 = not at all. */
  readonly ms: number
  /** What `Preference-Applied` says, when the client asked for something. */
  readonly applied: string | undefined
}

/** Seconds that a client may ask for at most. */
const longest = 60

/** `respond-async` and `wait=n` of a `Prefer` header; everything else in it is left to others. */
export function waitOf(prefer: string | undefined, standardMs: number): Wait {
  const asked = (prefer ?? '').split(/[,;]/).map((part) => part.trim().toLowerCase())
  if (asked.includes('respond-async')) return { ms: 0, applied: 'respond-async' }
  const seconds = asked.map((part) => /^wait="?(\d{1,9})"?$/.exec(part)?.[1]).find((found) => found)
  if (seconds === undefined) return { ms: standardMs, applied: undefined }
  const capped = Math.min(Number(seconds), longest)
  return { ms: capped * 1000, applied: `wait=${capped}` }
}

/** Milliseconds beyond the wait, for what the answer still asks the store and says. */
const slackMs = 10_000

/**
 * The wait of the answer to a write that has landed, told to the client. From here on the time of the request is over with
 * the wait: the limit that it began with would hide that the write is there.
 */
export function landedWait(c: AppContext, standardMs: number): Wait {
  const wait = waitOf(c.req.header('Prefer'), standardMs)
  if (wait.applied !== undefined) c.header('Preference-Applied', wait.applied)
  c.get('deadline').extend(wait.ms + slackMs)
  return wait
}

/** `none` = not indexed on purpose: the catalogue is hidden. */
export type IndexStatus = 'done' | 'pending' | 'none'

/** Resolves true when the marked version is searchable, false when the signal fires first. */
export type Settled = (mark: Mark, signal: AbortSignal) => Promise<boolean>

/** What is known about the index. */
export type Indexing = {
  readonly settled: Settled
  /** Whether the index may not have the present state of a resource yet. */
  readonly awaits: (resource: string) => boolean
  /** Whether a catalogue is kept out of search, with everything in it. */
  readonly hides: (catalogue: string, signal: AbortSignal) => Promise<boolean>
}

/** Waits as asked; the write itself is done either way. */
export async function indexStatus(
  settled: Settled,
  mark: Mark,
  wait: Wait,
  signal: AbortSignal,
): Promise<Exclude<IndexStatus, 'none'>> {
  if (wait.ms === 0) return 'pending'
  const done = await settled(mark, AbortSignal.any([signal, AbortSignal.timeout(wait.ms)]))
  return done ? 'done' : 'pending'
}
