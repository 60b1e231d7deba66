/** Whether a host wants its URLs checked: robots.txt (RFC 9309), remembered for a day. */

import type { OutboundLimits } from '../limits.ts'
import { Failure } from '../../errors.ts'
import type { Outbound, RobotsWord } from '../request.ts'
import { permission } from '../guard/permission.ts'
import { rulesOf, type Rules } from './robots-rules.ts'
import { unlessAborted } from '../../workers/abort.ts'

type Means = {
  readonly request: Outbound['request']
  /** Ends what is under way for everybody. */
  readonly closing: AbortSignal
  readonly limits: Pick<OutboundLimits, 'robotsCharacters'>
  readonly now: () => number
}

/** Why there are no rules. */
type Absence = Exclude<RobotsWord, 'allowed' | 'disallowed'>

type Known = {
  readonly rules: Promise<Rules | Absence>
  until: number
  characters: number
}

const rememberedMs = 24 * 3_600_000
/** A host that could not tell is asked again after this time. */
const unknownMs = 600_000
/** RFC 9309 2.5: at least 500 KiB are read. */
const readBytes = 500 * 1024
/** What an entry weighs beside its rules. */
const entryCharacters = 500

/** One robots.txt per origin and permission, asked for once even when many want to know. */
export function robotsOf(means: Means): Outbound['robots'] {
  const known = new Map<string, Known>()
  return async (request, signal) => {
    const url = URL.parse(request.url)
    if (!url || !/^https?:$/.test(url.protocol)) return 'refused'
    const { origin } = url
    const name = `${permission(request.reach, url).key} ${origin}`
    const entry =
      fresh(known, name, means.now()) ?? asked({ known, name }, { ...request, origin }, means)
    const rules = await unlessAborted(entry.rules, signal)
    if (typeof rules === 'string') return rules
    return rules.permits(url) ? 'allowed' : 'disallowed'
  }
}

type Asked = Omit<Parameters<Outbound['robots']>[0], 'url'> & { readonly origin: string }

/** Where the word of a host is remembered. */
type Entry = { readonly known: Map<string, Known>; readonly name: string }

function fresh(known: Map<string, Known>, name: string, now: number): Known | undefined {
  const entry = known.get(name)
  return entry && entry.until > now ? entry : undefined
}

function asked({ known, name }: Entry, wish: Asked, means: Means): Known {
  const entry: Known = {
    rules: fetched(wish, means).then((rules) => {
      const isKnown = typeof rules !== 'string'
      entry.until = means.now() + (isKnown ? rememberedMs : unknownMs)
      entry.characters += isKnown ? rules.characters : 0
      forget(known, means.limits.robotsCharacters)
      return rules
    }),
    until: Infinity,
    characters: entryCharacters,
  }
  known.delete(name)
  known.set(name, entry)
  return entry
}

/** Everything that 4xx says is "go ahead"; silence and 5xx say nothing. */
async function fetched({ origin, ...wish }: Asked, means: Means): Promise<Rules | Absence> {
  let isThere = false
  let isElsewhere = false
  try {
    const answer = await means.request(
      {
        ...wish,
        url: `${origin}/robots.txt`,
        headers: { accept: 'text/plain' },
        // Longer files are read to this length and no further.
        maxBytes: Number.MAX_SAFE_INTEGER,
        attempts: 2,
        retryAfterMaxMs: 30_000,
        delayMs: 1000,
        whenLeftAlone: 'fail',
        connected: () => void (isThere = true),
        mayFollow: async () => void (isElsewhere = true),
      },
      means.closing,
    )
    if (answer.status === 200) return await rulesIn(origin, answer.body)
    answer.discard()
    return answer.status >= 400 && answer.status < 500 ? rulesOf(origin, '') : 'unknown'
  } catch (error) {
    if (!(error instanceof Failure)) return 'unknown'
    // Redirects without end lead to no file (RFC 9309 2.3.1.2).
    if (error.kind === 'source-error') return rulesOf(origin, '')
    // What is wrong where a redirect leads to says nothing of the host that was asked.
    return isElsewhere ? 'unknown' : absenceOf(error, isThere)
  }
}

function absenceOf({ kind, retryAfter }: Failure, isThere: boolean): Absence {
  if (kind === 'address-refused' && !isThere) return 'refused'
  if (kind === 'source-unreachable') return 'unreachable'
  // With a time the host was not asked, because it had been silent.
  const isLate = kind === 'source-timeout' && retryAfter === undefined
  return isLate && !isThere ? 'unreachable' : 'unknown'
}

/** A file that breaks off tells nothing: what it forbids may stand in the rest. */
const rulesIn = (origin: string, body: AsyncIterable<Uint8Array>): Promise<Rules | Absence> =>
  beginning(body).then(
    (text) => rulesOf(origin, text),
    () => 'unknown',
  )

async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part)
    bytes += part.length
    if (bytes >= readBytes) break
  }
  return Buffer.concat(parts).subarray(0, readBytes).toString('utf8')
}

/** The oldest go first, until the rest fits. */
function forget(known: Map<string, Known>, most: number): void {
  let characters = 0
  for (const entry of known.values()) characters += entry.characters
  for (const [origin, entry] of known) {
    if (characters <= most) return
    if (entry.until === Infinity) continue
    known.delete(origin)
    characters -= entry.characters
  }
}
